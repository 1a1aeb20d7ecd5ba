/* SPDX-License-Identifier: GPL-2.0-or-later */
/* export - results into a file whose name says the format. */
#include "ui/ui.h"

#include <string.h>

static int take(struct ui *ui, void *arg, const char *path, struct err *e)
{
	const struct report_filter *f = arg;
	const char *dot = strrchr(path, '.'), *format = dot ? dot + 1 : "";
	struct arena *a = arena_new();
	struct sbuf out = { 0 };
	struct store *st = NULL;
	json_t *all = NULL;
	int rc = 0;

	if (!report_is_format(format))
		rc = err_set(e, ERR_USAGE, "the name ends in .csv, .json, .svg, .pdf or .xlsx");
	if (rc == 0)
		rc = store_open_read(ui->s->db, &st, e) ||
		     store_results_with_runs(st, NULL, 0, !strcmp(format, "json"), &all, e) ||
		     store_cells_failed(st, all, e) || report_export(a, all, f, format, &out, e) ||
		     file_write_atomic(path, sbuf_str(&out), out.len, e) ? -1 : 0;
	if (rc == 0)
		ui_say(ui, ' ', "written to %s", safe_text(path));
	store_close(st);
	json_decref(all);
	sbuf_done(&out);
	arena_free(a);
	return rc;
}

void ui_export(struct ui *ui, const char *title, const char *name, const struct report_filter *f)
{
	struct arena *a = arena_new();

	ui_prompt(ui, &(struct prompt){ .title = title, .text = arena_printf(a, "%s.csv", name),
		  .about = "A file: .csv has every run, .xlsx and .json too; .svg and .pdf are pictures.",
		  .take = take, .arg = (void *)(uintptr_t)f });
	arena_free(a);
}
