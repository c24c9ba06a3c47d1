/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel command line in words, quoted as the kernel and kmod take it. Speaks to /proc/cmdline. */
#include "boot/cmdline.h"

#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "kernel/kernel.h"

/* @s without its quotes: one in front of the word or of the value takes a blank in, and the one behind goes with it. */
static char *unquoted(struct arena *a, const char *s, size_t n)
{
	if (n && s[0] == '"') {
		s++;
		n--;
		if (n && s[n - 1] == '"')
			n--;
	}
	return arena_strndup(a, s, n);
}

static struct cmdline_word word_of(struct arena *a, const char *s, size_t n)
{
	struct cmdline_word w = { 0 };
	char *name = unquoted(a, s, n), *eq = strchr(name, '=');

	w.name = name;
	if (eq) {
		*eq = 0;
		w.value = unquoted(a, eq + 1, strlen(eq + 1));
	}
	return w;
}

static const char *word_end(const char *s, const char *end)
{
	bool quoted = false;

	for (; s < end; s++) {
		if (*s == '"')
			quoted = !quoted;
		else if (!quoted && strchr(" \t\n\r\v\f", *s))
			break;
	}
	return s;
}

int cmdline_load(struct kernel *k, const struct cmdline **out)
{
	TEXT_CLEANUP struct text t = { 0 };
	void **memo = kernel_memo(k, "boot:cmdline");
	struct { struct cmdline_word *at; size_t n, room; } words = { 0 };
	struct source *source;
	struct cmdline *c;
	int r;

	if (*memo) {
		*out = *memo;
		return 0;
	}
	r = kernel_read(k, "proc/cmdline", &t);
	if (r < 0 && r != -ENOENT)
		return r;
	source = arena_new_of(k->arena, struct source);
	*source = (struct source){ "/proc/cmdline", arena_strdup(k->arena, text_str(&t)), 0 };
	source->len = strlen(source->text);
	for (const char *s = source->text, *end = s + source->len; s < end;) {
		const char *stop = word_end(s, end);

		if (stop > s) {
			struct cmdline_word w = word_of(k->arena, s, (size_t)(stop - s));

			w.pos = (struct pos){ .source = source, .line = 1, .col = (uint32_t)(s - source->text) + 1, .len = (uint32_t)(stop - s) };
			list_add(&words, k->arena) = w;
		}
		s = stop + 1;
	}
	c = arena_new_of(k->arena, struct cmdline);
	*c = (struct cmdline){ words.at, words.n };
	*kernel_memo(k, "boot:cmdline") = c;
	*out = c;
	return 0;
}
