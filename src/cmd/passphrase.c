/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * passphrase - of a layout that encrypts: asked for on the terminal, or the first line of
 * a file. It is handed to the executor and kept nowhere.
 */
#include <stdio.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/follow.h"
#include "naslab.h"

/* The first line of a stream; false when there is none, or it is empty or very long. */
static bool first_line(FILE *f, char *line, size_t room)
{
	if (!fgets(line, (int)room, f) || !strchr(line, '\n'))
		return !ferror(f) && *line && strlen(line) + 1 < room;
	line[strcspn(line, "\n")] = '\0';
	return *line != '\0';
}

static bool ask_hidden(const char *prompt, char *line, size_t room)
{
	struct termios shown, hidden;
	bool ok;

	if (tcgetattr(STDIN_FILENO, &shown))
		return false;
	fputs(prompt, stderr);
	hidden = shown;
	hidden.c_lflag &= ~(tcflag_t)ECHO;
	tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden);
	ok = first_line(stdin, line, room);
	tcsetattr(STDIN_FILENO, TCSAFLUSH, &shown);
	fputc('\n', stderr);
	return ok;
}

int ask_passphrase(const char *file, bool twice, struct arena *a, char **out, struct err *e)
{
	char line[512] = "", again[512] = "";
	FILE *f = file ? strcmp(file, "-") ? fopen(file, "re") : stdin : NULL;
	bool ok;

	if (file && !f)
		return err_sys(e, "%.200s", file);
	if (file) {
		ok = first_line(f, line, sizeof(line));
		if (f != stdin)
			fclose(f);
		if (!ok)
			return err_set(e, ERR_USAGE, "%.200s: the first line has to be the passphrase, at most 510 "
				       "bytes", file);
	} else if (!isatty(STDIN_FILENO)) {
		return err_set(e, ERR_USAGE, "this layout encrypts: give --key-file FILE, whose first line is the "
			       "passphrase, or run it on a terminal");
	} else if (!ask_hidden("Passphrase: ", line, sizeof(line)) ||
		   (twice && (!ask_hidden("Once more:  ", again, sizeof(again)) || strcmp(line, again)))) {
		return err_set(e, ERR_USAGE, "the passphrase was empty%s", twice ? ", or not the same twice" : "");
	}
	*out = arena_strdup(a, line);
	return 0;
}
