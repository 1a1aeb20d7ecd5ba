/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SANDBOX_WIRE_H
#define SANDBOX_WIRE_H

#include <stdint.h>

/*
 * What the launcher and the first process inside say to each other over the second
 * console (/dev/tty1 inside, a pipe in each direction outside): frames of one type
 * byte, a length of four bytes, least first, and so many bytes. Nothing of a frame is
 * ever changed on the way, so every byte a command writes arrives as it was.
 *
 * Input is sent only against credit, so that a command which does not read cannot
 * keep a signal or a new window size from getting through. The window is smaller than
 * the buffer of a terminal (4096 bytes): once that is full, the kernel of user mode
 * stops reading the pipe and does not start again.
 */
enum wire_type {
	/* into the sandbox */
	WIRE_INPUT = 'i',	/* bytes for the command's standard input */
	WIRE_INPUT_END = 'e',	/* and no more will come */
	WIRE_SIZE = 'w',	/* the terminal: rows and columns, two bytes each */
	WIRE_SIGNAL = 's',	/* one byte: the signal for the command */
	WIRE_BROKEN = 'p',	/* one byte: nobody reads WIRE_OUTPUT or WIRE_ERROR any more */

	/* out of it */
	WIRE_READY = 'b',	/* the console is raw, frames may come */
	WIRE_OUTPUT = 'o',	/* what the command wrote to standard output */
	WIRE_ERROR = 'r',	/* and to standard error */
	WIRE_CREDIT = 'a',	/* four bytes: so much of it (heads too) was taken */
	WIRE_STOPPED = 'z',	/* the command stopped itself (Ctrl-Z) */
	WIRE_EXIT = 'x',	/* one byte: its exit status */
};

enum {
	WIRE_HEAD = 5,
	WIRE_MOST = 8192,		/* bytes in one frame */
	WIRE_WINDOW = 3072,		/* input on its way at most, heads included */
};

static inline void wire_put32(unsigned char *at, uint32_t v)
{
	at[0] = (unsigned char)v;
	at[1] = (unsigned char)(v >> 8);
	at[2] = (unsigned char)(v >> 16);
	at[3] = (unsigned char)(v >> 24);
}

static inline uint32_t wire_get32(const unsigned char *at)
{
	return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static inline void wire_head(unsigned char head[WIRE_HEAD], enum wire_type type, uint32_t len)
{
	head[0] = (unsigned char)type;
	wire_put32(head + 1, len);
}

#endif
