/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef UI_LAYOUT_H
#define UI_LAYOUT_H

#include "ui/ui.h"

/* The composer's state, shared by its drawing and its actions. */
struct layout {
	struct roll lines;	/* 0: disks, 1..n: layers, n + 1: add a layer */
	struct roll form;	/* options of the chosen layer */
	bool in_form, editing, explain, zoom;
	struct field field;	/* of the option that is typed */
	unsigned page;
	char *names[256];	/* recipes of the list that is open */
	struct arena *arena;
};

void layout_draw(struct ui *ui, void *state, struct area body);

/* The layer of the chosen line; false on the lines that are none. */
bool layout_at(const struct ui *ui, const struct layout *l, size_t *i);
const struct layer *layout_layer(const struct ui *ui, const struct layout *l);
size_t option_rows(const struct layer *layer);

/* Open the list of layouts. */
void layout_import(struct ui *ui, struct layout *l);
/* What was only tried is forgotten; arg is not used. */
void layout_show_again(struct ui *ui, void *arg);

/* The disks of the layout to one scale, with what their bytes are spent on. */
void draw_disks(struct ui *ui, struct area a);
/* Those of any stack, names first; dead: crossed out, or NULL; chosen: a place in the order
 * of disk_order(), SIZE_MAX for none. */
void draw_stack(const struct stack *s, struct area a, const bool *dead, size_t chosen);
void draw_sums(struct ui *ui, const struct stack *s, struct area a);
/* Indices of the disks as they are shown; room for PICKS. */
void disk_order(const struct stack *s, size_t *order);
/* "survives any 1 disk" */
void survives_text(const struct stack *s, struct sbuf *out);

#endif
