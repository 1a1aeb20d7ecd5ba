/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ratios GOALS OURS BYTES [GOAL...] - rounds as lines "NAME wall-ns cpu-ns" become a table of
 * medians, and of what each one took against OURS in the same round, with the 95 % interval
 * of that ratio. A GOAL is PEER,wall|cpu,LEAST,WORDS: it is looked up in the table and a line
 * of it added to the file GOALS.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "bench/statistics.h"

enum { MOST_NAMES = 16, MOST_ROUNDS = 200, NAME = 24 };

enum what { WALL, CPU };

struct series {
	char name[NAME];
	double of[2][MOST_ROUNDS];
	size_t n;
};

struct ratio {
	double median, low, high;
};

static struct series all[MOST_NAMES];
static size_t n_all;

static struct series *find(const char *name)
{
	size_t i;

	for (i = 0; i < n_all; i++) {
		if (!strcmp(all[i].name, name))
			return &all[i];
	}
	return NULL;
}

static void take(const char *name, double wall, double cpu)
{
	struct series *s = find(name);

	if (!s) {
		if (n_all == MOST_NAMES)
			return;
		s = &all[n_all++];
		snprintf(s->name, sizeof(s->name), "%s", name);
	}
	if (s->n == MOST_ROUNDS)
		return;
	s->of[WALL][s->n] = wall;
	s->of[CPU][s->n++] = cpu;
}

/* Each round had both, so the ratio is taken round by round: what slowed one down slowed
 * the other down too. */
static struct ratio against(const struct series *peer, const struct series *ours, enum what what)
{
	double each[MOST_ROUNDS];
	size_t n = peer->n < ours->n ? peer->n : ours->n, i;
	struct ratio r;
	struct stats s;

	for (i = 0; i < n; i++)
		each[i] = peer->of[what][i] / ours->of[what][i];
	stats_of(each, n, &s);
	r.median = s.median;
	if (stats_median_interval(each, n, 0.95, &r.low, &r.high) <= 0) {
		r.low = s.min;
		r.high = s.max;
	}
	return r;
}

static void print(const struct series *s, const struct series *ours, double bytes)
{
	struct ratio r = against(s, ours, WALL);
	struct stats wall, cpu;

	stats_of(s->of[WALL], s->n, &wall);
	stats_of(s->of[CPU], s->n, &cpu);
	printf("  %-18s %8.1f ms %8.1f %8.1f", s->name, wall.median / 1e6, wall.min / 1e6,
	       wall.max / 1e6);
	if (bytes > 0)
		printf("  %6.3f", cpu.median / bytes);
	printf("   %.3f (%.3f to %.3f)\n", r.median, r.low, r.high);
}

/* One line of the goals: words, what was wanted, what was measured. */
static void goal(FILE *out, char *text, const struct series *ours)
{
	char *save = NULL, *peer = strtok_r(text, ",", &save);
	char *what = strtok_r(NULL, ",", &save), *least = strtok_r(NULL, ",", &save);
	char *words = strtok_r(NULL, "", &save);
	const struct series *s = peer ? find(peer) : NULL;
	struct ratio r;

	if (!words)
		return;
	if (!s) {
		fprintf(out, "%s\t>= %s\tnot run: there is no %s\n", words, least, peer);
		return;
	}
	r = against(s, ours, strcmp(what, "cpu") ? WALL : CPU);
	fprintf(out, "%s\t>= %s\t%.3f (%.3f to %.3f)\t%s\n", words, least, r.median, r.low, r.high,
		r.median >= strtod(least, NULL) ? "yes" : "no");
}

int main(int argc, char **argv)
{
	char name[NAME];
	const struct series *ours;
	double wall, cpu, bytes;
	FILE *goals;
	size_t i;
	int arg;

	if (argc < 4)
		return 2;
	while (scanf("%23s %lf %lf", name, &wall, &cpu) == 3)
		take(name, wall, cpu);
	ours = find(argv[2]);
	if (!ours) {
		fprintf(stderr, "ratios: there are no rounds of %s\n", argv[2]);
		return 1;
	}
	bytes = strtod(argv[3], NULL);
	printf("  %-18s %11s %8s %8s%s   time of it / time of %s (95 %%)\n", "", "median", "lowest",
	       "highest", bytes > 0 ? "  CPU s/GB" : "", ours->name);
	print(ours, ours, bytes);
	for (i = 0; i < n_all; i++) {
		if (&all[i] != ours)
			print(&all[i], ours, bytes);
	}
	goals = fopen(argv[1], "a");
	if (!goals) {
		perror(argv[1]);
		return 1;
	}
	for (arg = 4; arg < argc; arg++)
		goal(goals, argv[arg], ours);
	return fclose(goals) ? 1 : 0;
}
