/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ops - the table of operations, and the questions it answers. */
#include "bench/ops.h"

#include "bench/child.h"

#define RECORDS .by = OP_BY_RECORDS, .prepare = records_prepare, .file = records_file

#define NAMES(what) .by = OP_BY_NAMES, .counts = "files", .prepare = names_prepare, .all = what

static const struct op ops[BENCH_VERIFY + 1] = {
	[BENCH_WRITE] = {
		.word = "write", .also = "copy-in", .help = "Make all files",
		.writes = true, .makes = true, .prepare = write_prepare, .file = write_file,
	},
	[BENCH_READ_DIRTY] = {
		.word = "read-dirty",
		.help = "Read all files while a write-back cache below still holds them dirty; where "
			"there is one, what is written and read is read so too",
		.reads = true, .dirty = true, .prepare = read_prepare, .file = read_file,
	},
	[BENCH_READ] = {
		.word = "read", .also = "copy-out", .help = "Read all files",
		.reads = true, .prepare = read_prepare, .file = read_file,
	},
	[BENCH_REREAD] = {
		.word = "re-read",
		.help = "Read all files, with the cache as the operation before left it",
		.reads = true, .as_left = true, .prepare = read_prepare, .file = read_file,
	},
	[BENCH_REWRITE] = {
		.word = "rewrite",
		.help = "Write every record of the files again, from the first to the last",
		.writes = true, RECORDS,
	},
	[BENCH_MODIFY] = {
		.word = "modify",
		.help = "Read every record, change it and write it back, from the first to the last; "
			"the bytes of both count",
		.writes = true, .reads = true, RECORDS,
	},
	[BENCH_RAND_READ] = {
		.word = "rand-read", .help = "Read every record once, in random order",
		.reads = true, .order = ORDER_RANDOM, RECORDS,
	},
	[BENCH_READ_STRIDE] = {
		.word = "read-stride",
		.help = "Read every Nth record, then those behind them, until all are read",
		.reads = true, .order = ORDER_STRIDE, RECORDS,
		.number = "records to the next", .number_min = 1, .number_max = 1000000,
	},
	[BENCH_READ_BACK] = {
		.word = "read-back", .help = "Read every record, from the last to the first",
		.reads = true, .order = ORDER_BACK, RECORDS,
	},
	[BENCH_SEEK] = {
		.word = "seek",
		.help = "Read every record once, in random order, and write N percent of them back",
		.writes = true, .reads = true, .counts = "seeks", .order = ORDER_RANDOM, RECORDS,
		.number = "percent that is written back", .number_of = NUMBER_REWRITES,
		.number_min = 0, .number_max = 100,
	},
	[BENCH_MIX] = {
		.word = "mix",
		.help = "Touch every record once, in random order: read N percent of them, write the "
			"others",
		.writes = true, .reads = true, .order = ORDER_RANDOM, RECORDS,
		.number = "percent that is read", .number_of = NUMBER_READS,
		.number_min = 0, .number_max = 100,
	},
	[BENCH_MIX_STREAMS] = {
		.word = "mix-streams",
		.help = "The same, but N percent of the streams read and the others write",
		.writes = true, .reads = true, .order = ORDER_RANDOM, RECORDS,
		.number = "percent of the streams that read", .number_of = NUMBER_READERS,
		.number_min = 0, .number_max = 100,
	},
	[BENCH_RAND_WRITE] = {
		.word = "rand-write", .help = "Write every record once, in random order",
		.writes = true, .order = ORDER_RANDOM, RECORDS,
	},
	[BENCH_APPEND] = {
		.word = "append",
		.help = "Write as much again behind every file, record by record; the files are made "
			"anew before the next operation",
		.writes = true, .by = OP_BY_RECORDS, .grows = true, .removes = true,
		.prepare = records_prepare, .file = append_file,
	},
	[BENCH_PLAY_RECORD] = {
		.word = "play-record",
		.help = "Read the files of the first fileset while those of the others are made, each "
			"in a stream of its own where there are threads enough",
		.writes = true, .reads = true, .adds = true, .removes = true,
		.prepare = read_prepare, .file = play_record_file,
	},
	[BENCH_SEND] = {
		.word = "send",
		.help = "Send read-only snapshots of btrfs: the first whole, then N that each add a "
			"tenth of the files. What is counted is the stream, "
			"which is thrown away",
		.reads = true, .number = "snapshots behind the first", .number_max = 9,
		.make = send_make, .run = send_run,
	},
	[BENCH_RECEIVE] = {
		.word = "receive",
		.help = "Receive the stream of those snapshots, out of memory or a file below --source",
		.writes = true, .grows = true, .number = "snapshots behind the first", .number_max = 9,
		.make = send_make, .run = send_run,
	},
	[BENCH_SEND_RECEIVE] = {
		.word = "send-receive",
		.help = "Send them and receive them in the target: from --source, or from the target "
			"itself",
		.writes = true, .grows = true, .number = "snapshots behind the first", .number_max = 9,
		.make = send_make, .run = send_run,
	},
	[BENCH_HASH] = {
		.word = "hash", .help = "Open every file, read it whole and hash it with XXH3",
		.reads = true, .counts = "files",
		.prepare = hash_prepare, .all = hash_all, .finish = hash_finish,
	},
	[BENCH_MAIL] = {
		.word = "mail",
		.help = "What a mail server does, until stop time= ends it: delete a file; make one, "
			"append to it, fsync; read one, append to it, fsync; read one. Four of five "
			"files are there at first, all in one directory; an append is bs long on "
			"average; such a round counts as 13 operations, as filebench counts them",
		.writes = true, .reads = true, .by = OP_IN_LOOP, .counts = "ops",
		.makes = true, .removes = true,
		.prepare = mail_prepare, .all = mail_all, .finish = mail_finish,
	},
	[BENCH_CREATE] = {
		.word = "create", .help = "Make the files, which are empty, in the order of their names",
		.writes = true, NAMES(create_all), .makes = true,
	},
	[BENCH_STAT] = {
		.word = "stat", .help = "Ask for every file's status, in the order of their names",
		.reads = true, NAMES(stat_all),
	},
	[BENCH_DELETE] = {
		.word = "delete", .help = "Remove the files, in the order of their names",
		.writes = true, NAMES(delete_all), .removes = true,
	},
	[BENCH_RAND_CREATE] = {
		.word = "rand-create", .help = "Make the files, which are empty, in random order",
		.writes = true, NAMES(create_all), .order = ORDER_RANDOM, .makes = true,
	},
	[BENCH_RAND_STAT] = {
		.word = "rand-stat", .help = "Ask for every file's status, in random order",
		.reads = true, NAMES(stat_all), .order = ORDER_RANDOM,
	},
	[BENCH_RAND_DELETE] = {
		.word = "rand-delete", .help = "Remove the files, in random order",
		.writes = true, NAMES(delete_all), .order = ORDER_RANDOM, .removes = true,
	},
	/* not for a workload to ask for: the first reading of a class is followed by it */
	[BENCH_VERIFY] = {
		.word = "compare", .help = "Read all files and compare them with what was written",
		.reads = true, .prepare = verify_prepare, .file = verify_file,
	},
};

bool op_shares(const struct op *op)
{
	return op->by == OP_BY_RECORDS && !op->grows;
}

const struct op *op_of(enum bench_op op)
{
	return &ops[op];
}

const char *bench_op_word(enum bench_op op)
{
	return ops[op].word;
}

const char *bench_op_help(enum bench_op op)
{
	return ops[op].help;
}

const char *bench_op_also(enum bench_op op)
{
	return ops[op].also;
}

bool bench_op_takes_number(enum bench_op op)
{
	return ops[op].number;
}

bool bench_op_writes(enum bench_op op)
{
	return ops[op].writes;
}

bool bench_op_by_records(enum bench_op op)
{
	return ops[op].by == OP_BY_RECORDS;
}
