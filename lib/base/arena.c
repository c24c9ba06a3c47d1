/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A run's memory: blocks that double in size up to a bound, freed all at once. They come from the kernel directly, which
 * hands out zeroed pages as they are touched: calloc would clear them a second time, touched or not.
 */
#include "base/arena.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define FIRST_BLOCK (256u << 10)
#define LARGEST_BLOCK (1u << 20)

struct block {
	struct block *next;
	size_t used, size;
	max_align_t data[];
};

struct arena {
	struct block *newest;
};

/* The end of the program is safe here: what was written so far is in the undo list's hands, see engine. */
static void *must(void *p)
{
	if (!p) {
		static const char words[] = "rdmactl: out of memory\n";

		fwrite(words, 1, sizeof(words) - 1, stderr);
		abort();
	}
	return p;
}

static struct block *block_new(size_t size, struct block *next)
{
	struct block *b;

	if (size > SIZE_MAX - sizeof(*b))
		must(NULL);
	b = mmap(NULL, sizeof(*b) + size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	must(b == MAP_FAILED ? NULL : b);
	b->next = next;
	b->size = size;
	return b;
}

struct arena *arena_new(void)
{
	struct arena *a = must(calloc(1, sizeof(*a)));

	a->newest = block_new(FIRST_BLOCK, NULL);
	return a;
}

void arena_free(struct arena *a)
{
	if (!a)
		return;
	for (struct block *b = a->newest, *next; b; b = next) {
		next = b->next;
		munmap(b, sizeof(*b) + b->size);
	}
	free(a);
}

void *arena_alloc(struct arena *a, size_t size)
{
	struct block *b = a->newest;
	size_t step = _Alignof(max_align_t), want;
	char *p;

	if (size > SIZE_MAX - step)
		must(NULL);
	want = size ? (size + step - 1) / step * step : step;
	if (b->size - b->used < want) {
		size_t next = b->size * 2 < LARGEST_BLOCK ? b->size * 2 : LARGEST_BLOCK;

		if (want > next / 4) {		/* large: a block of its own, behind the newest */
			b->next = block_new(want, b->next);
			b->next->used = want;
			return b->next->data;
		}
		b = a->newest = block_new(next, b);
	}
	p = (char *)b->data + b->used;
	b->used += want;
	return p;
}

void *arena_grow(struct arena *a, const void *old, size_t n, size_t more, size_t size)
{
	void *p;

	if (more > (SIZE_MAX - 64) / size - n)
		must(NULL);
	p = arena_alloc(a, (n + more) * size);
	if (n)
		memcpy(p, old, n * size);
	return p;
}

char *arena_strndup(struct arena *a, const char *s, size_t n)
{
	char *p = arena_alloc(a, n + 1);

	memcpy(p, s, n);
	return p;
}

char *arena_strdup(struct arena *a, const char *s)
{
	return arena_strndup(a, s, strlen(s));
}

char *arena_vprintf(struct arena *a, const char *fmt, va_list ap)
{
	va_list again;
	char *p;
	int n;

	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	if (n < 0)
		return arena_strdup(a, fmt);
	p = arena_alloc(a, (size_t)n + 1);
	vsnprintf(p, (size_t)n + 1, fmt, ap);
	return p;
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
	va_list ap;
	char *p;

	va_start(ap, fmt);
	p = arena_vprintf(a, fmt, ap);
	va_end(ap);
	return p;
}
