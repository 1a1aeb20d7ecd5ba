/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * doc - prints the program's own tables as parts of the manual pages (mdoc), so that a
 * verb, an option or a layer cannot be missing there. Run by make.
 */
#include "cmd/cmd.h"

#include <stdio.h>
#include <string.h>

#include "naslab.h"
#include "ui/keys.h"

/* Is the blank at c behind a full stop, and not behind "..."? */
static bool ends_sentence(const char *s, const char *c)
{
	return c > s + 1 && strchr(".?!", c[-1]) && c[-2] != '.';
}

/* Text as mdoc: no request or escape in it, and a sentence begins on a line of its own. */
static void roff(const char *s)
{
	const char *c;

	if (*s == '.' || *s == '\'')
		fputs("\\&", stdout);
	for (c = s; *c; c++) {
		if (*c == '\\')
			fputs("\\e", stdout);
		else if (*c == '-')
			fputs("\\-", stdout);
		else if (*c == '\n')
			fputs(c[1] == '\n' ? "\n.Pp" : "\n", stdout);
		else if (*c == ' ' && ends_sentence(s, c))
			fputs(c[1] == '.' || c[1] == '\'' ? "\n\\&" : "\n", stdout);
		else
			putchar(*c);
	}
}

/* The same as a sentence of its own. */
static void sentence(const char *s)
{
	size_t len = strlen(s);

	if (!len)
		return;
	roff(s);
	puts(s[len - 1] == '.' ? "" : ".");
}

static void verb_options(const struct verb_option *o)
{
	if (!o || !o->name)
		return;
	puts(".Bl -tag -width Ds");
	for (; o->name; o++) {
		printf(".It Fl Fl %s", o->name);
		if (o->value) {
			fputs(" Ar ", stdout);
			roff(o->value);
		}
		putchar('\n');
		sentence(o->help);
		if (o->many)
			puts("May be repeated.");
	}
	puts(".El");
}

static void doc_verbs(void)
{
	const struct verb *const *v;

	for (v = verbs; *v; v++) {
		if ((*v)->hidden)
			continue;
		printf(".Ss naslab %s ", (*v)->name);
		roff((*v)->usage);
		putchar('\n');
		sentence((*v)->help);
		if ((*v)->about && strcmp((*v)->about, (*v)->help)) {
			puts(".Pp");
			sentence((*v)->about);
		}
		verb_options((*v)->options);
	}
}

static const char *option_range(const struct option *o, struct sbuf *b)
{
	char low[SIZE_TEXT], high[SIZE_TEXT];

	sbuf_clear(b);
	switch (o->type) {
	case OPTION_WORD:
		sbuf_addf(b, "One of: %s.", o->words ? o->words : "");
		break;
	case OPTION_SIZE:
		if (o->max)
			sbuf_addf(b, "A size from %s to %s", size_option_text(low, o->min),
				  size_option_text(high, o->max));
		if (o->max && o->percent)
			sbuf_addf(b, ", or a percentage up to %u%%", o->percent);
		if (o->max)
			sbuf_addc(b, '.');
		break;
	case OPTION_COUNT:
		if (o->max)
			sbuf_addf(b, "A number from %llu to %llu.", (unsigned long long)o->min,
				  (unsigned long long)o->max);
		break;
	case OPTION_YESNO:
		sbuf_add(b, "Yes or no.");
		break;
	case OPTION_FOLDER:
		sbuf_add(b, "The name of one folder.");
		break;
	case OPTION_MOUNT:
		sbuf_add(b, "A list of mount options, separated by commas.");
		break;
	}
	return sbuf_str(b);
}

static void words_of(const char *title, const char *const *words)
{
	if (!words || !*words)
		return;
	printf("%s:", title);
	for (; *words; words++) {
		if (words[1] && !strcmp(words[0], words[1]))
			continue;	/* two tools of one package */
		putchar(' ');
		roff(*words);
	}
	puts(".");
}

