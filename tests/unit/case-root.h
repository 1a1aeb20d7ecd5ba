/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESTS_UNIT_CASE_ROOT_H
#define TESTS_UNIT_CASE_ROOT_H

#include <jansson.h>

struct arena;

/*
 * The disks of a case as a recorded machine: the parts of sysfs, /proc and the udev database
 * that naslab reads, below a new temporary folder. Returns its path.
 */
const char *case_root(struct arena *a, const json_t *disks);

/* Take that folder away. */
void case_root_remove(const char *path);

#endif
