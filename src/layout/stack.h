/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef LAYOUT_STACK_H
#define LAYOUT_STACK_H

#include "base/arena.h"
#include "layout/layer.h"

struct recipe;

/*
 * The stack: a graph of nodes from disks up to directories, made from a recipe and
 * disks. Pure: no fork, no clock, nothing read. Rules of CAPACITY.md, named at each layer.
 */

enum role { ROLE_DATA, ROLE_CACHE };

struct fs_size {
	uint64_t total, free, avail;	/* bytes, as statvfs of the empty, mounted file system */
	bool known;			/* total and avail hold something */
	bool estimate;			/* the rules end here: a good guess, marked as one */
};

struct node {
	const struct layer *layer;	/* NULL: a disk */
	const struct stmt *stmt;	/* as written; NULL for a disk */
	const struct disk *disk;	/* of a disk node */
	enum role role;			/* of a disk node */
	unsigned id;			/* its place in stack->nodes */

	const char *name;		/* "sda", "sda1", "s1", "nas1-s1" ... : short, for people */
	const char *dev;		/* "/dev/sda1", "/dev/md/nas1-s1"; NULL for a pure directory */
	const char *dm_name;		/* its name in the device mapper; NULL when it is none of it */
	const char *dir;		/* mount point of a directory; NULL for a block device */
	enum thing gives;

	struct node **kids;
	unsigned n_kids;
	unsigned n_parents;		/* how many nodes use it: 0 is the top, or left out */
	unsigned group;			/* index of the group it was made from */
	bool in_slice;			/* below it disks were divided into groups */

	uint64_t start;			/* of a partition: bytes from the disk's beginning */
	unsigned part_number;		/* of a partition, 1.. */

	uint64_t bytes;			/* of the block device; of a directory: what it lies on */
	uint32_t lsec, psec;		/* sectors, bytes */
	uint32_t io_min, io_opt;	/* the queue's minimum_io_size and optimal_io_size, bytes */
	/* The stripe a file system should lie along where the queue says another thing (a cache
	 * shows its chunk); both 0 is "none". */
	bool stripe_set;
	uint32_t stripe_unit, stripe_width;
	bool rotational;
	struct fs_size fs;		/* of a directory */
	uint64_t data_bytes;		/* of a directory: what it can hold of data (usable_bytes) */

	const char *level;		/* "raid5", "linear", "single" ...; NULL when it has none */
	uint64_t chunk;			/* bytes; 0 when it has none */
	unsigned missing;		/* members that come later */
	void *priv;			/* the layer's own, in the stack's arena */
	json_t *facts;			/* more for `plan --json`, owned by the stack; or NULL */

	bool left_out;			/* its group is too narrow: it is not built */
	const char *note;		/* why it is left out, or what to know about it */
	struct split split;		/* of bytes, after stack_make() */
};

struct stack {
	struct arena *arena;
	const struct recipe *recipe;	/* borrowed */
	const char *name;		/* of the build: "nas1" */
	struct list nodes;		/* struct node *, disks first, kids before parents */
	size_t n_disks;			/* the first n_disks nodes are disks */
	struct list tops;		/* struct node *: what the recipe ends with */
	struct list cache;		/* disks with ROLE_CACHE, struct node * */
	const struct stmt **served;	/* of each of those: the statement that has it, or NULL */
	unsigned n_groups;		/* how many groups the layer at work was given */
	struct list json;		/* json_t * owned by nodes, freed with the stack */

	uint64_t raw_bytes;		/* data disks */
	uint64_t usable_bytes;
	unsigned survives;		/* any so many disks may fail and nothing is lost */
};

/* A disk and what it is for, as the command line or the screen says. */
struct pick {
	const struct disk *disk;
	enum role role;
};

/*
 * Recipe and disks to a stack. Borrowed: recipe and disks, for as long as the stack
 * lives. The error names the layer and what would be right.
 */
int stack_make(const struct recipe *r, const char *name, const struct pick *picks, size_t n,
	       struct stack **out, struct err *e);
