/* SPDX-License-Identifier: GPL-2.0-or-later */
/* losses-text - what is left when disks die, in words. */
#include "layout/losses.h"

#include <string.h>

#include "base/err.h"
#include "base/json.h"
#include "base/sbuf.h"
#include "base/text.h"
#include "base/units.h"
#include "disk/disk.h"

const char *health_word(enum health h)
{
	static const char *const words[] = { "ok", "degraded", "lost" };

	return words[h];
}

static int mark_dead(const struct stack *s, const char *words, bool *dead, struct err *e)
{
	char *list = arena_strdup(s->arena, words), *save = NULL, *word;
	const char **names = arena_array(s->arena, s->n_disks, sizeof(*names));
	size_t i, marked = 0;

	for (i = 0; i < s->n_disks; i++)
		names[i] = ((const struct node *)s->nodes.at[i])->name;
	for (word = strtok_r(list, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
		for (i = 0; i < s->n_disks && strcmp(word, names[i]); i++)
			;
		if (i == s->n_disks) {
			const char *near = nearest_word(word, names, s->n_disks);

			return err_set(e, ERR_USAGE, "%.40s is no disk of this layout; %s is one",
				       word,
				       near ? near : names[0]);
		}
		marked += !dead[i];
		dead[i] = true;
	}
	if (!marked)
		return err_set(e, ERR_USAGE, "name the disks that die, like --lose %s", names[0]);
	return 0;
}

/* Does anything that is lost hold data that a user sees? */
static uint64_t lost_bytes(const struct stack *s, const enum health *health, uint64_t *all)
{
	uint64_t lost = 0;
	size_t i;

	*all = 0;
	for (i = 0; i < s->nodes.n; i++) {
		const struct node *n = s->nodes.at[i];
		uint64_t bytes;

		/* a branch that survives below a lost join of directories keeps its files */
		if (n->left_out || n->gives != THING_DIR || n->kids[0]->gives == THING_DIR)
			continue;
		bytes = n->data_bytes;
		*all += bytes;
		if (health[n->id] == HEALTH_LOST)
			lost += bytes;
	}
	if (*all)
		return lost;
	for (i = 0; i < s->tops.n; i++) {
		const struct node *n = s->tops.at[i];

		*all += n->bytes;
		if (health[n->id] == HEALTH_LOST)
			lost += n->bytes;
	}
	return lost;
}

/* What would be lost if no cache disk were dead: the rest is only torn. */
static uint64_t lost_with_caches(const struct stack *s, const bool *dead)
{
	enum health *health = arena_array(s->arena, s->nodes.n, sizeof(*health));
	bool *data = arena_array(s->arena, s->n_disks, sizeof(*data));
	uint64_t all;
	size_t i;

	for (i = 0; i < s->n_disks; i++)
		data[i] = dead[i] && ((const struct node *)s->nodes.at[i])->role == ROLE_DATA;
	stack_lose(s, data, health);
	return lost_bytes(s, health, &all);
}

static void add_lost(const struct stack *s, const bool *dead, const enum health *health,
		     struct sbuf *out)
{
	char size[SIZE_TEXT], total[SIZE_TEXT];
	uint64_t all, lost = lost_bytes(s, health, &all);
	unsigned degraded = 0;
	size_t i;

	for (i = s->n_disks; i < s->nodes.n; i++)
		degraded += health[i] == HEALTH_DEGRADED;
	if (lost && !lost_with_caches(s, dead))
		sbuf_addf(out, "At stake: %s of %s. What the cache had not written back is lost, and it may "
			  "hold what is needed to read the rest.\n", size_text(size, lost, SIZE_SI),
			  size_text(total, all, SIZE_SI));
	else if (lost)
		sbuf_addf(out, "Lost: %s of %s.%s\n", size_text(size, lost, SIZE_SI),
			  size_text(total, all, SIZE_SI),
			  lost < all ? " The other file systems keep their files." : "");
	else if (degraded)
		sbuf_add(out, "Nothing is lost.\n");
	else
		sbuf_add(out, "Nothing is lost; nothing on these disks is used.\n");
}

void losses_text(const struct stack *s, const bool *dead, struct sbuf *out)
{
	enum health *health = arena_array(s->arena, s->nodes.n, sizeof(*health));
	struct losses_next next;
	size_t i;

	stack_lose(s, dead, health);
	for (i = s->nodes.n; i-- > s->n_disks;) {
		const struct node *n = s->nodes.at[i];
		const char *detail;

		if (n->left_out || n->part_number)
			continue;
		detail = losses_detail(s, n, health);
		sbuf_addf(out, " %-10s %-14s %s%s%s\n", n->layer->name, n->dir ? n->dir : n->name,
			  health_word(health[i]), detail ? "  " : "", detail ? detail : "");
	}
	add_lost(s, dead, health, out);
	losses_next(s, dead, health, &next);
	for (i = 0; i < next.steps.n; i++) {
		const struct next_step *st = next.steps.at[i];
		size_t k;

		sbuf_addf(out, " %zu. %s%s\n", i + 1, st->text, st->commands.n ? ":" : "");
		for (k = 0; k < st->commands.n; k++)
			sbuf_addf(out, "      %s\n", (const char *)st->commands.at[k]);
	}
}

static void next_json(const struct losses_next *next, json_t *o)
{
	json_t *steps = json_array(), *replace = json_array(), *rebuild = json_array();
	size_t i;

	for (i = 0; i < next->steps.n; i++) {
		const struct next_step *st = next->steps.at[i];
		json_t *row = json_object(), *commands = json_array();
		size_t k;

		json_put_str(row, "text", st->text);
		for (k = 0; k < st->commands.n; k++)
			json_add_str(commands, st->commands.at[k]);
		json_object_set_new(row, "commands", commands);
		json_array_append_new(steps, row);
	}
	for (i = 0; i < next->replace.n; i++) {
		const struct replacement *r = next->replace.at[i];
		json_t *row = json_object();

		json_put_str(row, "disk", r->disk->name);
		json_put_u64(row, "at_least_bytes", r->bytes);
		json_array_append_new(replace, row);
	}
	for (i = 0; i < next->rebuild.n; i++)
		json_add_str(rebuild, ((const struct node *)next->rebuild.at[i])->name);
	json_object_set_new(o, "next", steps);
	json_object_set_new(o, "replace", replace);
	json_object_set_new(o, "rebuild", rebuild);
}

static json_t *losses_json(const struct stack *s, const bool *dead)
{
	enum health *health = arena_array(s->arena, s->nodes.n, sizeof(*health));
	json_t *o = json_object(), *lost = json_array(), *rows = json_array();
	struct losses_next next;
	uint64_t bytes, all;
	size_t i;

	json_put_str(o, "health", health_word(stack_lose(s, dead, health)));
	for (i = 0; i < s->nodes.n; i++) {
		const struct node *n = s->nodes.at[i];
		json_t *row;

		if (!n->layer) {
			if (dead[i])
				json_add_str(lost, n->name);
			continue;
		}
		if (n->left_out)
			continue;
		row = json_object();
		json_put_str(row, "layer", n->layer->name);
		json_put_str(row, "name", n->name);
		json_put_str(row, "health", health_word(health[i]));
		if (losses_detail(s, n, health))
			json_put_str(row, "detail", losses_detail(s, n, health));
		json_array_append_new(rows, row);
	}
	json_object_set_new(o, "disks", lost);
	json_object_set_new(o, "layers", rows);
	bytes = lost_bytes(s, health, &all);
	json_put_u64(o, "lost_bytes", bytes);
	json_put_u64(o, "all_bytes", all);
	losses_next(s, dead, health, &next);
	next_json(&next, o);
	return o;
}

int losses_of_words(const struct stack *s, const char *words, struct sbuf *out, json_t **json,
		    struct err *e)
{
	bool *dead = arena_array(s->arena, s->n_disks, sizeof(*dead));

	if (mark_dead(s, words, dead, e))
		return -1;
	sbuf_addf(out, "when %s die%s\n", words, strchr(words, ',') ? "" : "s");
	losses_text(s, dead, out);
	if (json)
		*json = losses_json(s, dead);
	return 0;
}
