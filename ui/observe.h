/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef UI_OBSERVE_H
#define UI_OBSERVE_H

/*
 * The screen Bench on a pseudo terminal of 80x24 of its own, drawing the events that come
 * from fd until that ends. Writes one byte there when it is ready. For who wants to know
 * what looking costs. Returns 0, or 1 when there is no such terminal.
 */
int ui_observe(void *arg, int fd);

#endif
