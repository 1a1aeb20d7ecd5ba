/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * screen-plan - what will be done, before anything is: the stack as a tree, the way from
 * raw to free bytes, and every step with its exact command.
 */
#include "ui/ui.h"

#include <stdlib.h>
#include <string.h>

enum { COMMAND = ACT_SCREEN, SCRIPT, ZOOM, LOSSES };
enum { TREE_LINES = 4096 };

struct plan_state {
	struct roll steps, tree;
	bool in_tree, command, zoom;
	unsigned page;
	const struct plan *of;		/* the plan that was looked at: '+' in the way */
};

struct tree_line {
	const struct node *node;
	char before[48];
};

static const char *plan_needs(const struct ui *ui)
{
	if (!ui->s->layout)
		return "it needs a layout first (2 Layout, i lists them)";
	if (!ui->s->stack)
		return ui->s->err.text[0] ? ui->s->err.text : "it needs marked disks (1 Disks, Space)";
	return NULL;
}

static int plan_enter(struct ui *ui, void *state)
{
	struct plan_state *p = state;
	struct err e = { 0 };

	if (session_plan(ui->s, &e) < 0) {
		ui_fail(ui, &e);
		return -1;
	}
	if (p->of != ui->s->plan) {
		p->of = ui->s->plan;
		p->steps = p->tree = (struct roll){ 0 };
	}
	return 0;
}

/* --- the stack ------------------------------------------------------------------------- */

static size_t add_node(struct tree_line *lines, size_t n, const struct node *node,
		       const char *before, bool last, unsigned depth, bool full)
{
	char below[48];
	unsigned i;

	if (n >= TREE_LINES || node->disk || (!full && node->layer->kind == LAYER_DIVIDE))
		return n;
	lines[n].node = node;
	snprintf(lines[n].before, sizeof(lines[n].before), "%s%s", before,
		 !depth ? "" : last ? "└─" : "├─");
	n++;
	snprintf(below, sizeof(below), "%s%s", before, !depth ? "" : last ? "  " : "│ ");
	for (i = 0; i < node->n_kids; i++)
		n = add_node(lines, n, node->kids[i], below, i + 1 == node->n_kids, depth + 1, full);
	return n;
}

static size_t tree_of(const struct stack *s, struct tree_line *lines, bool full)
{
	size_t i, n = 0;

	for (i = 0; i < s->tops.n; i++)
		n = add_node(lines, n, s->tops.at[i], "", true, 0, full);
	return n;
}

static void node_words(const struct node *n, struct sbuf *out)
{
	sbuf_addf(out, "%s ", n->layer->name);
	if (n->dir)
		sbuf_add(out, n->dir);
	else
		sbuf_addf(out, "%s", n->name);
	if (n->level)
		sbuf_addf(out, " %s", n->level);
	if (node_members(n) > 1)
		sbuf_addf(out, "×%u", node_members(n));
}

static void draw_tree(struct ui *ui, struct plan_state *p, struct area a)
{
	struct tree_line *lines = calloc(TREE_LINES, sizeof(*lines));
	size_t n;
	unsigned i;

	if (!lines)
		die("no memory");
	n = tree_of(ui->s->stack, lines, p->zoom || a.rows > 16);
	draw_text(a.row, a.col + 1, PAINT_BOLD, "stack, top first");
	roll_fit(&p->tree, n, a.rows - 1);
	for (i = 0; i + 1 < a.rows && p->tree.top + i < n; i++) {
		const struct tree_line *t = &lines[p->tree.top + i];
		bool on = p->in_tree && p->tree.top + i == p->tree.at;
		enum paint paint = on ? PAINT_CHOSEN : PAINT_TEXT;
		struct sbuf b = { 0 };

		node_words(t->node, &b);
		draw_cell(a.row + 1 + i, a.col, a.cols, paint, CUT_END, "");
		draw_cell(a.row + 1 + i, a.col + 1 + draw_text(a.row + 1 + i, a.col + 1, paint,
			  t->before) - a.col - 1, a.cols - 11 - draw_width(t->before), paint, CUT_END,
			  sbuf_str(&b));
		if (t->node->left_out)
			draw_right(a.row + 1 + i, a.col + a.cols - 9, 9, paint, "left out");
		else
			ui_draw_size(ui, a.row + 1 + i, a.col + a.cols - 9, 9, paint, t->node->bytes);
		if (on)
			ui_cursor(ui, a.row + 1 + i, a.col + 1 + draw_width(t->before));
		sbuf_done(&b);
	}
	free(lines);
}

