/* SPDX-License-Identifier: GPL-2.0-or-later */
/* campaign-show - the grid of a campaign's cells, and a line that says what goes on. */
#include "cmd/campaign.h"
#include "cmd/cmd.h"

#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { PATIENCE_MS = 500 };
enum { LEAST_LABEL = 12, MOST_LABEL = 56, LEAST = 12 };

void campaign_show_init(struct campaign_show *s, const struct campaign *c,
			const struct list *cells, bool json)
{
	struct winsize w;

	*s = (struct campaign_show){ .c = c, .cells = cells, .json = json,
				     .tty = !json && isatty(STDOUT_FILENO) };
	s->columns = ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_col ? w.ws_col : 80;
}

void campaign_summary(const struct campaign *c, const struct list *cells, bool begun)
{
	char wr[SIZE_TEXT], rd[SIZE_TEXT], time[SIZE_TEXT];
	struct campaign_forecast f;

	campaign_forecast(c, cells, &f);
	printf("%s: %zu layouts x %zu workloads x %u %s, %zu cells; %s %u cells on %u builds\n",
	       c->name, c->variants.n, c->workloads.n, c->rounds, c->rounds == 1 ? "round" : "rounds",
	       cells->n, begun ? "goes on with" : "to do:", f.cells, f.builds);
	printf("%u repetitions, scale %g, cache before reading: %s\n", c->reps, c->scale,
	       c->cache == CACHE_OWN ? "as each says" : cache_word(c->cache));
	if (!f.cells)
		puts(begun ? "nothing is left to do" : "nothing of it is possible on these disks");
	else
		printf("will write %s and read %s of files; about %s, %s\n",
		       size_text(wr, f.write_bytes, SIZE_SI), size_text(rd, f.read_bytes, SIZE_SI),
		       duration_text(time, f.ns), f.measured ? "as the finished cells took" :
		       "a guess until the first layout is measured");
	if (c->ram)
		printf("memory for engine and page cache: %s\n", size_text(wr, c->ram, SIZE_IEC));
	if (c->no_wait)
		puts("waits for no sync: what is measured during one is flagged");
	if (c->within > 0)
		printf("and more, up to %u of each, until the interval of the median is within %g %%\n",
		       c->most, 100 * c->within);
	if (c->engine == ENGINE_RSYNC)
		puts("copied by rsync -a -W --inplace, from and to memory");
	if (c->reps < 6)
		puts("n: fewer than 6 runs, so lowest to highest is no 95 % interval");
	fflush(stdout);
}

/* Any flag of a result but "few". */
static bool flagged(const json_t *result, bool *few)
{
	const json_t *flag;
	bool other = false;
	size_t i;

	json_array_foreach(json_object_get(result, "flags"), i, flag) {
		if (!strcmp(json_string_value(flag) ? json_string_value(flag) : "", "few"))
			*few = true;
		else
			other = true;
	}
	return other;
}

/* The medians of a cell's operations: "118/140". */
static void add_medians(struct sbuf *out, const struct campaign_cell *cell)
{
	json_t *results = cell->results ? json_loads(cell->results, 0, NULL) : NULL, *result;
	bool few = false, other = false;
	struct sbuf numbers = { 0 };
	char number[SIZE_TEXT];
	size_t i;

	json_array_foreach(results, i, result) {
		other |= flagged(result, &few);
		sbuf_addf(&numbers, "%s%s", i ? "/" : "",
			  bench_rate_text(number, bench_unit(result), bench_rate(result, "median", false)));
	}
	sbuf_addf(out, "%s%s%s", other ? "D" : "", few ? "n" : "", numbers.len ? numbers.text : "done");
	json_decref(results);
	sbuf_done(&numbers);
}

static void add_cell(struct sbuf *out, const struct campaign_cell *cell)
{
	static const char *const signs[] = {
		[CELL_WAITING] = ".", [CELL_RUNNING] = ">>", [CELL_FAILED] = "!",
		[CELL_IMPOSSIBLE] = "-",
	};

	if (cell->state == CELL_DONE)
		add_medians(out, cell);
	else
		sbuf_add(out, signs[cell->state]);
}

