/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A compiled form with one byte changed, and its checksums made right again, as whoever wants to mislead us would: the text
 * counts, or a policy comes out that can be compiled. With sanitizers this shows that nothing is read beyond its bounds.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/text.h"
#include "catalog.h"
#include "model/desired.h"
#include "model/facts.h"
#include "policy/cache.h"
#include "policy/cache_form.h"
#include "policy/policy.h"

static const char text[] = "version: 1\n"
			   "fabric: {mtu: 9000, classes: {default: {priority: 0}}}\n"
			   "profiles: {a: {node: {max_backlog: 8192}}}\n"
			   "nodes: {gpu1: {profiles: [a]}, \"gpu[1-5]x\": {}, \"gpu[1-9]\": {set: {node: {sysctl: {a.b: 1}}}}, \"g*\": {}}\n"
			   "cohorts: {c: {labels: {row: a}, set: {node: {max_backlog: 2048}}}}\n";

struct form {
	char folder[64], path[96];
	struct text good;
	char *now;			/* what is read */
	size_t n;
	const char *why;
};

static int read_at(void *arg, uint32_t offset, void *to, size_t n)
{
	struct form *f = arg;

	if (offset >= f->n)
		return 0;
	n = n < f->n - offset ? n : f->n - offset;
	memcpy(to, f->now + offset, n);
	return (int)n;
}

static const char *node(void *arg)
{
	(void)arg;
	return "gpu1";
}

static int setup(void **state)
{
	static struct form f;
	struct arena *a = arena_new();
	struct policy *p;
	struct diags d;
	int r = -1;
	FILE *file;

	strcpy(f.folder, "/tmp/rdmactl-cache.XXXXXX");
	if (!mkdtemp(f.folder))
		return -1;
	snprintf(f.path, sizeof(f.path), "%s/p.yaml", f.folder);
	file = fopen(f.path, "w");
	fputs(text, file);
	for (int i = 0; i < 2000; i++)
		fputs("# as long as a policy must be for a form\n", file);
	fclose(file);
	diags_init(&d, a);
	for (int i = 0; r < 0 && i < 100; i++) {
		nanosleep(&(struct timespec){ .tv_nsec = 30000000 }, NULL);
		if (policy_load(a, f.path, catalog_default(), &p, &d) == 0)
			r = cache_make(p, &f.good);
	}
	arena_free(a);
	f.n = f.good.n;
	f.now = malloc(f.n);
	*state = &f;
	return r;
}

static int teardown(void **state)
{
	struct form *f = *state;

	unlink(f->path);
	rmdir(f->folder);
	text_done(&f->good);
	free(f->now);
	return 0;
}

/* Return: the number that is asked of the node; 0 if the form was refused. */
static int64_t load(struct form *f)
{
	struct cache c = { read_at, node, f, NULL };
	const struct facts facts = { .hostname = "gpu1" };
	struct arena *a = arena_new();
	struct desired *desired;
	struct policy *p;
	struct diags d;
	int64_t got = 0;
	int r;

	diags_init(&d, a);
	assert_int_equal(policy_load_for(a, f->path, catalog_default(), &c, &p, &d), 0);
	f->why = c.why;
	r = policy_compile(p, "gpu1", &facts, catalog_default(), &desired, &d);
	assert_int_equal(r < 0, d.errors > 0);
	for (size_t i = 0; !c.why && r == 0 && i < desired->n; i++)
		for (size_t k = 0; k < desired->wish[i].want->n; k++)
			if (!strcmp(desired->wish[i].want->at[k].name, "max_backlog"))
				got = desired->wish[i].want->at[k].value.num;
	arena_free(a);
	return got;
}

/* Checksums of all that is in the form, by where things are in the good one. */
static void make_right(struct form *f)
{
	struct cache_head good, head;
	size_t pages, blocks, end;

	memcpy(&good, f->good.s, sizeof(good));
	pages = sizeof(good) + good.section;
	blocks = pages + good.pages * (size_t)CACHE_PAGE;
	memcpy(&head, f->now, sizeof(head));
	if (head.section == good.section) {
		head.sum = cache_head_sum(head, f->now + sizeof(head));
		memcpy(f->now, &head, sizeof(head));
	}
	for (uint32_t i = 0; i < good.pages; i++) {
		struct cache_page page;

		memcpy(&page, f->now + pages + i * (size_t)CACHE_PAGE, sizeof(page));
		page.sum = cache_sum(i, &page.n, sizeof(page) - sizeof(page.sum));
		memcpy(f->now + pages + i * (size_t)CACHE_PAGE, &page, sizeof(page));
	}
	for (size_t at = blocks; at < f->n; at = end) {		/* a block ends where the next one's sum is right */
		struct cache_block block;
		uint32_t place = (uint32_t)(at - blocks);

		memcpy(&block, f->good.s + at, sizeof(block));
		for (end = at + sizeof(block) + 1; cache_sum(place, f->good.s + at + sizeof(block), end - at - sizeof(block)) != block.sum; end++)
			assert_true(end < f->n);
		block.sum = cache_sum(place, f->now + at + sizeof(block), end - at - sizeof(block));
		memcpy(f->now + at, &block, sizeof(block));
	}
}

static void as_it_is(void **state)
{
	struct form *f = *state;

	memcpy(f->now, f->good.s, f->n);
	assert_int_equal(load(f), 8192);
	assert_null(f->why);
	make_right(f);
	assert_memory_equal(f->now, f->good.s, f->n);
}

/* It ends where its digest begins, and says how long that is: what is not there is not read. */
static void cut_in_the_digest(void **state)
{
	struct form *f = *state;
	struct cache_head head;
	size_t whole = f->n, at = sizeof(head);

	memcpy(f->now, f->good.s, f->n);
	memcpy(&head, f->now, sizeof(head));
	for (unsigned string = 0; string < 2; string++)		/* version and path, each behind its length */
		at += 1 + (size_t)f->now[at];
	head.section = (uint32_t)(at + 1 - sizeof(head));
	head.sum = cache_head_sum(head, f->now + sizeof(head));
	memcpy(f->now, &head, sizeof(head));
	f->n = at + 1;
	assert_int_equal(f->now[at], strlen("sha256:") + 64);
	load(f);
	assert_string_equal(f->why, "it is damaged");
	f->n = whole;
}

static void one_byte(void **state)
{
	static const uint8_t bend[] = { 0x01, 0x80, 0xff, 0x7f };
	struct form *f = *state;
	struct cache_head head;
	size_t refused = 0, taken = 0;

	memcpy(&head, f->good.s, sizeof(head));
	for (size_t i = 0; i < f->n; i++) {
		size_t in_pages = i - sizeof(head) - head.section;

		if (i > sizeof(head) + head.section && in_pages < head.pages * (size_t)CACHE_PAGE && in_pages % CACHE_PAGE > 256)
			continue;		/* nothing is there */
		for (size_t k = 0; k < sizeof(bend); k++) {
			memcpy(f->now, f->good.s, f->n);
			f->now[i] = (char)(f->now[i] ^ bend[k]);
			make_right(f);
			load(f);
			refused += f->why != NULL;
			taken += f->why == NULL;
		}
	}
	assert_true(refused > 100);
	assert_true(taken > 100);	/* so that the bytes of values were reached */
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(as_it_is), cmocka_unit_test(cut_in_the_digest),
					   cmocka_unit_test(one_byte) };

	return cmocka_run_group_tests(tests, setup, teardown);
}