struct table {
	struct area a;
	unsigned row;
	enum size_style style;
};

static void table_row(struct table *t, const char *label, uint64_t bytes)
{
	char size[SIZE_TEXT];

	if (t->row >= t->a.rows)
		return;
	draw_cell(t->a.row + t->row, t->a.col, t->a.cols - 20, PAINT_TEXT, CUT_END, label);
	draw_right(t->a.row + t->row, t->a.col + t->a.cols - 20, 20, PAINT_TEXT,
		   size_text(size, bytes, t->style));
	t->row++;
}

/* What one layer takes away: redundancy, what it cannot use, and what it keeps for itself. */
static void layer_rows(struct table *t, const struct stack *s, const struct stmt *st, enum thing gives)
{
	const struct layer *l = layer_find(st->layer);
	struct layer_sum sum;
	char label[64];
	uint64_t away, told;

	if (!l || l->gives != gives)
		return;
	stack_layer_sum(s, st, &sum);
	away = sum.takes > sum.gives ? sum.takes - sum.gives : 0;
	told = sum.redundancy + sum.unused;
	snprintf(label, sizeof(label), "- %s redundancy", st->layer);
	if (sum.redundancy)
		table_row(t, label, sum.redundancy);
	snprintf(label, sizeof(label), "- %s cannot use", st->layer);
	if (sum.unused)
		table_row(t, label, sum.unused);
	snprintf(label, sizeof(label), "- %s%s", st->layer, told ? ", its own" : "");
	if (gives == THING_BLOCK)
		table_row(t, label, away > told ? away - told : 0);
}

/* From raw to free: what every layer keeps for itself. Bytes, unless b chose a unit. */
static void draw_bytes(struct ui *ui, struct area a)
{
	const struct stack *s = ui->s->stack;
	const struct recipe *r = ui->s->recipe;
	struct table t = { .a = a, .style = ui->s->units == SIZE_SI ? SIZE_BYTES : ui->s->units };
	uint64_t free_bytes = 0, lies_on = 0, total = 0;
	bool known = s->tops.n > 0, estimate = false;
	char label[64];
	size_t i;

	draw_text(a.row, a.col, PAINT_BOLD, "from raw to free");
	t.row = 1;
	snprintf(label, sizeof(label), "%zu disk%s, raw", s->n_disks - s->cache.n,
		 s->n_disks - s->cache.n == 1 ? "" : "s");
	table_row(&t, label, s->raw_bytes);
	for (i = 0; i < r->n_stmts; i++)
		layer_rows(&t, s, &r->stmts[i], THING_BLOCK);
	for (i = 0; i < s->tops.n; i++) {
		const struct node *n = s->tops.at[i];

		known &= n->fs.known;
		estimate |= n->fs.estimate;
		free_bytes += n->fs.avail;
		total += n->fs.total;
		lies_on += n->bytes;
	}
	if (!known) {
		table_row(&t, "= usable", s->usable_bytes);
		return;
	}
	snprintf(label, sizeof(label), "= %s lies on", ((struct node *)s->tops.at[0])->layer->name);
	table_row(&t, label, lies_on);
	table_row(&t, "= its total (df)", total);
	for (i = 0; i < r->n_stmts; i++)	/* df counts every copy */
		layer_rows(&t, s, &r->stmts[i], THING_DIR);
	table_row(&t, estimate ? "= free, about" : "= free when empty", free_bytes);
}

/* --- the steps ------------------------------------------------------------------------- */

static bool step_loses(const struct step *st)
{
	size_t i;

	for (i = 0; i < st->destroys.n; i++) {
		if (((const struct disk *)st->destroys.at[i])->state == DISK_DATA)
			return true;
	}
	return false;
}

static void draw_command(const struct step *st, struct area a, unsigned *used)
{
	struct sbuf b = { 0 };

	argv_print(&st->argv, &b);
	if (st->input)
		sbuf_add(&b, "   (script on its input)");
	*used += draw_wrapped((struct area){ a.row + *used, a.col + 6, a.rows - *used, a.cols - 7 },
			      PAINT_TEXT, sbuf_str(&b));
	if (st->input && *used < a.rows)
		*used += draw_wrapped((struct area){ a.row + *used, a.col + 8, a.rows - *used,
				      a.cols - 9 }, PAINT_TEXT, st->input);
	sbuf_done(&b);
}