static int width_of(const struct workload *w)
{
	int len = (int)strlen(w->name);

	return (len < LEAST ? LEAST : len) + 1;
}

static size_t width_of_labels(const struct campaign *c)
{
	size_t i, width = LEAST_LABEL;

	for (i = 0; i < c->variants.n; i++) {
		size_t cells = text_cells(((const struct variant *)c->variants.at[i])->label);

		width = cells > width ? cells : width;
	}
	return (width > MOST_LABEL ? MOST_LABEL : width) + 1;
}

static void put_label(const struct variant *v, size_t width)
{
	struct arena *a = arena_new();
	struct sbuf safe = { 0 }, column = { 0 };

	sbuf_add_safe(&safe, campaign_label(a, v->label, v->options, width - 1));
	sbuf_add_padded(&column, sbuf_str(&safe), width);
	fputs(column.text, stdout);
	sbuf_done(&safe);
	sbuf_done(&column);
	arena_free(a);
}

static void put_row(const struct campaign *c, const struct list *cells, const struct variant *v)
{
	size_t i;

	put_label(v, width_of_labels(c));
	for (i = 0; i < c->workloads.n; i++) {
		const struct workload *w = c->workloads.at[i];
		const struct campaign_cell *cell = campaign_cell_at(cells, v->layout, v->ram,
									    w->name);
		struct sbuf text = { 0 };

		if (cell)
			add_cell(&text, cell);
		printf("%*s", width_of(w), sbuf_str(&text));
		sbuf_done(&text);
	}
	putchar('\n');
}

/* Every reason once, with the layout where it stood first and how often. */
static void put_reasons(const struct list *cells, enum cell_state state)
{
	size_t i, k;

	for (i = 0; i < cells->n; i++) {
		const struct campaign_cell *c = cells->at[i];
		size_t same = 0;
		struct sbuf safe = { 0 };

		if (c->state != state || !c->reason)
			continue;
		for (k = 0; k < cells->n; k++) {
			const struct campaign_cell *other = cells->at[k];

			if (other->state != state || !other->reason || strcmp(other->reason, c->reason) != 0)
				continue;
			if (k < i)
				break;
			same++;
		}
		if (k < i)
			continue;
		sbuf_addf(&safe, "%s %s, %s: ", state == CELL_FAILED ? "!" : "-", c->label, c->workload);
		sbuf_add_safe(&safe, c->reason);
		if (same > 1)
			sbuf_addf(&safe, " (%zu cells)", same);
		puts(safe.text);
		sbuf_done(&safe);
	}
}

void campaign_grid(const struct campaign *c, const struct list *cells)
{
	size_t i;

	printf("\n%-*s", (int)width_of_labels(c), "layout");
	for (i = 0; i < c->workloads.n; i++) {
		const struct workload *w = c->workloads.at[i];

		printf("%*s", width_of(w), w->name);
	}
	printf("  MB/s%s\n", c->write && c->read ? ", write/read" : "");
	for (i = 0; i < c->variants.n; i++)
		put_row(c, cells, c->variants.at[i]);
	puts("\n. waiting  >> running  ! failed  - not possible  n fewer than 6 runs  D flagged");
	put_reasons(cells, CELL_FAILED);
	put_reasons(cells, CELL_IMPOSSIBLE);
	fflush(stdout);
}

/* The whole picture again, from the top of the screen. */
static void draw(const struct campaign_show *s)
{
	char left[SIZE_TEXT];
	size_t i, ended = 0;

	for (i = 0; i < s->cells->n; i++) {
		const struct campaign_cell *c = s->cells->at[i];

		ended += c->state != CELL_WAITING && c->state != CELL_RUNNING;
	}
	printf("\033[H\033[JCampaign: %s, %zu layouts x %zu workloads, %zu %%", s->c->name,
	       s->c->variants.n, s->c->workloads.n, s->cells->n ? 100 * ended / s->cells->n : 100);
	if (s->left_ns)
		printf(", about %s left", duration_text(left, s->left_ns));
	putchar('\n');
	campaign_grid(s->c, s->cells);
	putchar('\n');
}

