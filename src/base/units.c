/* SPDX-License-Identifier: GPL-2.0-or-later */
/* units - sizes, rates and times; converted once, where they are shown. */
#include "base/units.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"

static const char prefixes[] = "KMGTPE";

static int size_read(const char *text, bool maker_wanted, uint64_t *bytes, bool *maker,
		     struct err *e)
{
	static const uint64_t ten[] = { 1, 10, 100, 1000, 10000, 100000, 1000000 };
	uint64_t whole = 0, part = 0, unit = 1;
	size_t decimals = 0;
	unsigned power = 0, i;
	bool binary = !maker_wanted;
	const char *s = text;
	const char *prefix;
	unsigned __int128 sum;

	if (!isdigit((unsigned char)*s))
		return err_set(e, ERR_USAGE, "\"%s\" is not a size, like 500G, 10T or 3TiB", text);
	for (; isdigit((unsigned char)*s); s++) {
		if (whole > (UINT64_MAX - 9) / 10)
			return err_set(e, ERR_USAGE, "the size %s is too large", text);
		whole = whole * 10 + (uint64_t)(*s - '0');
	}
	if (*s == '.') {
		for (s++; isdigit((unsigned char)*s); s++) {
			if (++decimals > 6)
				return err_set(e, ERR_USAGE, "the size %s has too many decimals", text);
			part = part * 10 + (uint64_t)(*s - '0');
		}
	}
	prefix = *s ? strchr(prefixes, toupper((unsigned char)*s)) : NULL;
	if (prefix) {
		power = (unsigned)(prefix - prefixes) + 1;
		s++;
	}
	if (power && s[0] == 'i') {
		binary = true;
		s++;
		if (*s == 'B')
			s++;
	} else if (*s == 'B') {
		binary = false;
		s++;
	}
	if (*s || (decimals && !power))
		return err_set(e, ERR_USAGE, "\"%s\" is not a size, like 500G, 10T or 3TiB", text);
	for (i = 0; i < power; i++)
		unit *= binary ? 1024 : 1000;
	sum = (unsigned __int128)whole * unit + (unsigned __int128)part * unit / ten[decimals];
	if (sum > INT64_MAX)
		return err_set(e, ERR_USAGE, "the size %s is too large", text);
	*bytes = (uint64_t)sum;
	if (maker)
		*maker = power && !binary;
	return 0;
}

int size_parse(const char *text, uint64_t *bytes, struct err *e)
{
	return size_read(text, false, bytes, NULL, e);
}

int size_parse_maker(const char *text, uint64_t *bytes, bool *maker, struct err *e)
{
	return size_read(text, true, bytes, maker, e);
}

bool percent_parse(const char *text, uint64_t *thousandths)
{
	size_t whole = strspn(text, "0123456789"), decimals = 0, i;
	const char *end = text + whole;
	uint64_t value = 0;

	if (*end == '.') {
		decimals = strspn(end + 1, "0123456789");
		end += 1 + decimals;
		if (!decimals)
			return false;
	}
	if (!whole || whole > 9 || decimals > 3 || strcmp(end, "%"))
		return false;
	for (i = 0; text + i < end; i++) {
		if (text[i] != '.')
			value = value * 10 + (uint64_t)(text[i] - '0');
	}
	for (; decimals < 3; decimals++)
		value *= 10;
	*thousandths = value;
	return true;
}

int count_parse(const char *what, const char *text, uint64_t min, uint64_t max,
		uint64_t *out, struct err *e)
{
	uint64_t value = 0;
	const char *s;

	for (s = text; isdigit((unsigned char)*s); s++) {
		if (value > UINT64_MAX / 10 - 1)
			break;
		value = value * 10 + (uint64_t)(*s - '0');
	}
	if (s == text || *s || value < min || value > max)
		return err_set(e, ERR_USAGE, "%s takes a number from %" PRIu64 " to %" PRIu64
			       ", not \"%s\"", what, min, max, text);
	*out = value;
	return 0;
}

/* Decimals that make three significant digits of a number below 1000. */
static int decimals_of(double size)
{
	double limit = 99.95;
	int decimals = 0;

	for (; size > 0 && size < limit && decimals < 12; limit /= 10)
		decimals++;
	return decimals;
}

const char *number_text(char buf[SIZE_TEXT], double value)
{
	static const char thousands[] = "kMGTPE";
	char prefix[2] = "";
	size_t i;

	for (i = 0; fabs(value) >= 999.5 && thousands[i]; i++) {
		value /= 1000;
		prefix[0] = thousands[i];
	}
	snprintf(buf, SIZE_TEXT, "%.*f%s", decimals_of(fabs(value)), value, prefix);
	return buf;
}

const char *plain_number_text(char buf[SIZE_TEXT], double value)
{
	if (fabs(value) < 999.5)
		return number_text(buf, value);
	snprintf(buf, SIZE_TEXT, "%.0f", value);
	return buf;
}

static void group_digits(char buf[SIZE_TEXT], uint64_t value)
{
	char digits[24];
	int len = snprintf(digits, sizeof(digits), "%" PRIu64, value);
	char *out = buf;
	int i;

	for (i = 0; i < len; i++) {
		if (i && (len - i) % 3 == 0)
			*out++ = ' ';
		*out++ = digits[i];
	}
	*out = '\0';
}

const char *size_text(char buf[SIZE_TEXT], uint64_t bytes, enum size_style style)
{
	static const char *const si[] = { "B", "kB", "MB", "GB", "TB", "PB", "EB" };
	static const char *const iec[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
	double base = style == SIZE_IEC ? 1024 : 1000;
	double value = (double)bytes;
	unsigned power = 0;

	if (style == SIZE_BYTES) {
		group_digits(buf, bytes);
		return buf;
	}
	while (value >= base - 0.5 && power < 6) {
		value /= base;
		power++;
	}
	if (power)
		snprintf(buf, SIZE_TEXT, "%.*f %s", decimals_of(value), value,
			 style == SIZE_IEC ? iec[power] : si[power]);
	else
		snprintf(buf, SIZE_TEXT, "%" PRIu64 " B", bytes);
	return buf;
}

const char *duration_text(char buf[SIZE_TEXT], uint64_t ns)
{
	uint64_t s = (ns + 500000000) / 1000000000;

	if (s < 3600)
		snprintf(buf, SIZE_TEXT, "%u:%02u", (unsigned)(s / 60), (unsigned)(s % 60));
	else if (s < 48 * 3600)
		snprintf(buf, SIZE_TEXT, "%u:%02u h", (unsigned)(s / 3600),
			 (unsigned)(s / 60 % 60));
	else
		snprintf(buf, SIZE_TEXT, "%" PRIu64 " d %u h", s / 86400,
			 (unsigned)(s / 3600 % 24));
	return buf;
}

const char *size_option_text(char buf[SIZE_TEXT], uint64_t bytes)
{
	unsigned power = 0;

	while (bytes && bytes % 1024 == 0 && power < 6) {
		bytes /= 1024;
		power++;
	}
	if (power)
		snprintf(buf, SIZE_TEXT, "%" PRIu64 "%c", bytes, prefixes[power - 1]);
	else
		snprintf(buf, SIZE_TEXT, "%" PRIu64, bytes);
	return buf;
}

const char *latency_text(char buf[SIZE_TEXT], uint64_t ns)
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	char number[SIZE_TEXT];
	double value = (double)ns;
	size_t i = 0;

	while (i < 3 && value >= 999.5) {
		value /= 1000;
		i++;
	}
	snprintf(buf, SIZE_TEXT, "%.20s %s", number_text(number, value), units[i]);
	return buf;
}
