/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include <jansson.h>
#include <stdint.h>

/*
 * Sizes as JSON integers: everything naslab counts is below 2^63. A string that is
 * no valid UTF-8 (a disk's model, a label) is put in with \xNN for the bad bytes.
 */
void json_put_u64(json_t *object, const char *key, uint64_t value);
void json_put_str(json_t *object, const char *key, const char *text);	/* NULL: null */
void json_add_str(json_t *array, const char *text);

/* Read back; `missing` / NULL when the key is absent or of another type. */
uint64_t json_u64(const json_t *object, const char *key, uint64_t missing);
const char *json_str(const json_t *object, const char *key);

/* One line of text without a newline; the caller frees it. */
char *json_line(const json_t *value);

#endif
