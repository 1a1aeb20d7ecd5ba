/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * splice FROM TO - one file through a pipe, a megabyte at a time: the fastest way to copy a
 * file that the kernel offers between two file systems, and so the yardstick for ours.
 */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

enum { PIECE = 1 << 20 };

int main(int argc, char **argv)
{
	int from, to, ends[2];
	ssize_t in, out;

	if (argc != 3)
		return 2;
	from = open(argv[1], O_RDONLY | O_CLOEXEC);
	to = open(argv[2], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (from < 0 || to < 0 || pipe2(ends, O_CLOEXEC) < 0) {
		perror("splice");
		return 1;
	}
	fcntl(ends[0], F_SETPIPE_SZ, PIECE);
	while ((in = splice(from, NULL, ends[1], NULL, PIECE, SPLICE_F_MOVE)) > 0) {
		for (; in > 0; in -= out) {
			out = splice(ends[0], NULL, to, NULL, (size_t)in, SPLICE_F_MOVE);
			if (out <= 0) {
				perror("splice");
				return 1;
			}
		}
	}
	if (in < 0 || close(to) < 0) {
		perror("splice");
		return 1;
	}
	return 0;
}
