/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef REPORT_FILES_H
#define REPORT_FILES_H

#include "report/report.h"

/*
 * PDF and XLSX are written by naslab-report, a program of their own: cairo and
 * libxlsxwriter bring thirty shared libraries, and loading them cost every verb 5 ms of CPU.
 */
int pdf_write(const struct report_picture *p, size_t n, const char *date, struct sbuf *out,
	      struct err *e);
int xlsx_write(struct arena *a, const json_t *results, const struct report_filter *f,
	       const char *date, struct sbuf *out, struct err *e);

#endif
