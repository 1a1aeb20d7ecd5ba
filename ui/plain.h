/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef UI_PLAIN_H
#define UI_PLAIN_H

#include "ui/ui.h"

/* The screens as lines "name: value", without boxes or bars, for screen readers and pipes. */

/* What a screen shows, a line each; false when it has no words of its own for it. */
bool plain_screen(struct ui *ui, const struct screen *s, struct sbuf *out);

#endif