/* The line that is written over itself. */
static void put_status(const struct campaign_show *s, const char *text)
{
	struct sbuf safe = { 0 };

	sbuf_add_safe(&safe, text);
	printf("\r%.*s\033[K", (int)text_fit(sbuf_str(&safe), s->columns - 1), sbuf_str(&safe));
	fflush(stdout);
	sbuf_done(&safe);
}

static void status_of(const struct campaign_show *s, const json_t *j, const char *kind)
{
	const char *why = json_str(j, "why"), *text = json_str(j, "text");
	const char *workload = json_str(j, "workload"), *op = json_str(j, "op");
	char got[SIZE_TEXT], all[SIZE_TEXT];
	struct sbuf line = { 0 };

	if (!strcmp(kind, "step"))
		sbuf_addf(&line, "step %" PRIu64 "/%" PRIu64 " %s", json_u64(j, "n", 0),
			  json_u64(j, "of", 0), why ? why : "");
	else if (!strcmp(kind, "sample"))
		sbuf_addf(&line, "%s %s, run %" PRIu64 "/%" PRIu64 ", %s of %s",
			  workload ? workload : "", op ? op : "", json_u64(j, "rep", 0),
			  json_u64(j, "of", 0), size_text(got, json_u64(j, "bytes", 0), SIZE_SI),
			  size_text(all, json_u64(j, "total_bytes", 0), SIZE_SI));
	else if (!strcmp(kind, "phase") || !strcmp(kind, "wait"))
		sbuf_addf(&line, "%s", text ? text : "");
	if (line.len)
		put_status(s, line.text);
	sbuf_done(&line);
}

/* A cell that came to its end, as a line for a log. */
static void put_cell(const struct campaign_show *s, const json_t *j)
{
	const char *state = json_str(j, "state"), *reason = json_str(j, "reason");
	struct sbuf line = { 0 };

	if (!state || !strcmp(state, "running") || !strcmp(state, "waiting"))
		return;
	sbuf_addf(&line, "%" PRIu64 "/%" PRIu64 " ", json_u64(j, "done", 0), json_u64(j, "cells", 0));
	sbuf_add_safe(&line, json_str(j, "label"));
	sbuf_addf(&line, ", %s: %s", json_str(j, "workload"), state);
	if (reason) {
		sbuf_add(&line, ": ");
		sbuf_add_safe(&line, reason);
	}
	puts(line.text);
	fflush(stdout);
	sbuf_done(&line);
	(void)s;
}

/* A line of JSON. Unattended, nobody that reads slowly may hold the campaign up for long: what
 * does not fit into the pipe is dropped, the database has it. */
void campaign_put(const json_t *event)
{
	struct pollfd p = { .fd = STDOUT_FILENO, .events = POLLOUT };
	const char *kind = json_str(event, "event");
	int wait_ms = kind && !strcmp(kind, "sample") ? 0 : PATIENCE_MS;
	char *line = json_line(event);

	if (!option("unattended") || (strlen(line) < PIPE_BUF && poll(&p, 1, wait_ms) == 1 &&
				      (p.revents & POLLOUT))) {
		puts(line);
		fflush(stdout);
	}
	free(line);
}

void campaign_event(void *show, const json_t *event)
{
	struct campaign_show *s = show;
	const char *kind = json_str(event, "event");

	if (s->json) {
		campaign_put(event);
		return;
	}
	if (!kind)
		return;
	if (!strcmp(kind, "cell"))
		s->left_ns = json_u64(event, "left_ns", s->left_ns);
	if (s->tty && !strcmp(kind, "cell"))
		draw(s);
	else if (s->tty)
		status_of(s, event, kind);
	else if (!strcmp(kind, "cell"))
		put_cell(s, event);
}

void campaign_show_end(struct campaign_show *s)
{
	if (s->tty)
		fputs("\033[H\033[J", stdout);
}
