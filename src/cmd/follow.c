/* SPDX-License-Identifier: GPL-2.0-or-later */
/* follow - the executor's events as lines on a terminal, and the typed word. */
#include "cmd/follow.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "naslab.h"

static volatile sig_atomic_t asked;

static void on_interrupt(int sig)
{
	(void)sig;
	asked++;
}

static void print_step(const json_t *event)
{
	const char *state = json_str(event, "state");
	unsigned n = (unsigned)json_u64(event, "n", 0), of = (unsigned)json_u64(event, "of", 0);

	if (!state)
		return;
	if (!strcmp(state, "run")) {
		printf("%3u/%u ", n, of);
		print_safe(stdout, json_str(event, "why"));
		fputs(" ...", stdout);
	} else if (!strcmp(state, "done")) {
		printf(" done %.1f s\n", (double)json_u64(event, "ms", 0) / 1000);
	} else if (!strcmp(state, "undone")) {
		printf("%3u/%u taken back: ", n, of);
		print_safe(stdout, json_str(event, "why"));
		putchar('\n');
	} else {
		puts(" failed");
	}
	fflush(stdout);
}

/* One event as a person reads it; the exit status once it is the last one, else -1. */
static int print_event(const json_t *event)
{
	const char *kind = json_str(event, "event"), *text = json_str(event, "text");
	bool ok = json_is_true(json_object_get(event, "ok"));

	if (!kind)
		return -1;
	if (!strcmp(kind, "step"))
		print_step(event);
	if (strcmp(kind, "end"))
		return -1;
	fflush(stdout);
	if (!ok)
		fputs("naslab: ", stderr);
	print_safe(ok ? stdout : stderr, text);
	fputc('\n', ok ? stdout : stderr);
	return (int)json_u64(event, "exit", ok ? 0 : 1);
}

static void print_line(const json_t *event)
{
	char *line = json_line(event);

	puts(line);
	fflush(stdout);
	free(line);
}

/* Hand Ctrl-C on to the executor, once for every time it was pressed. */
static void pass_interrupts(struct executor *x, int *passed, bool as_json)
{
	while (*passed < asked) {
		executor_stop(x);
		if (!as_json)
			fputs(++*passed == 1 ? "\nstopping after this step, then taking it back; once more stops "
			      "the step too\n" : "\nstopping the step\n", stderr);
		else
			++*passed;
	}
}

int follow(const json_t *order, bool as_json)
{
	struct sigaction on = { .sa_handler = on_interrupt };
	struct executor x;
	struct err e = { 0 };
	json_t *event;
	int status = -1, passed = 0, rc;

	if (executor_start(order, true, &x, &e))
		return fail(&e);
	sigaction(SIGINT, &on, NULL);
	for (;;) {
		pass_interrupts(&x, &passed, as_json);
		if (!executor_wait(&x, 200))
			continue;
		rc = executor_next(&x, &event, &e);
		if (rc < 0)
			break;
		if (rc == 0)
			continue;
		if (as_json)
			print_line(event);
		rc = as_json && strcmp(json_str(event, "event") ? json_str(event, "event") : "", "end") ?
		     -1 : as_json ? (int)json_u64(event, "exit", 0) : print_event(event);
		if (rc >= 0)
			status = rc;
		json_decref(event);
	}
	executor_done(&x);
	signal(SIGINT, SIG_DFL);
	if (e.kind)
		return fail(&e);
	return status < 0 ? 1 : status;
}

int ask_name(const char *name, const char *question)
{
	char line[64] = "";
	FILE *tty = fopen("/dev/tty", "r+e");
	bool same;

	if (!tty)
		return usage_error("there is no terminal to ask on; --yes goes on without asking");
	fprintf(tty, "%s\nType the name of the build to go on: ", question);
	fflush(tty);
	same = fgets(line, sizeof(line), tty) && (line[strcspn(line, "\n")] = '\0', !strcmp(line, name));
	fclose(tty);
	if (same)
		return 0;
	fprintf(stderr, "naslab: that was not \"%s\"; nothing was done\n", name);
	return 1;
}

/* The state column: "syncing 38.2 %". */
static void print_state(const json_t *row)
{
	const json_t *percent = json_object_get(row, "sync_percent");

	const char *detail = json_str(row, "detail");

	print_safe(stdout, json_str(row, "state"));
	if (json_real_value(percent) > 0)
		printf(" %.1f %%", json_real_value(percent));
	else if (detail && strcmp(json_str(row, "state"), "ok"))
		printf(": %s", detail);	/* words of our own */
	putchar('\n');
}

static void print_row(const json_t *row, const char *what, const char *name, const char *planned,
		      const char *actual)
{
	uint64_t want = json_u64(row, planned, 0), is = json_u64(row, actual, 0);
	char a[SIZE_TEXT], b[SIZE_TEXT], cut[20];

	snprintf(cut, sizeof(cut), "%s", name ? name : "");
	printf("%-9.9s %-19s %22s ", what ? what : "", cut, size_text(a, want, SIZE_BYTES));
	if (!is)
		fputs("   absent  ", stdout);
	else if (want == is)
		fputs("= actual  ", stdout);
	else
		printf("is %s\n%53s", size_text(b, is, SIZE_BYTES), "");
	print_state(row);
}

void print_status(const json_t *status)
{
	const json_t *row;
	size_t i;

	printf("%s: ", json_str(status, "name"));
	print_safe(stdout, json_str(status, "recipe"));
	printf(" (%s)\n\n", json_str(status, "build"));
	printf("%-9s %-19s %22s %s\n", "layer", "name", "planned bytes", "          state");
	json_array_foreach(json_object_get(status, "layers"), i, row)
		print_row(row, json_str(row, "layer"), json_str(row, "name"), "bytes", "actual_bytes");
	json_array_foreach(json_object_get(status, "filesystems"), i, row) {
		if (json_object_get(row, "total_bytes"))
			print_row(row, json_str(row, "type"), json_str(row, "dir"), "total_bytes",
				  "actual_total_bytes");
	}
	json_array_foreach(json_object_get(status, "absent"), i, row) {
		fputs("not there: ", stdout);
		print_safe(stdout, json_string_value(row));
		putchar('\n');
	}
	if (build_is_down(status))
		printf("\nnaslab mount %s brings up what is missing\n", json_str(status, "name"));
	if (json_str(status, "times"))
		printf("\n%s", json_str(status, "times"));
	puts(json_is_true(json_object_get(status, "agrees")) ? "\npredicted = actual for every layer" :
	     "\npredicted and actual differ");
}

void catch_end(void (*handler)(int))
{
	struct sigaction sa = { .sa_handler = handler }, was;

	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	sigaction(SIGPIPE, &sa, NULL);	/* nobody reads: not 30 GB more for nobody */
	sigaction(SIGHUP, NULL, &was);
	if (was.sa_handler != SIG_IGN)
		sigaction(SIGHUP, &sa, NULL);
}
