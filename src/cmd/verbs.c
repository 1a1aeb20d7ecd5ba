/* SPDX-License-Identifier: GPL-2.0-or-later */
/* verbs - the table; the order is that of `naslab --help` and the manual. */
#include "cmd/cmd.h"

extern const struct verb verb_disks;
extern const struct verb verb_keys;
extern const struct verb verb_layouts;
extern const struct verb verb_compare;
extern const struct verb verb_plan;
extern const struct verb verb_workloads;
extern const struct verb verb_bench;
extern const struct verb verb_campaign;
extern const struct verb verb_campaigns;
extern const struct verb verb_results;
extern const struct verb verb_selftest;
extern const struct verb verb_build;
extern const struct verb verb_mount;
extern const struct verb verb_status;
extern const struct verb verb_destroy;
extern const struct verb verb_recover;
extern const struct verb verb_sandbox;
extern const struct verb verb_executor;
extern const struct verb verb_demo;
extern const struct verb verb_demo_inside;
extern const struct verb verb_doc;
extern const struct verb verb_tui;

const struct verb *const verbs[] = {
	&verb_tui,
	&verb_disks,
	&verb_layouts,
	&verb_plan,
	&verb_compare,
	&verb_workloads,
	&verb_bench,
	&verb_campaign,
	&verb_campaigns,
	&verb_results,
	&verb_selftest,
	&verb_build,
	&verb_status,
	&verb_mount,
	&verb_destroy,
	&verb_recover,
	&verb_sandbox,
	&verb_executor,
	&verb_demo,
	&verb_demo_inside,
	&verb_doc,
	&verb_keys,
	NULL
};
