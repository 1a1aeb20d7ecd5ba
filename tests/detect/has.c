/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * has EXPECTED ACTUAL - does the JSON in ACTUAL say everything that EXPECTED says?
 * Objects may have more keys than expected; lists have the same length and order. Every
 * difference is one line with its place; a disk is named by its name.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

static int differences;

static void differ(const char *place, const json_t *want, const json_t *got)
{
	char *w = json_dumps(want, JSON_ENCODE_ANY | JSON_COMPACT);
	char *g = got ? json_dumps(got, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;

	printf("%s: wanted %s, got %s\n", place, w, g ? g : "nothing");
	free(w);
	free(g);
	differences++;
}

static void compare(const char *place, const json_t *want, const json_t *got)
{
	char inner[512];
	const char *key;
	const json_t *value;
	size_t i;

	if (json_is_object(want) && json_is_object(got)) {
		json_object_foreach((json_t *)want, key, value) {
			snprintf(inner, sizeof(inner), "%s.%s", place, key);
			compare(inner, value, json_object_get(got, key));
		}
	} else if (json_is_array(want) && json_is_array(got)) {
		for (i = 0; i < json_array_size(want) || i < json_array_size(got); i++) {
			const json_t *w = json_array_get(want, i), *g = json_array_get(got, i);
			const char *name = json_string_value(json_object_get(w, "name"));

			if (!w || !g) {
				snprintf(inner, sizeof(inner), "%s[%zu]", place, i);
				printf("%s: %s\n", inner, w ? "missing" : "too many");
				differ(inner, w ? w : json_null(), g);
				continue;
			}
			if (name)
				snprintf(inner, sizeof(inner), "%s", name);
			else
				snprintf(inner, sizeof(inner), "%s[%zu]", place, i);
			compare(inner, w, g);
		}
	} else if (!json_equal(want, got)) {
		differ(place, want, got);
	}
}

int main(int argc, char **argv)
{
	json_error_t error;
	json_t *file[2];
	int i;

	if (argc != 3)
		return 2;
	for (i = 0; i < 2; i++) {
		file[i] = json_load_file(argv[i + 1], 0, &error);
		if (!file[i]) {
			printf("%s line %d: %s\n", argv[i + 1], error.line, error.text);
			return 99;
		}
	}
	compare("", file[0], file[1]);
	json_decref(file[0]);
	json_decref(file[1]);
	return differences ? 1 : 0;
}
