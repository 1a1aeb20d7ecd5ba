/* SPDX-License-Identifier: GPL-2.0-or-later */
/* naslab - the program: finds the verb, reads its options, runs it. */
#include "cmd/cmd.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "naslab.h"

enum { MOST_OPTIONS = 256 };

static const struct verb *running;
static struct given {
	const struct verb_option *option;
	const char *value;
} given[MOST_OPTIONS];
static size_t n_given;

static const struct verb_option everywhere[] = {
	{ .name = "help", .help = "what this verb does" },
	{ .name = "db", .value = "FILE", .help = "the database ($NASLAB_DB)" },
	{ .name = NULL }
};

const char *option_at(const char *name, size_t i)
{
	size_t k;

	for (k = 0; k < n_given; k++) {
		if (!strcmp(given[k].option->name, name) && i-- == 0)
			return given[k].value;
	}
	return NULL;
}

const char *option(const char *name)
{
	return option_at(name, 0);
}

size_t option_count(const char *name)
{
	size_t n = 0;

	while (option_at(name, n))
		n++;
	return n;
}

void print_safe(FILE *to, const char *text)
{
	struct sbuf safe = { 0 };

	sbuf_add_safe(&safe, text ? text : "");
	fputs(sbuf_str(&safe), to);
	sbuf_done(&safe);
}

int fail(const struct err *e)
{
	fputs("naslab: ", stderr);
	print_safe(stderr, e->text);
	fputc('\n', stderr);
	return e->kind ? (int)e->kind : 1;
}

int usage_error(const char *fmt, ...)
{
	struct sbuf text = { 0 };
	va_list ap;

	fprintf(stderr, "naslab%s%s: ", running ? " " : "", running ? running->name : "");
	va_start(ap, fmt);
	sbuf_vaddf(&text, fmt, ap);
	va_end(ap);
	print_safe(stderr, sbuf_str(&text));
	fputc('\n', stderr);
	sbuf_done(&text);
	return 2;
}

void print_wrapped(const char *text, unsigned indent)
{
	struct sbuf out = { 0 };

	sbuf_add_wrapped(&out, text, indent, 79);
	puts(sbuf_str(&out));
	sbuf_done(&out);
}

static void print_options(const struct verb_option *o)
{
	for (; o && o->name; o++) {
		struct sbuf help = { 0 };
		char left[48];

		snprintf(left, sizeof(left), "--%s%s%s", o->name, o->value ? " " : "",
			 o->value ? o->value : "");
		printf("  %-22s ", left);
		sbuf_addf(&help, "%s%s", o->help, o->many ? " (may be repeated)" : "");
		print_wrapped(sbuf_str(&help), 25);
		sbuf_done(&help);
	}
}

static int help_verb(const struct verb *v)
{
	printf("naslab %s%s%s\n\n", v->name, *v->usage ? " " : "", v->usage);
	print_wrapped(v->about ? v->about : v->help, 0);
	putchar('\n');
	print_options(v->options);
	print_options(everywhere);
	return 0;
}

static int help_all(void)
{
	const struct verb *const *v;

	puts("naslab - a storage-layout lab: see the disks, compose a layout, know its exact\n"
	     "size, rehearse it on a real kernel, build it, measure it.\n\n"
	     "naslab                 the screens\n"
	     "naslab VERB --help     more about one verb\n");
	for (v = verbs; *v; v++) {
		if (!(*v)->hidden)
			printf("  %-10s %s\n", (*v)->name, (*v)->help);
	}
	puts("\nExit status: 0 done, 1 failed, 2 wrong usage, 3 refused for safety.");
	return 0;
}

static const struct verb *verb_find(const char *name)
{
	const struct verb *const *v;

	for (v = verbs; *v; v++) {
		if (!strcmp((*v)->name, name))
			return *v;
	}
	return NULL;
}

static int unknown_verb(const char *name)
{
	const char *words[64];
	const char *near;
	size_t n = 0;

	for (; n < 64 && verbs[n]; n++)
		words[n] = verbs[n]->name;
	near = nearest_word(name, words, n);
	if (near)
		return usage_error("there is no verb \"%s\"; did you mean \"%s\"?", name, near);
	return usage_error("there is no verb \"%s\"; naslab --help lists them", name);
}

static const struct verb_option *row_find(const struct verb_option *o, const char *name, size_t len)
{
	for (; o && o->name; o++) {
		if (strlen(o->name) == len && !strncmp(o->name, name, len))
			return o;
	}
	return NULL;
}

static int unknown_option(const struct verb *v, const char *name)
{
	const struct verb_option *o;
	const char *words[64];
	const char *near;
	size_t n = 0;

	for (o = v->options; o && o->name && n < 60; o++)
		words[n++] = o->name;
	for (o = everywhere; o->name; o++)
		words[n++] = o->name;
	near = nearest_word(name, words, n);
	if (near)
		return usage_error("there is no option --%s; did you mean --%s?", name, near);
	return usage_error("there is no option --%s; naslab %s --help lists them", name, v->name);
}