void stack_free(struct stack *s);	/* takes NULL */

/* For layers: a new node over kids, with sectors and I/O limits of the kids combined
 * (largest sector, largest io_min, least common multiple of io_opt). */
struct node *stack_node(struct stack *s, const struct layer *l, const struct stmt *st,
			struct node *const *kids, unsigned n_kids);

/*
 * Room on a cache disk for a statement that needs it: a partition of `bytes`, or of all that
 * is left when 0. Every such statement has a disk of its own; all groups of one share it. A
 * sentence when no cache disk was named or is left, or too little of it.
 */
struct node *stack_cache(struct stack *s, const struct stmt *st, uint64_t bytes, struct err *e);

/* Has the machine the memory that the kernel keeps for some layer? ram 0: not known. */
int stack_check_ram(const struct stack *s, uint64_t ram, struct err *e);

/* Add a device to those a node rests on (a cache); for size(). */
void node_add_kid(struct stack *s, struct node *n, struct node *kid);

/* An option as written, or its default; checked before, so these do not fail. */
const char *node_word(const struct node *n, const char *option);	/* NULL: none, no default */
uint64_t node_size(const struct node *n, const char *option);	/* bytes; 0 when not given */
uint64_t node_count(const struct node *n, const char *option);	/* 0 when not given */
bool node_yes(const struct node *n, const char *option);

/* Add a fact for plan --json. */
void node_fact_u64(struct stack *s, struct node *n, const char *key, uint64_t value);
void node_fact_str(struct stack *s, struct node *n, const char *key, const char *value);

uint64_t node_min_bytes(const struct node *n);	/* of the kids */

/* A cache disk that no layer asks for is shown and left alone: nothing of a build is on it. */
static inline bool node_is_used(const struct node *n)
{
	return n->n_parents > 0;
}

/* "s2" for a group that a slice made, "data" for the only one, unique for its layer; for
 * a MAP layer the name of what is below. */
const char *stack_label(struct stack *s, const struct node *n);

/*
 * Take `want` bytes from a pool, of every kind its share (rounded so that the pool is
 * empty when all of it was taken). For account(): what an array's bytes are spent on is
 * spread over its members.
 */
void split_take(struct split *pool, uint64_t want, struct split *out);

static inline uint64_t split_sum(const struct split *s)
{
	return s->usable + s->redundancy + s->overhead + s->unused;
}

/*
 * What is left when the disks marked dead (indexed like the first n_disks nodes) are
 * gone: out[i] for every node. Returns the worst of the tops.
 */
enum health stack_lose(const struct stack *s, const bool *dead, enum health *out);

/*
 * The kernel's name of a node's device below root ("sda1", "md127", "dm-3"), NULL when it
 * is not there. Found through the holders of what is below it, so it does not depend on
 * the name an array got when it was assembled.
 */
const char *node_kernel_name(const struct node *n, const char *root, struct arena *a);

/* The live state of a node below root: its layer's status, else its block device's. */
int stack_status(const struct node *n, const char *root, struct arena *a, struct live *out,
		 struct err *e);

/* How many disks, whichever they are, may die without loss. */
unsigned stack_survives(const struct stack *s);

/* Fill the split of every node; called by stack_make(). */
void stack_account(struct stack *s);

/*
 * What one statement of the recipe does with the bytes: those it takes of the devices below,
 * each once, those it gives (of a file system: what it can hold of data), and how many of the
 * difference are redundancy or cannot be used. What it keeps on a cache disk is in none of them.
 */
struct layer_sum {
	unsigned devices;
	uint64_t takes, gives, redundancy, unused;
};
void stack_layer_sum(const struct stack *s, const struct stmt *st, struct layer_sum *out);

/* How many devices a node joins, without what it keeps on a cache disk. */
unsigned node_members(const struct node *n);

/* The disks below a node, each once; returns how many, fills at most `room`. */
size_t node_disks(const struct stack *s, const struct node *n, const struct node **out,
		  size_t room);

#endif
