/* SPDX-License-Identifier: GPL-2.0-or-later */
/* results export and results import: files to hand on, and files of others. */
#include "cmd/results.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"

static int write_out(const char *format, const struct sbuf *out, struct err *e)
{
	bool binary = !strcmp(format, "xlsx") || !strcmp(format, "pdf");

	if (option("out"))
		return file_write_atomic(option("out"), out->text, out->len, e);
	if (binary && isatty(STDOUT_FILENO))
		return err_set(e, ERR_USAGE, "a %s is nothing for a terminal; name a file with --out",
			       format);
	if (fwrite(out->text, 1, out->len, stdout) != out->len || fflush(stdout))
		return err_sys(e, "cannot write the %s", format);
	return 0;
}

int results_export(struct store *st, int argc, char **argv, struct err *e)
{
	struct arena *a = arena_new();
	int64_t *ids = arena_array(a, (size_t)argc + 1, sizeof(*ids));
	struct report_filter f;
	struct sbuf out = { 0 };
	json_t *results = NULL;
	int rc, i;

	rc = results_filter(&f, e);
	for (i = 1; rc == 0 && i < argc; i++) {
		uint64_t id;

		rc = count_parse("the result's ID", argv[i], 1, INT64_MAX, &id, e);
		ids[i - 1] = rc ? 0 : (int64_t)id;
	}
	if (argc > 1)
		f.every = true;		/* what was named is drawn */
	if (rc == 0)
		rc = store_results_with_runs(st, ids, (size_t)argc - 1, !strcmp(argv[0], "json"),
					     &results, e);
	if (rc == 0 && argc == 1)
		rc = store_cells_failed(st, results, e);
	if (rc == 0)
		rc = report_export(a, results, &f, argv[0], &out, e);
	if (rc == 0)
		rc = write_out(argv[0], &out, e);
	sbuf_done(&out);
	json_decref(results);
	arena_free(a);
	return rc;
}

int results_import(struct store *st, int argc, char **argv, struct err *e)
{
	size_t added;

	(void)argc;
	if (report_import(st, argv[0], option("as"), &added, e) < 0)
		return -1;
	printf("%zu result%s read in; naslab results list shows them\n", added,
	       added == 1 ? "" : "s");
	return 0;
}
