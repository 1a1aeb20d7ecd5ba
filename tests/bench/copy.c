/* SPDX-License-Identifier: GPL-2.0-or-later */
/* copy FROM TO [THREADS] - naslab's own copy, for comparing it with others. */
#include <stdio.h>
#include <stdlib.h>

#include "base/err.h"
#include "bench/copy.h"

int main(int argc, char **argv)
{
	struct copied sum;
	struct err e = { 0 };

	if (argc < 3)
		return 2;
	if (copy_path(argv[1], argv[2], argc > 3 ? (unsigned)atoi(argv[3]) : 1, &sum, &e) == 0)
		return 0;
	fprintf(stderr, "copy: %s\n", e.text);
	return 1;
}
