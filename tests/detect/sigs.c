/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sigs FILE - what sig_read() recognises on a device or an image: "offset type" a line. */
#include <inttypes.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/err.h"
#include "disk/disk.h"

int main(int argc, char **argv)
{
	struct arena *a = arena_new();
	struct err e = { 0 };
	struct sig *sigs;
	size_t i, n;

	if (argc != 2)
		return 2;
	if (sig_read(a, argv[1], &sigs, &n, &e)) {
		printf("%s\n", e.text);
		arena_free(a);
		return 1;
	}
	for (i = 0; i < n; i++)
		printf("%" PRIu64 " %s\n", sigs[i].offset, sigs[i].type);
	arena_free(a);
	return 0;
}
