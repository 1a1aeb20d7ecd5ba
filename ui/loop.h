/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef UI_LOOP_H
#define UI_LOOP_H

/* Signals as bytes in a pipe, and the terminal given back whatever happens. */
void loop_open(void);
void loop_close(void);
void loop_suspend(void);	/* Ctrl-Z */

#endif