static void draw_steps(struct ui *ui, struct plan_state *p, struct area a)
{
	const struct plan *plan = ui->s->plan;
	unsigned used = 0, room = p->command && a.rows > 5 ? a.rows - 4 : a.rows;
	bool wide = a.cols >= 80;
	size_t i;

	roll_fit(&p->steps, plan->steps.n, room);
	p->page = room;
	for (i = p->steps.top; i < plan->steps.n && used < a.rows; i++) {
		const struct step *st = plan->steps.at[i];
		bool on = i == p->steps.at;
		enum paint paint = on && !p->in_tree ? PAINT_CHOSEN : PAINT_TEXT;
		unsigned row = a.row + used;

		draw_cell(row, a.col, a.cols, paint, CUT_END, "");
		draw_text(row, a.col + 1, paint, on ? "▶" : " ");
		draw_textf(row, a.col + 2, paint, "%3u", st->n);
		draw_cell(row, a.col + 6, a.cols - (wide ? 30 : 8), paint, CUT_END, st->why);
		if (wide && step_loses(st))
			draw_text(row, a.col + a.cols - 22, PAINT_WARN, "! data goes");
		if (wide)
			draw_textf(row, a.col + a.cols - 10, paint, "undo: %s", st->undo.n ? "yes" : "no");
		if (on && !p->in_tree)
			ui_cursor(ui, row, a.col + 6);
		used++;
		if (on && p->command)
			draw_command(st, a, &used);
	}
}

static void plan_head(struct ui *ui)
{
	struct sbuf left = { 0 }, right = { 0 };
	const struct session *s = ui->s;
	size_t i, used = 0;

	for (i = 0; i < s->stack->n_disks; i++)
		used += node_is_used(s->stack->nodes.at[i]);
	sbuf_addf(&left, "Plan: %s", s->build_name);
	if (session_as_built(s))
		sbuf_add(&left, ", as it was built");
	else
		sbuf_addf(&left, " = %s%s", session_title(s),
			  s->layout_changed && s->layout_name ? ", changed" : "");
	sbuf_addf(&right, "%zu steps, %zu disk%s", s->plan->steps.n, used, used == 1 ? "" : "s");
	ui_head(ui, sbuf_str(&left), sbuf_str(&right), sbuf_str(&right));
	sbuf_done(&left);
	sbuf_done(&right);
}

static void plan_draw(struct ui *ui, void *state, struct area body)
{
	struct plan_state *p = state;
	unsigned top = body.rows >= 16 ? body.rows * 9 / 20 : 0, left = body.cols * 37 / 80;
	struct err e = { 0 };

	if (session_plan(ui->s, &e) < 0) {
		ui_head(ui, "Plan", "", "plan");
		draw_wrapped((struct area){ body.row, 1, body.rows, body.cols - 2 }, PAINT_TEXT, e.text);
		return;
	}
	plan_head(ui);
	if (p->zoom) {
		if (p->in_tree)
			draw_tree(ui, p, body);
		else
			draw_steps(ui, p, body);
		return;
	}
	if (top && body.cols >= 80) {
		draw_tree(ui, p, (struct area){ body.row, 0, top, left });
		draw_line_down(body.row, left, top);
		draw_bytes(ui, (struct area){ body.row, left + 2, top, body.cols - left - 4 });
	} else if (top) {
		draw_tree(ui, p, (struct area){ body.row, 0, top, body.cols });
	} else if (p->in_tree) {
		draw_tree(ui, p, body);
		return;
	}
	if (top)
		draw_rule(body.row + top, 0, body.cols, "steps", body.cols >= 80 ?
			  "d shows the exact command, w writes them as a script" : "");
	draw_steps(ui, p, (struct area){ body.row + top + !!top, 0, body.rows - top - !!top,
		   body.cols });
}

/* --- actions --------------------------------------------------------------------------- */

