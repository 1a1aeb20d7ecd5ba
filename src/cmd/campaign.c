/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The verb campaign: what a campaign will do, the question, and the work. */
#include "cmd/cmd.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "cmd/campaign.h"
#include "cmd/follow.h"
#include "naslab.h"

static volatile sig_atomic_t wants_end;

static void on_signal(int sig)
{
	(void)sig;
	wants_end = 1;
}

/* With --unattended a line "stop" on standard input is a signal too: a screen of another user
 * than root has no other way. */
static bool stopped(void *arg)
{
	struct pollfd p = { .fd = STDIN_FILENO, .events = POLLIN };
	char buf[16];

	(void)arg;
	if (option("unattended") && !wants_end && poll(&p, 1, 0) == 1 && (p.revents & POLLIN) &&
	    read(STDIN_FILENO, buf, sizeof(buf)) >= 4 && !memcmp(buf, "stop", 4))
		wants_end = 1;
	return wants_end;
}

/* Everything on the way from a file to its cells. */
struct made {
	struct arena *a;
	struct campaign *c;
	struct inventory *inv;
	struct pick *picks;
	size_t n_picks;
	struct store *st;
	struct stored_campaign row;	/* id 0: new */
	struct list cells;
	int lock;
};

/* The values of an option, NULL-terminated. */
static const char **option_words(struct arena *a, const char *name)
{
	size_t i, n = option_count(name);
	const char **words = arena_array(a, n + 1, sizeof(*words));

	for (i = 0; i < n; i++)
		words[i] = option_at(name, i);
	return words;
}

/* The words of a list, NULL-terminated. */
static const char **list_words(struct arena *a, const struct list *list)
{
	const char **words = arena_array(a, list->n + 1, sizeof(*words));
	size_t i;

	for (i = 0; i < list->n; i++)
		words[i] = list->at[i];
	return words;
}

static bool all_virtual(const char *const *words)
{
	for (; *words; words++) {
		if (!disk_spec_is_virtual(*words))
			return false;
	}
	return true;
}

/* The disks the words name; those of the command line stand for those of the file. */
static int take_disks(struct made *m, char **argv, struct err *e)
{
	const char *const *words = (const char *const *)argv + 1;
	const char **cache = option_words(m->a, "cache");

	if (!*words) {
		words = list_words(m->a, &m->c->disks);
		if (!*cache)
			cache = list_words(m->a, &m->c->cache_disks);
	}
	if (!*words)
		return err_set(e, ERR_USAGE, "it wants disks: a line \"disks DISK...\" in %.120s, or words "
			       "after the file", m->c->from);
	if (all_virtual(words) && all_virtual(cache))
		m->inv = inventory_new();
	else if (inventory_read("", &m->inv, e))
		return -1;
	return picks_from_words(m->inv, words, cache, m->a, &m->picks, &m->n_picks, e);
}

/* Cells of the database when it knows this campaign; 0 it does, 1 it does not. */
static int find_row(struct made *m, struct err *e)
{
	int rc = store_campaign_find(m->st, m->c->name, m->a, &m->row, e);

	if (rc)
		return rc;
	if (option("again")) {
		m->row = (struct stored_campaign){ 0 };
		return 1;
	}
	if (strcmp(m->row.text, campaign_text(m->c, m->a)) != 0)
		return err_set(e, ERR_USAGE, "the campaign %s in the database was begun with other layouts, "
			       "workloads or numbers; give this one another name, or begin anew with "
			       "--again", m->c->name);
	return store_cells(m->st, m->row.id, m->a, &m->cells, e) ||
	       store_cells_kept(m->st, m->row.id, &m->cells, e) ? -1 : 0;
}

/* A campaign that is begun now: its cells, from the disks as they are. */
static int make_cells(struct made *m, char **argv, struct err *e)
{
	size_t i;
	bool real = false;

	if (take_disks(m, argv, e))
		return -1;
	for (i = 0; i < m->n_picks; i++)
		real |= !m->picks[i].disk->is_virtual;
	campaign_check(m->c, m->picks, m->n_picks, real);
	campaign_cells(m->c, m->a, &m->cells);
	return 0;
}

/* Before a new campaign: is the name free, and may these disks be written? */
static int guard_new(struct made *m, char **wipe, struct err *e)
{
	struct build b;
	int rc = store_build_find(m->st, m->c->name, m->a, &b, e);

	if (rc < 0)
		return -1;
	if (rc == 0 && b.state != BUILD_FAILED)
		return err_set(e, ERR_REFUSED, "there is a build named %s already; destroy it first or give "
			       "the campaign another name", m->c->name);
	return campaign_guard(m->c, m->picks, m->n_picks, m->inv, wipe, e);
}

/* Failed cells wait again, with --retry. */
static int retry(struct made *m, struct err *e)
{
	size_t i;

	for (i = 0; option("retry") && i < m->cells.n; i++) {
		struct campaign_cell *c = m->cells.at[i];

		if (c->state == CELL_FAILED && store_cells_set(m->st, &c, 1, CELL_WAITING, NULL, e))
			return -1;
	}
	return 0;
}

