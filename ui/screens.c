/* SPDX-License-Identifier: GPL-2.0-or-later */
/* screens - the table. The steps stand in the order of the way, which numbers them. */
#include "ui/ui.h"

const struct screen *const screens[] = {
	&screen_start,
	&screen_disks,
	&screen_layout,
	&screen_compare,
	&screen_plan,
	&screen_build,
	&screen_bench,
	&screen_results,
	&screen_losses,
	&screen_campaign,
	&screen_confirm,
	&screen_help,
	&screen_palette,
	&screen_messages,
	&screen_choose,
	&screen_prompt,
	NULL
};
