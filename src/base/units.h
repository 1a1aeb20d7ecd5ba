/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BASE_UNITS_H
#define BASE_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct sbuf;

#define KIB (1024ull)
#define MIB (1024ull * KIB)
#define GIB (1024ull * MIB)
#define TIB (1024ull * GIB)

static inline uint64_t round_down(uint64_t x, uint64_t to) { return x / to * to; }
static inline uint64_t round_up(uint64_t x, uint64_t to) { return (x + to - 1) / to * to; }
static inline uint64_t div_up(uint64_t x, uint64_t by) { return x / by + (x % by != 0); }

/*
 * Read a size in bytes. "1M", "512K", "1MiB" are powers of two; "1MB" is a power of
 * ten; a plain number is bytes. One decimal fraction is taken ("1.5T").
 */
int size_parse(const char *text, uint64_t *bytes, struct err *e);

/* The same, but "10T" and "10TB" are the maker's 10^12; *maker says that one was used. */
int size_parse_maker(const char *text, uint64_t *bytes, bool *maker, struct err *e);

/* Is it a percentage, "1.5%", of at most three decimals? In thousandths of a percent. */
bool percent_parse(const char *text, uint64_t *thousandths);

/* Read a whole number from min to max; the sentence names what. */
int count_parse(const char *what, const char *text, uint64_t min, uint64_t max,
		uint64_t *out, struct err *e);

/* How sizes are shown; `b` on every screen goes round. */
enum size_style { SIZE_SI, SIZE_IEC, SIZE_BYTES };

enum { SIZE_TEXT = 40 };

/* "10.0 TB", "9.09 TiB" or "10 000 831 348 736". Returns buf. */
const char *size_text(char buf[SIZE_TEXT], uint64_t bytes, enum size_style style);

/* Three significant digits without a unit: 0.0123, 9.87, 96.4, 118, 2.31k, 12.3M. Returns
 * buf. */
const char *number_text(char buf[SIZE_TEXT], double value);
/* The same of what has a prefix of its own, as MB/s do: "1234", not "1.23k". */
const char *plain_number_text(char buf[SIZE_TEXT], double value);

/* How long one operation took, three significant digits: "850 ns", "34.1 us", "12.0 ms",
 * "1.50 s". Returns buf. */
const char *latency_text(char buf[SIZE_TEXT], uint64_t ns);

/* "0:07", "12:40", "3:28 h", "2 d 4 h". Returns buf. */
const char *duration_text(char buf[SIZE_TEXT], uint64_t ns);

/* The shortest form size_parse() reads back to the same bytes: "512K", "1M", "12345". */
const char *size_option_text(char buf[SIZE_TEXT], uint64_t bytes);

#endif
