/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * naslab-report KIND FILE DATE CLASS OP felt|durable newest|every - writes FILE from the
 * results on its standard input. Only naslab calls it; see files.h for why it is apart.
 */
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/sbuf.h"
#include "base/text.h"
#include "report/files.h"

#ifdef __SANITIZE_ADDRESS__
/* fontconfig keeps its patterns until the end, and that is no leak of ours. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:libfontconfig";
}
#endif

static int write_file(struct arena *a, char **w, const json_t *results, struct sbuf *out,
		      struct err *e)
{
	struct report_filter f = {
		.class = *w[4] ? w[4] : NULL, .op = *w[5] ? w[5] : NULL,
		.durable = !strcmp(w[6], "durable"), .every = !strcmp(w[7], "every"),
		.by_layout = !strcmp(w[8], "layouts"),
	};
	struct report_picture *p;
	size_t n;

	(void)p;
	(void)n;
#ifdef HAVE_CAIRO
	if (!strcmp(w[1], "pdf")) {
		report_pictures(a, results, &f, &p, &n);
		return pdf_write(p, n, w[3], out, e);
	}
#endif
#ifdef HAVE_XLSXWRITER
	if (!strcmp(w[1], "xlsx"))
		return xlsx_write(a, results, &f, w[3], out, e);
#endif
	(void)a;
	(void)results;
	(void)f;
	return err_set(e, ERR_USAGE, "naslab-report writes no %s", w[1]);
}

int main(int argc, char **argv)
{
	struct arena *a = arena_new();
	struct sbuf out = { 0 };
	struct err e = { 0 };
	json_t *results;
	int rc;

	if (argc != 9) {
		fputs("naslab-report is called by naslab results export\n", stderr);
		return 2;
	}
	results = json_loadf(stdin, 0, NULL);
	rc = json_is_array(results) ? write_file(a, argv, results, &out, &e) :
				      err_set(&e, ERR_USAGE, "the input is no array of results");
	if (rc == 0)
		rc = file_write_atomic(argv[2], out.text, out.len, &e);
	if (rc)
		fprintf(stderr, "%s\n", e.text);
	json_decref(results);
	sbuf_done(&out);
	arena_free(a);
	return rc ? 1 : 0;
}
