/* SPDX-License-Identifier: GPL-2.0-or-later */
/* export - results as a file of the format that was asked for. */
#include "report/report.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/err.h"
#include "base/json.h"
#include "base/sbuf.h"
#include "store/store.h"

bool report_is_format(const char *word)
{
	static const char *const formats[] = { "csv", "json", "xlsx", "svg", "pdf" };
	size_t i;

	for (i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		if (!strcmp(formats[i], word))
			return true;
	}
	return false;
}

/* Only those a filter lets through, for csv and json. */
static void keep(json_t *results, const struct report_filter *f)
{
	size_t i = json_array_size(results);

	while (i--) {
		const json_t *r = json_array_get(results, i);
		const char *class = json_str(r, "class"), *op = json_str(r, "op");
		const char *campaign = json_str(r, "campaign");

		if ((f->campaign && (!campaign || strcmp(campaign, f->campaign))) ||
		    (f->class && (!class || strcmp(class, f->class))) ||
		    (f->op && (!op || strcmp(op, f->op))))
			json_array_remove(results, i);
	}
}

int report_export(struct arena *a, json_t *results, const struct report_filter *f,
		  const char *format, struct sbuf *out, struct err *e)
{
	struct report_picture *p;
	char date[32];
	time_t now = time(NULL);
	struct tm tm;
	size_t n;

	localtime_r(&now, &tm);
	strftime(date, sizeof(date), "%Y-%m-%d", &tm);
	keep(results, f);
	if (!strcmp(format, "csv")) {
		store_csv(results, out);
		return 0;
	}
	if (!strcmp(format, "json")) {
		char *line = json_line(results);

		sbuf_addf(out, "%s\n", line);
		free(line);
		return 0;
	}
	report_pictures(a, results, f, &p, &n);
	if (!n)
		return err_set(e, ERR_FAIL, "there is no result to draw");
	if (!strcmp(format, "xlsx"))
		return report_xlsx(a, results, f, date, out, e);
	if (!strcmp(format, "pdf"))
		return report_pdf(a, results, f, date, out, e);
	report_svg(p, n, date, out);
	return 0;
}
