/* SPDX-License-Identifier: GPL-2.0-or-later */
/* disks-draw - everything about one disk, and the marked disks to one scale. */
#include "ui/disks.h"

#include <string.h>

const char *disk_what(const struct disk *d)
{
	return d->why && *d->why ? safe_text(d->why) : "nothing";
}

/* Everything about one disk, whole; the first lines are those that matter most. */
void disk_details(const struct ui *ui, const struct disk *d, struct sbuf *out)
{
	char bytes[SIZE_TEXT], size[SIZE_TEXT];
	size_t i;

	sbuf_addf(out, "%s    serial %s", d->model ? safe_text(d->model) : "model not known",
		  d->serial ? safe_text(d->serial) : "not known");
	if (d->wwn)
		sbuf_addf(out, "    wwn %s", safe_text(d->wwn));
	sbuf_addf(out, "\n%s bytes = %s    sectors %u/%u", size_text(bytes, d->bytes, SIZE_BYTES),
		  size_text(size, d->bytes, ui->s->units == SIZE_IEC ? SIZE_IEC : SIZE_SI),
		  d->lsec, d->psec);
	if (d->transport)
		sbuf_addf(out, "    %s", safe_text(d->transport));
	if (d->where)
		sbuf_addf(out, ", %s", safe_text(d->where));
	if (d->zoned)
		sbuf_addf(out, "    zoned: %s", d->zoned);
	sbuf_add(out, "\non it: ");
	for (i = 0; i < d->n_sigs; i++) {
		const struct sig *g = &d->sigs[i];

		if (i && !strcmp(g->type, g[-1].type) && !strcmp(g->on, g[-1].on))
			continue;	/* the backup of the same table */
		sbuf_addf(out, "%s%s", i ? ", " : "", safe_text(g->type));
		if (g->label && *g->label)
			sbuf_addf(out, " \"%s\"", safe_text(g->label));
		if (strcmp(g->on, d->name))
			sbuf_addf(out, " on %s", g->on);
	}
	if (!d->n_sigs)
		sbuf_add(out, d->unread ? "could not be read" : "nothing recognised");
	sbuf_add(out, "\nwho uses it: ");
	for (i = 0; i < d->n_uses; i++)
		sbuf_addf(out, "%s%s: %s %s", i ? ", " : "", d->uses[i].on, d->uses[i].kind,
			  safe_text(d->uses[i].what));
	if (!d->n_uses)
		sbuf_add(out, "nobody (mounts, swap, md, LVM, dm, bcache, btrfs, open: asked)");
	sbuf_add(out, "\nmay be used: ");
	if (d->state == DISK_FREE && !d->unread)
		sbuf_add(out, "yes");
	else if (d->state == DISK_DATA && !d->unread)
		sbuf_add(out, "yes, but this data is lost; the last question will name it");
	else
		sbuf_addf(out, "no: %s", d->why ? safe_text(d->why) : disk_state_word(d->state));
	if (d->twin)
		sbuf_add(out, "\n! another disk has the same serial: told apart by its path");
	if (d->by_id)
		sbuf_addf(out, "\n%s", safe_text(d->by_id));
	for (i = 0; i < d->n_parts; i++)
		sbuf_addf(out, "\npartition %u, %s: %s from %s", d->parts[i].number,
			  d->parts[i].name, size_text(size, d->parts[i].bytes, SIZE_SI),
			  size_text(bytes, d->parts[i].start, SIZE_BYTES));
}

/* Second panel of a tall window: the marked disks to one scale. */
void disks_scale(struct ui *ui, struct area a)
{
	const struct session *s = ui->s;
	uint64_t largest = 1;
	unsigned row = a.row, width = a.cols - 24;
	size_t i;

	draw_rule(row++, 0, a.cols, "the marked disks to one scale", "");
	for (i = 0; i < s->inv->n_disks; i++) {
		if (s->marks[i] && s->inv->disks[i].bytes > largest)
			largest = s->inv->disks[i].bytes;
	}
	for (i = 0; i < s->inv->n_disks && row < a.row + a.rows; i++) {
		const struct disk *d = &s->inv->disks[i];
		unsigned cells, c;

		if (!s->marks[i])
			continue;
		draw_cell(row, 1, 8, PAINT_TEXT, CUT_START, d->name);
		draw_cell(row, 10, 4, PAINT_TEXT, CUT_END, disk_kind_word(d->kind));
		ui_draw_size(ui, row, 14, 8, PAINT_TEXT, d->bytes);
		cells = (unsigned)((double)d->bytes / (double)largest * width + 0.5);
		for (c = 0; c < (cells ? cells : 1); c++)
			draw_text(row, 23 + c, s->marks[i] == 'C' ? PAINT_CACHE : PAINT_TEXT,
				  s->marks[i] == 'C' ? "c" : "·");
		row++;
	}
}
