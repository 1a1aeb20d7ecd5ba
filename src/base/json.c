/* SPDX-License-Identifier: GPL-2.0-or-later */
/* json - the few shapes of jansson calls that everybody needs. */
#include "base/json.h"

#include "base/err.h"
#include "base/sbuf.h"

void json_put_u64(json_t *object, const char *key, uint64_t value)
{
	json_object_set_new(object, key, json_integer((json_int_t)value));
}

static json_t *safe_string(const char *text)
{
	struct sbuf safe = { 0 };
	json_t *s = json_string(text);

	if (s)
		return s;
	sbuf_add_safe(&safe, text);
	s = json_string(sbuf_str(&safe));
	sbuf_done(&safe);
	return s;
}

void json_put_str(json_t *object, const char *key, const char *text)
{
	json_object_set_new(object, key, text ? safe_string(text) : json_null());
}

void json_add_str(json_t *array, const char *text)
{
	json_array_append_new(array, safe_string(text));
}

uint64_t json_u64(const json_t *object, const char *key, uint64_t missing)
{
	const json_t *v = json_object_get(object, key);

	if (!json_is_integer(v) || json_integer_value(v) < 0)
		return missing;
	return (uint64_t)json_integer_value(v);
}

const char *json_str(const json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}

char *json_line(const json_t *value)
{
	char *text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY | JSON_PRESERVE_ORDER);

	if (!text)
		die("no memory for JSON");
	return text;
}
