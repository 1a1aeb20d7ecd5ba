/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ops - the table of operations, and the questions it answers. */
#include "bench/ops.h"

#include "bench/child.h"

static const struct op ops[BENCH_VERIFY + 1] = {
	[BENCH_WRITE] = {
		.word = "write", .also = "copy-in", .help = "Make all files",
		.writes = true, .makes = true, .prepare = write_prepare, .file = write_file,
	},
	[BENCH_READ] = {
		.word = "read", .also = "copy-out", .help = "Read all files",
		.reads = true, .prepare = read_prepare, .file = read_file,
	},
	[BENCH_REWRITE] = {
		.word = "rewrite",
		.help = "Write every record of the files again, from the first to the last",
		.writes = true, .by = OP_BY_RECORDS,
		.prepare = records_prepare, .file = records_file,
	},
	[BENCH_RAND_READ] = {
		.word = "rand-read", .help = "Read every record once, in random order",
		.reads = true, .by = OP_BY_RECORDS, .order = ORDER_RANDOM,
		.prepare = records_prepare, .file = records_file,
	},
	[BENCH_READ_STRIDE] = {
		.word = "read-stride",
		.help = "Read every Nth record, then those behind them, until all are read",
		.reads = true, .by = OP_BY_RECORDS, .order = ORDER_STRIDE,
		.number = "records to the next", .number_min = 1, .number_max = 1000000,
		.prepare = records_prepare, .file = records_file,
	},
	[BENCH_READ_BACK] = {
		.word = "read-back", .help = "Read every record, from the last to the first",
		.reads = true, .by = OP_BY_RECORDS, .order = ORDER_BACK,
		.prepare = records_prepare, .file = records_file,
	},
	[BENCH_RAND_WRITE] = {
		.word = "rand-write", .help = "Write every record once, in random order",
		.writes = true, .by = OP_BY_RECORDS, .order = ORDER_RANDOM,
		.prepare = records_prepare, .file = records_file,
	},
	/* not for a workload to ask for: the first reading of a class is followed by it */
	[BENCH_VERIFY] = {
		.word = "compare", .help = "Read all files and compare them with what was written",
		.reads = true, .prepare = verify_prepare, .file = read_file,
	},
};

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
