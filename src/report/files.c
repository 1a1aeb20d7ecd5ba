/* SPDX-License-Identifier: GPL-2.0-or-later */
/* files - PDF and XLSX, made by naslab-report: results in on its input, a file out. */
#include "report/files.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/argv.h"
#include "base/err.h"
#include "base/json.h"
#include "base/sbuf.h"
#include "base/text.h"
#include "build/job.h"

enum { MOST_FILE = 256 << 20, MOST_MS = 600000 };

bool report_has_pdf(void)
{
#ifdef HAVE_CAIRO
	return true;
#else
	return false;
#endif
}

bool report_has_xlsx(void)
{
#ifdef HAVE_XLSXWRITER
	return true;
#else
	return false;
#endif
}

/* Beside the program when it was not installed, else where it was installed to. */
static char *helper(struct arena *a)
{
	char self[4096];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char *beside;

	if (n > 0) {
		self[n] = '\0';
		beside = arena_printf(a, "%.*s/naslab-report", (int)(strrchr(self, '/') - self), self);
		if (!access(beside, X_OK))
			return beside;
		/* of a build folder when a test's program asks */
		if (!access("./naslab-report", X_OK))
			return arena_strdup(a, "./naslab-report");
	}
	return arena_strdup(a, LIBEXEC_DIR "/naslab-report");
}

static int run_helper(struct arena *a, const char *kind, const json_t *results,
		      const struct report_filter *f, const char *date, struct sbuf *out, struct err *e)
{
	const char *folder = getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp";
	char *path = arena_printf(a, "%s/naslab-XXXXXX", folder), *input;
	int fd = mkstemp(path), rc;
	struct argv v = { 0 };
	struct job_end end;

	if (fd < 0)
		return err_sys(e, "cannot make a file in %s", folder);
	close(fd);
	input = json_line(results);
	argv_addl(a, &v, helper(a), kind, path, date, f->class ? f->class : "", f->op ? f->op : "",
		  f->durable ? "durable" : "felt", f->every ? "every" : "newest", f->by_layout ? "layouts" : "classes", NULL);
	rc = job_run(&(struct job){ .argv = v.at, .input = input, .timeout_ms = MOST_MS }, &end, e);
	free(input);
	if (rc == 0 && file_read(path, MOST_FILE, out) < 0)
		rc = err_sys(e, "cannot read %s", path);
	unlink(path);
	return rc;
}

int report_pdf(struct arena *a, const json_t *results, const struct report_filter *f,
	       const char *date, struct sbuf *out, struct err *e)
{
	if (!report_has_pdf())
		return err_set(e, ERR_FAIL, "this naslab was built without cairo and writes no PDF; svg is "
			       "the same picture, and libcairo2-dev with another ./configure adds it");
	return run_helper(a, "pdf", results, f, date, out, e);
}

int report_xlsx(struct arena *a, const json_t *results, const struct report_filter *f,
		const char *date, struct sbuf *out, struct err *e)
{
	if (!report_has_xlsx())
		return err_set(e, ERR_FAIL, "this naslab was built without libxlsxwriter and writes no XLSX; "
			       "csv has the same numbers, and libxlsxwriter-dev with another ./configure "
			       "adds it");
	return run_helper(a, "xlsx", results, f, date, out, e);
}
