/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef LAYERS_MD_H
#define LAYERS_MD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;
struct err;
struct live;
struct node;

/*
 * Sizes of md arrays with metadata 1.2, to the byte. Source: mdadm 4.2 super1.c
 * (validate_geometry1, choose_bm_space) and Create.c, raid10.c of kernel 6.1; tried
 * against 243 measured arrays (CAPACITY rules 1.1).
 */
struct md_shape {
	const char *level;		/* "raid0" "linear" "raid1" "raid5" "raid6" "raid10" */
	unsigned devices;		/* raid devices, missing ones included */
	uint64_t chunk;			/* bytes; ignored for raid1 and linear */
	bool ppl;
	char layout;			/* raid10: 'n' near, 'f' far, 'o' offset */
	unsigned copies;		/* raid10 */
	uint64_t first;			/* bytes of the first device named */
};

/* Bytes kept at the start of every member. */
uint64_t md_data_offset(const struct md_shape *m);

/* Bytes of the array over n present members; 0 when a member is too small. */
uint64_t md_array_bytes(const struct md_shape *m, const uint64_t *members, size_t n);

/* The state of an array below root; see struct layer. */
int md_status(const struct node *n, const char *root, struct arena *a, struct live *out,
	      struct err *e);

#endif