/* One naslab a file: two would take each other's builds down. */
static int lock_file(struct made *m, const char *path, struct err *e)
{
	m->lock = open(path, O_RDONLY | O_CLOEXEC);
	if (m->lock < 0)	/* it goes on from the database, whose row is claimed */
		return 0;
	if (flock(m->lock, LOCK_EX | LOCK_NB))
		return err_set(e, ERR_REFUSED, "the campaign %.200s is being run by another naslab", path);
	return 0;
}

static char *question(const struct made *m)
{
	struct sbuf text = { 0 };
	char *copy;
	size_t i;

	sbuf_add(&text, "Everything on these disks is lost, again and again until the campaign's end:");
	for (i = 0; i < m->n_picks; i++) {
		const struct disk *d = m->picks[i].disk;

		sbuf_addf(&text, "\n  %s ", d->path);
		sbuf_add_safe(&text, d->model ? d->model : "");
		sbuf_addc(&text, ' ');
		sbuf_add_safe(&text, d->serial ? d->serial : "");
	}
	copy = arena_strdup(m->a, sbuf_str(&text));
	sbuf_done(&text);
	return copy;
}

/* The row is ours, committed before anything is written elsewhere. */
static int begin(struct made *m, struct err *e)
{
	int rc;

	if (m->row.id) {
		rc = store_campaign_claim(m->st, &m->row, getpid(), campaign_boot(m->a), e);
		return rc != 1 ? rc : err_set(e, ERR_REFUSED, "the campaign %s is being run by another "
					      "naslab", m->c->name);
	}
	m->row = (struct stored_campaign){
		.name = m->c->name, .text = campaign_text(m->c, m->a), .source = m->c->source,
		.disks = campaign_disks_json(m->picks, m->n_picks, m->a),
		.pid = getpid(), .boot = campaign_boot(m->a),
	};
	return store_campaign_add(m->st, &m->row, &m->cells, e);
}

static void put_line(json_t *j)
{
	campaign_put(j);
	json_decref(j);
}

/* Nobody has to look: a terminal or a screen may go. */
static void leave_terminal(void)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };

	setsid();
	sigaction(SIGHUP, &ignore, NULL);
	sigaction(SIGPIPE, &ignore, NULL);
}

/* The table that the file asks for. */
static void print_table(const struct made *m)
{
	struct sbuf text = { 0 };

	if (m->c->table_rows)
		campaign_table(m->c, &m->cells, m->c->table_rows, m->c->table_columns, &text);
	fputs(sbuf_str(&text), stdout);
	sbuf_done(&text);
}

/* The last event, or the last words; returns the exit status. */
static int end(struct made *m, int rc, const struct err *e)
{
	json_t *j;

	if (!option("json")) {
		campaign_grid(m->c, &m->cells);
		print_table(m);
		return rc ? fail(e) : 0;
	}
	j = campaign_json(m->c, &m->cells);
	put_line(j);
	j = json_object();
	json_put_str(j, "event", "end");
	json_object_set_new(j, "ok", json_boolean(!rc));
	json_put_str(j, "text", rc ? e->text : "every cell has an end");
	json_put_u64(j, "exit", rc ? (uint64_t)e->kind : 0);
	put_line(j);
	return rc ? (int)e->kind : 0;
}

static int work(struct made *m, char **wipe, struct err *e)
{
	struct campaign_show show;
	struct campaign_run run = {
		.campaign = m->c, .store = m->st, .row = &m->row, .cells = &m->cells, .arena = m->a,
		.wipe = wipe,
		.emit = campaign_event, .stopped = stopped, .arg = &show,
	};
	struct err ignored = { 0 };
	int rc;

	if (begin(m, e))
		return -1;
	catch_end(on_signal);
	if (option("unattended"))
		leave_terminal();
	campaign_show_init(&show, m->c, &m->cells, option("json"));
	if (option("json"))
		put_line(campaign_json(m->c, &m->cells));
	rc = campaign_run(&run, e);
	campaign_show_end(&show);
	store_campaign_claim(m->st, &m->row, 0, NULL, &ignored);
	return rc;
}

/* --forecast: what there is to do, and nothing written, not even a database. */
static int forecast(struct made *m, char **argv, struct err *e)
{
	int rc = 1;

	if (store_exists(option("db"))) {
		if (store_open_read(option("db"), &m->st, e))
			return -1;
		rc = find_row(m, e);
	}
	if (rc > 0)
		rc = make_cells(m, argv, e);
	if (rc)
		return -1;
	if (option("json")) {
		put_line(campaign_json(m->c, &m->cells));
		return 0;
	}
	campaign_summary(m->c, &m->cells, m->row.id != 0);
	campaign_grid(m->c, &m->cells);
	print_table(m);
	return 0;
}

