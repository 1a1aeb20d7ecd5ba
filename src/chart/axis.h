/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CHART_AXIS_H
#define CHART_AXIS_H

struct grid;

/* Characters of an axis: like grid_text(), with the ink of axes. */
void grid_axis(struct grid *g, unsigned row, unsigned col, const char *utf8);

#endif
