/* SPDX-License-Identifier: GPL-2.0-or-later */
/* text - small files, and words that people mistype. */
#include "base/text.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/sbuf.h"

int file_read(const char *path, size_t limit, struct sbuf *out)
{
	char buf[8192];
	ssize_t got;
	int fd, error = 0;

	sbuf_clear(out);
	/* only the opening does not wait: a pipe that nobody writes to is then read as empty */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		return -1;
	fcntl(fd, F_SETFL, 0);
	while ((got = read(fd, buf, sizeof(buf))) != 0) {
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			error = errno;
			break;
		}
		if (out->len + (size_t)got > limit) {
			error = EFBIG;
			break;
		}
		sbuf_addn(out, buf, (size_t)got);
	}
	close(fd);
	if (!error)
		return 0;
	sbuf_clear(out);
	errno = error;
	return -1;
}

static char *line_of(struct arena *a, const char *root, const char *fmt, va_list ap)
	__attribute__((format(printf, 3, 0)));

static char *line_of(struct arena *a, const char *root, const char *fmt, va_list ap)
{
	struct sbuf path = { 0 }, text = { 0 };
	char *line = NULL;
	size_t len;

	sbuf_add(&path, root);
	sbuf_vaddf(&path, fmt, ap);
	if (file_read(path.text, 1 << 20, &text) == 0) {
		len = strcspn(sbuf_str(&text), "\n");
		while (len && isspace((unsigned char)text.text[len - 1]))
			len--;
		line = arena_strndup(a, sbuf_str(&text), len);
	}
	sbuf_done(&path);
	sbuf_done(&text);
	return line;
}

char *file_line(struct arena *a, const char *root, const char *fmt, ...)
{
	va_list ap;
	char *line;

	va_start(ap, fmt);
	line = line_of(a, root, fmt, ap);
	va_end(ap);
	return line;
}

uint64_t file_u64(uint64_t missing, const char *root, const char *fmt, ...)
{
	struct arena *a = arena_new();
	uint64_t value = missing;
	va_list ap;
	char *line, *end;

	va_start(ap, fmt);
	line = line_of(a, root, fmt, ap);
	va_end(ap);
	if (line && isdigit((unsigned char)*line)) {
		errno = 0;
		value = strtoull(line, &end, 10);
		if (errno || (*end && !isspace((unsigned char)*end)))
			value = missing;
	}
	arena_free(a);
	return value;
}

static int write_all(int fd, const char *text, size_t len)
{
	while (len) {
		ssize_t put = write(fd, text, len);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return -1;
		text += put;
		len -= (size_t)put;
	}
	return 0;
}

int file_write_atomic(const char *path, const char *text, size_t len, struct err *e)
{
	struct sbuf tmp = { 0 };
	int fd, rc = -1;

	sbuf_addf(&tmp, "%s.XXXXXX", path);
	fd = mkostemp(tmp.text, O_CLOEXEC);
	if (fd < 0) {
		err_sys(e, "cannot write %s", path);
		goto out;
	}
	if (write_all(fd, text, len) || fsync(fd) || fchmod(fd, 0644)) {
		err_sys(e, "cannot write %s", path);
		close(fd);
		unlink(tmp.text);
		goto out;
	}
	close(fd);
	if (rename(tmp.text, path)) {
		err_sys(e, "cannot write %s", path);
		unlink(tmp.text);
		goto out;
	}
	rc = 0;
out:
	sbuf_done(&tmp);
	return rc;
}

/* Edit distance of two short words, a swap of neighbours counting as one. */
static unsigned distance(const char *a, const char *b)
{
	enum { LONG = 40 };
	size_t la = strlen(a), lb = strlen(b), i, j;
	unsigned d[LONG + 1][LONG + 1];

	if (la > LONG || lb > LONG)
		return LONG;
	for (i = 0; i <= la; i++)
		d[i][0] = (unsigned)i;
	for (j = 0; j <= lb; j++)
		d[0][j] = (unsigned)j;
	for (i = 1; i <= la; i++) {
		for (j = 1; j <= lb; j++) {
			unsigned best = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);

			if (d[i - 1][j] + 1 < best)
				best = d[i - 1][j] + 1;
			if (d[i][j - 1] + 1 < best)
				best = d[i][j - 1] + 1;
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
			    d[i - 2][j - 2] + 1 < best)
				best = d[i - 2][j - 2] + 1;
			d[i][j] = best;
		}
	}
	return d[la][lb];
}

const char *nearest_word(const char *word, const char *const *words, size_t n)
{
	const char *best = NULL;
	size_t len = strlen(word);
	unsigned least = len < 4 ? 2 : (unsigned)len / 3 + 2;	/* --foo is not nearly --root */
	size_t i;

	for (i = 0; i < n; i++) {
		unsigned d = distance(word, words[i]);

		if (d < least) {
			least = d;
			best = words[i];
		}
	}
	return best;
}

bool name_is_valid(const char *name)
{
	size_t len = strlen(name);

	return len >= 1 && len <= 20 && islower((unsigned char)name[0]) &&
	       name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-")] == '\0' &&
	       name[len - 1] != '-';
}

char *line_statement(char *line, char **rest)
{
	char *end = line + strcspn(line, "#");

	while (end > line && isspace((unsigned char)end[-1]))
		end--;
	*end = '\0';
	line += strspn(line, " \t");
	if (!*line)
		return NULL;
	*rest = line + strcspn(line, " \t");
	if (**rest)
		*(*rest)++ = '\0';
	*rest += strspn(*rest, " \t");
	return line;
}