static int script_take(struct ui *ui, void *arg, const char *path, struct err *e)
{
	struct sbuf text = { 0 };
	int rc;

	(void)arg;
	plan_script(ui->s->plan, &text);
	rc = file_write_atomic(path, text.text, text.len, e);
	sbuf_done(&text);
	if (!rc)
		ui_say(ui, ' ', "%s holds the steps for sh; read it before you run it", path);
	return rc;
}

static void script(struct ui *ui)
{
	char name[80];

	snprintf(name, sizeof(name), "%s.sh", ui->s->build_name);
	ui_prompt(ui, &(struct prompt){ .title = "Write the steps as a script", .text = name,
		  .about = "A plain sh script that does the same without naslab.",
		  .take = script_take });
}

static enum react plan_act(struct ui *ui, void *state, int act)
{
	struct plan_state *p = state;

	switch (act) {
	case ACT_ENTER:
		ui_push(ui, &screen_confirm);
		return REACT_DONE;
	case ACT_TAB:
		p->in_tree = !p->in_tree;
		return REACT_DONE;
	case COMMAND:
		p->command = !p->command;
		p->in_tree = false;
		return REACT_DONE;
	case SCRIPT:
		script(ui);
		return REACT_DONE;
	case LOSSES:
		ui_push(ui, &screen_losses);
		return REACT_DONE;
	case ZOOM:
		p->zoom = !p->zoom;
		return REACT_DONE;
	case ACT_BACK:
		if (!p->zoom)
			return REACT_UNKNOWN;
		p->zoom = false;
		return REACT_DONE;
	default:
		return roll_act(p->in_tree ? &p->tree : &p->steps, act, p->page);
	}
}

static const char *plan_cannot(const struct ui *ui, void *state, int act)
{
	(void)state;
	if (act != ACT_ENTER)
		return NULL;
	if (session_as_built(ui->s))
		return "this is built; D on Build destroys it";
	if (session_is_built(ui->s))
		return "the disks are in use by the build that is open; w writes a script";
	if (ui->s->elsewhere || *ui->s->root)
		return "not disks of this machine; w writes a script";
	if (ui->s->work.runs)
		return "other work still runs; one thing at a time";
	return NULL;
}

static void plan_status(struct ui *ui, void *state, struct sbuf *out)
{
	const char *why = plan_cannot(ui, state, ACT_ENTER);

	if (session_as_built(ui->s)) {
		sbuf_addf(out, "%s as it was built; D on %u Build destroys it", ui->s->open_name,
			  ui_step_number(&screen_build));
		return;
	}
	if (ui->s->work.runs && ui->s->work.kind == WORK_BUILD) {
		sbuf_addf(out, "%s is being built: %u Build shows it", ui->s->work.name,
			  ui_step_number(&screen_build));
		return;
	}
	sbuf_add(out, "nothing has been written yet");
	if (why)
		sbuf_addf(out, "; %s", why);
	else
		sbuf_add(out, "; Enter shows the disks and asks first");
}

static char plan_mark(const struct ui *ui)
{
	return ui->s->plan || ui->s->open_name ? '+' : '-';
}

static const struct key plan_keys[] = {
	{ ACT_UP, "Up k", "↑↓", "steps", 3, "another line; Up and Down, j and k" },
	{ ACT_ENTER, "Enter", NULL, "build", 1, "build it: names all disks first and asks" },
	{ COMMAND, "d", NULL, "command", 2, "the exact command of the step" },
	{ SCRIPT, "w", NULL, "script", 2, "write the steps as a script for sh" },
	{ LOSSES, "f", NULL, "failures", 4, "what if disks fail: what is lost, what to do next" },
	{ ACT_TAB, "Tab", NULL, "stack", 4, "to the stack and back to the steps" },
	{ ZOOM, "z", NULL, "zoom", 5, "this pane on the whole screen" },
	{ ACT_UNITS, "b", NULL, "units", 5, "bytes, TiB, TB" },
	{ 0 }
};

const struct screen screen_plan = {
	.name = "plan", .title = "Plan", .step = true,
	.about = "Every command that would run, in order, and what every layer keeps for itself. "
		 "Nothing is written here. A step says whether it can be undone.",
	.state_size = sizeof(struct plan_state), .keys = plan_keys, .needs = plan_needs,
	.mark = plan_mark, .enter = plan_enter, .draw = plan_draw, .act = plan_act,
	.cannot = plan_cannot, .status = plan_status,
};