static void doc_layers(void)
{
	static const char *const kinds[] = {
		[LAYER_DIVIDE] = "divides: one group becomes several",
		[LAYER_MAP] = "maps: each device becomes one device, groups stay",
		[LAYER_JOIN] = "joins: each group becomes one device",
	};
	struct sbuf b = { 0 };
	size_t i;

	for (i = 0; layers[i]; i++) {
		const struct layer *l = layers[i];
		const struct option *o;

		printf(".Ss %s \\(em ", l->name);
		roff(l->title);
		putchar('\n');
		sentence(l->about);
		printf("It %s.\n", kinds[l->kind]);
		printf("Takes %s, gives %s.\n",
		       l->takes == THING_DIR ? "directories" : "block devices",
		       l->gives == THING_DIR ? "a directory" : "block devices");
		words_of("Debian packages", l->packages);
		if (!l->options || !l->options->name)
			continue;
		puts(".Bl -tag -width Ds");
		for (o = l->options; o->name; o++) {
			printf(".It Cm %s Ns =\n", o->name);
			sentence(o->help);
			sentence(option_range(o, &b));
			if (o->def) {
				fputs("Default: ", stdout);
				roff(o->def);
				puts(".");
			}
		}
		puts(".El");
	}
	sbuf_done(&b);
}

static void doc_suite(void)
{
	const char *word, *value, *help;
	size_t i;

	puts(".Bl -tag -width Ds");
	for (i = 0; suite_statement(i, &word, &value, &help); i++) {
		printf(".It Ic %s Ar %s\n", word, value);
		sentence(help);
	}
	puts(".El");
}

static void doc_campaign(void)
{
	const char *word, *value, *help;
	size_t i;

	puts(".Bl -tag -width Ds");
	for (i = 0; campaign_statement(i, &word, &value, &help); i++) {
		printf(".It Ic %s Ar %s\n", word, value);
		sentence(help);
	}
	puts(".El");
}

static void doc_keys(void)
{
	struct sbuf b = { 0 };

	keys_print(&b, 1);
	fputs(sbuf_str(&b), stdout);
	sbuf_done(&b);
}

static void doc_operations(void)
{
	int op;

	puts(".Bl -tag -width Ds");
	for (op = 0; op < BENCH_OPS; op++) {
		enum bench_op o = (enum bench_op)op;

		printf(".It Cm %s", bench_op_word(o));
		if (bench_op_takes_number(o))
			fputs(" : Ns Ar N", stdout);
		if (bench_op_also(o))
			printf(" , %s", bench_op_also(o));
		putchar('\n');
		sentence(bench_op_help(o));
	}
	puts(".El");
}

/* The words of one statement, as an own list; behind them go the operations. */
static void doc_words(const char *stmt)
{
	const struct workload_word *w;
	bool any = false;
	size_t i;

	for (i = 0; (w = workload_word(i)); i++) {
		if (!w->key || strcmp(w->stmt, stmt))
			continue;
		if (!any)
			puts(".Bl -tag -width Ds");
		any = true;
		printf(".It Ic %s Ns = Ns Ar %s\n", w->key, w->value);
		sentence(w->help);
	}
	if (any)
		puts(".El");
	if (!strcmp(stmt, "op"))
		doc_operations();
}

/* "cold|warm" as mdoc wants its words. */
static void doc_choice(const char *value)
{
	const char *c;

	for (c = value; *c; c++)
		fputs(*c == '|' ? " | " : (char [2]){ *c, '\0' }, stdout);
}

static void doc_workload(void)
{
	const struct workload_word *w;
	size_t i;

	puts(".Bl -tag -width Ds");
	for (i = 0; (w = workload_word(i)); i++) {
		if (w->key)
			continue;
		printf(".It Ic %s", w->stmt);
		if (w->value) {
			fputs(strchr(w->value, '|') ? " Cm " : " Ar ", stdout);
			doc_choice(w->value);
		}
		putchar('\n');
		sentence(w->help);
		doc_words(w->stmt);
	}
	puts(".El");
}

static const struct {
	const char *name;
	void (*print)(void);
} parts[] = {
	{ "verbs", doc_verbs },
	{ "layers", doc_layers },
	{ "keys", doc_keys },
	{ "workload", doc_workload },
	{ "suite", doc_suite },
	{ "campaign", doc_campaign },
};

static int run(int argc, char **argv)
{
	size_t i;

	for (i = 0; argc == 1 && i < sizeof(parts) / sizeof(parts[0]); i++) {
		if (!strcmp(argv[0], parts[i].name)) {
			parts[i].print();
			return 0;
		}
	}
	return usage_error("which part: verbs, layers, keys, workload, suite or campaign?");
}

const struct verb verb_doc = {
	.name = "doc",
	.usage = "verbs|layers|keys|workload|suite|campaign",
	.help = "the tables of the manual pages",
	.hidden = true,
	.run = run,
};