static int prepare(struct made *m, char **argv, char **wipe, struct err *e)
{
	int rc;

	if (geteuid() != 0)
		return err_set(e, ERR_FAIL, "a campaign builds on disks with nobody at the keyboard, so it has "
			       "to be started as root; --forecast does not");
	if (lock_file(m, m->c->from, e) || store_open(option("db"), &m->st, e))
		return -1;
	rc = find_row(m, e);
	if (rc < 0)
		return -1;
	if (rc == 0 && campaign_alive(&m->row))
		return err_set(e, ERR_REFUSED, "the campaign %s is being run by another naslab (process "
			       "%lld)", m->c->name, (long long)m->row.pid);
	if (rc > 0 && option("resume"))
		return err_set(e, ERR_USAGE, "there is no campaign %s to go on with", m->c->name);
	if (rc > 0)
		return make_cells(m, argv, e) || guard_new(m, wipe, e) ? -1 : 0;
	return inventory_read("", &m->inv, e) ||
	       campaign_disks_find(m->row.disks, m->inv, m->a, &m->picks, &m->n_picks, e) ||
	       retry(m, e) ? -1 : 0;
}

static int carry_out(struct made *m, char **argv, struct err *e)
{
	char **wipe = (char **)option_words(m->a, "wipe");
	struct campaign_forecast f;
	int rc;

	if (prepare(m, argv, wipe, e))
		return fail(e);
	campaign_forecast(m->c, &m->cells, &f);
	if (!f.cells)
		return end(m, 0, e);
	if (!option("json"))
		campaign_summary(m->c, &m->cells, m->row.id != 0);
	rc = option("yes") ? 0 : ask_name(m->c->name, question(m));
	if (rc)
		return rc;
	rc = work(m, wipe, e);
	return end(m, rc, e);
}

/* A file, a shipped one by its name, or one that was begun, by its name. */
static int open_campaign(struct made *m, const char *word, struct err *e)
{
	const char *path = campaign_file(m->a, word);
	struct stored_campaign row = { 0 };
	struct store *st = NULL;
	int rc = 1;

	if (!access(path, F_OK) || !name_is_valid(word))
		return campaign_open(path, &m->c, e);
	if (store_exists(option("db"))) {
		if (store_open_read(option("db"), &st, e))
			return -1;
		rc = store_campaign_find(st, word, m->a, &row, e);
		store_close(st);
	}
	if (rc < 0)
		return -1;
	if (rc == 0 && row.source)
		return campaign_parse(row.source, word, &m->c, e);
	return err_set(e, ERR_USAGE, "there is no file %.60s, and no campaign of that name is shipped or was "
		       "begun; naslab campaigns lists them", word);
}

static int run(int argc, char **argv)
{
	struct made m = { .a = arena_new(), .lock = -1 };
	struct err e = { 0 };
	int rc;

	if (!argc) {
		arena_free(m.a);
		return usage_error("it wants the FILE of a campaign");
	}
	if (open_campaign(&m, argv[0], &e))
		rc = fail(&e);
	else if (option("forecast"))
		rc = forecast(&m, argv, &e) ? fail(&e) : 0;
	else
		rc = carry_out(&m, argv, &e);
	store_close(m.st);
	campaign_free(m.c);
	inventory_free(m.inv);
	if (m.lock >= 0)
		close(m.lock);
	arena_free(m.a);
	return rc;
}

static const struct verb_option options[] = {
	{ .name = "forecast", .help = "only show the grid and what would be written" },
	{ .name = "resume", .help = "only go on with one that was begun" },
	{ .name = "again", .help = "begin anew, although the database knows it" },
	{ .name = "retry", .help = "measure failed cells again" },
	{ .name = "cache", .value = "DISK", .help = "a disk that caches", .many = true },
	{ .name = "wipe", .value = "DISK", .help = "this disk holds something that may be lost",
	  .many = true },
	{ .name = "yes", .help = "do not ask for the name" },
	{ .name = "unattended", .help = "goes on when the terminal goes; a line \"stop\" ends it" },
	{ .name = "json", .help = "the events, one JSON object a line" },
	{ .name = NULL }
};

const struct verb verb_campaign = {
	.name = "campaign", .usage = "FILE [DISK...] [--forecast]",
	.help = "measure layouts x options x workloads, unattended",
	.about = "FILE (or the name of a shipped campaign, or of one that was begun) names layouts, axes (options and their values) and workloads, one statement a\n"
		 "line. Every combination is built, left alone until it has settled, measured and\n"
		 "destroyed. A cell that fails keeps its reason and the next one follows. After a\n"
		 "crash, a kill or a power cut the same command takes back what stands and goes on\n"
		 "with the repetitions that are missing. Ctrl-C takes the running build down and keeps\n"
		 "what was measured. A database that fills up stops it, with no cell failed.\n"
		 "The name is asked for once; disks are guarded as by build.",
	.options = options, .run = run,
};