/* Sort argv into given[] and the words that are left. -1: go on; else an exit status. */
static int read_options(const struct verb *v, int argc, char **argv, char **words, int *n_words)
{
	int i;

	for (i = 0; i < argc; i++) {
		const char *name = argv[i] + 2;
		size_t len = strcspn(argv[i][0] ? name : "", "=");
		const struct verb_option *o;
		const char *value = "";

		if (!strcmp(argv[i], "--")) {
			for (i++; i < argc; i++)
				words[(*n_words)++] = argv[i];
			break;
		}
		if (!strcmp(argv[i], "-h"))
			return help_verb(v);
		if (strncmp(argv[i], "--", 2)) {
			if (argv[i][0] == '-' && argv[i][1])
				return usage_error("options are written with two dashes, not \"%s\"",
						   argv[i]);
			if (v->rest) {
				for (; i < argc; i++)
					words[(*n_words)++] = argv[i];
				break;
			}
			words[(*n_words)++] = argv[i];
			continue;
		}
		o = row_find(v->options, name, len);
		if (!o)
			o = row_find(everywhere, name, len);
		if (!o)
			return unknown_option(v, name);
		if (o->value) {
			if (name[len] == '=')
				value = name + len + 1;
			else if (i + 1 < argc)
				value = argv[++i];
			else
				return usage_error("--%s wants %s behind it", o->name, o->value);
		} else if (name[len]) {
			return usage_error("--%s takes no value", o->name);
		}
		if (!o->many && option(o->name))
			return usage_error("--%s was given twice", o->name);
		if (n_given == MOST_OPTIONS)
			return usage_error("more than %d options", MOST_OPTIONS);
		given[n_given++] = (struct given){ .option = o, .value = value };
	}
	words[*n_words] = NULL;
	return -1;
}

/*
 * Whoever started us may have closed standard files: the next file opened, a disk, would be
 * taken for one of them and what is printed would be written there. Output into such a
 * stand-in fails, and is said.
 */
static void standard_files(void)
{
	static const int how[] = { O_RDONLY, O_RDONLY, O_RDWR };
	int fd;

	for (fd = 0; fd < 3; fd++) {
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", how[fd]) != fd)
			exit(1);
	}
}

/*
 * A script or a table of which a part is missing must not look like a whole one. Who read a
 * pipe or sat at a terminal may leave: work goes on then, and is no failure.
 */
static int finish(int rc)
{
	bool lost = ferror(stdout);
	struct stat st;
	int why;

	errno = 0;
	lost |= fflush(stdout) != 0;
	why = errno;
	if (!lost || isatty(STDOUT_FILENO) || (fstat(STDOUT_FILENO, &st) == 0 &&
					       (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode))))
		return rc;
	fprintf(stderr, "naslab: standard output cannot be written%s%s\n", why ? ": " : "",
		why ? strerror(why) : "");
	return rc ? rc : 1;
}

static int run(int argc, char **argv)
{
	char **words;
	int n_words = 0, first = 2, rc;

	if (argc < 2) {
		running = verb_find("tui");
		return running ? running->run(0, argv + argc) : help_all();
	}
	if (!strcmp(argv[1], "help") && argc == 3) {
		running = verb_find(argv[2]);
		return running ? help_verb(running) : unknown_verb(argv[2]);
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help"))
		return help_all();
	if (!strcmp(argv[1], "--version")) {
		puts("naslab " VERSION);
		return 0;
	}
	if (!strncmp(argv[1], "--", 2)) {	/* naslab --ascii: options of the screens */
		running = verb_find("tui");
		first = 1;
	} else {
		running = verb_find(argv[1]);
	}
	if (!running)
		return unknown_verb(argv[1]);
	words = calloc((size_t)argc + 1, sizeof(*words));
	if (!words)
		die("no memory");
	rc = read_options(running, argc - first, argv + first, words, &n_words);
	if (rc < 0)
		rc = option("help") ? help_verb(running) : running->run(n_words, words);
	free(words);
	return rc;
}

/*
 * What one look at the machine took from the kernel is kept for the next: to give it back
 * and fault it in again was two fifths of the page faults of a build, and a fault is dear
 * in the sandbox.
 */
static void keep_memory(void)
{
	mallopt(M_MMAP_THRESHOLD, 32 << 20);
	mallopt(M_TRIM_THRESHOLD, 64 << 20);
	mallopt(M_TOP_PAD, 1 << 20);
}

int main(int argc, char **argv)
{
	standard_files();
	keep_memory();
	return finish(run(argc, argv));
}
