/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * corpus-text - content that compresses like source code (gzip and zstd: three to five
 * times). Phrases of up to 32 bytes are made once from the words below; a block is a
 * random sequence of them with numbers in between. A phrase is always copied as 32 bytes
 * and the next one overwrites what was too much, which is why a block needs room behind.
 */
#include "bench/corpus.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"

enum { PHRASES = 2048, PHRASE_BYTES = 32, STAGE = 512 };

struct corpus_text {
	unsigned char bytes[PHRASES][PHRASE_BYTES];
	unsigned char len[PHRASES];
};

static const char *const words[] = {
	"static ", "int ", "void ", "const ", "struct ", "unsigned ", "char *", "return ",
	"if (", "else ", "for (", "while (", "switch (", "case ", "break;\n", "goto out;\n",
	"sizeof(", "NULL", "0", "1", "-1", "size_t ", "uint64_t ", "bool ", "true", "false",
	"buffer", "length", "offset", "index", "count", "name", "value", "state", "node",
	"list", "entry", "next", "prev", "head", "tail", "parent", "child", "device", "block",
	"sector", "page", "cache", "inode", "file", "path", "flags", "mode", "error", "result",
	"lock", "queue", "request", "response", "handle", "context", "config", "option",
	"->", ".", ", ", "; ", ";\n", ") {\n", "}\n", "}\n\n", " = ", " == ", " != ", " < ",
	" + ", " - ", " && ", " || ", "\t", "\t\t", "\t\t\t", "(", ")", "[i]", "++", "&",
	"_init(", "_free(", "_get(", "_set(", "_add(", "_find(", "_read(", "_write(",
	"/* ", " */\n", "the ", "of ", "to ", "is ", "not ", "when ", "this ", "must ",
	"#include <", ".h>\n", "#define ", "enum ", "\"", "%s: ", "\\n\"", "assert(",
};

struct corpus_text *corpus_text_new(void)
{
	struct corpus_text *t = calloc(1, sizeof(*t));
	uint64_t state = 0x6e61736c6162ull;
	size_t i;

	if (!t)
		die("no memory");
	for (i = 0; i < PHRASES; i++) {
		size_t want = 4 + corpus_mix(&state) % 18;

		while (t->len[i] < want) {
			const char *w = words[corpus_mix(&state) %
					      (sizeof(words) / sizeof(words[0]))];
			size_t len = strlen(w);

			if (t->len[i] + len > PHRASE_BYTES)
				break;
			memcpy(t->bytes[i] + t->len[i], w, len);
			t->len[i] = (unsigned char)(t->len[i] + len);
		}
	}
	return t;
}

void corpus_text_free(struct corpus_text *t)
{
	free(t);
}

/*
 * Random numbers are made a stage at a time by the fast generator. Each gives four
 * phrases of 11 bits, and now and then a name nobody used before.
 */
void corpus_text(const struct corpus_text *t, uint64_t key, size_t len, unsigned char *out)
{
	unsigned char *end = out + len;
	uint64_t random[STAGE / 8];
	size_t i;

	while (out < end) {
		corpus_random(key, sizeof(random), (unsigned char *)random);
		key = corpus_mix(&key);
		for (i = 0; i < STAGE / 8; i++) {
			uint64_t r = random[i];
			unsigned k;

			for (k = 0; k < 4 && out < end; k++, r >>= 11) {
				memcpy(out, t->bytes[r % PHRASES], PHRASE_BYTES);
				out += t->len[r % PHRASES];
			}
			if (out >= end)
				return;
			if (r & 1) {
				uint64_t hex = 0x6161616161616161ull +
					       ((r >> 1) & 0x0f0f0f0f0f0f0f0full);

				memcpy(out, &hex, sizeof(hex));
				out += 2 + ((r >> 1) & 3);
			}
		}
	}
}
