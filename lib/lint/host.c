/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sysctls that do nothing for RDMA, and module options that do not exist: all are accepted without a word. Values that
 * do not fit are refused by the settings themselves.
 */
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "lint/lint.h"
#include "model/record.h"
#include "settings/known_modules.h"

/* Calls @judge for each value of the group under a `*` of this field's name. Return: are there any. */
static bool each_named(struct lint *l, const char *field, void (*judge)(struct lint *l, const struct cell *c))
{
	bool any = false;

	for (size_t i = 0; i < l->cell.n; i++) {
		const struct cell *c = l->cell.at[i];

		if (!c->star[0] || strcmp(c->field->name, field) != 0)
			continue;
		any = true;
		judge(l, c);
	}
	return any;
}

/* --- sysctl ------------------------------------------------------------------ */

/* "net/core/rmem_max" is another spelling of the key with dots. */
static bool is_part(const char *s, const char *key, size_t n)
{
	while (n && (*s == *key || (*s == '/' && *key == '.'))) {
		s++;
		key++;
		n--;
	}
	return !n;
}

static bool is_key(const char *s, const char *key)
{
	return strlen(s) == strlen(key) && is_part(s, key, strlen(key));
}

static void judge_mem_max(struct lint *l, const struct cell *c)
{
	if (is_key(c->star[0], "net.core.rmem_max") || is_key(c->star[0], "net.core.wmem_max"))
		lint_find(l, &c->pos, "%s bounds socket buffers, which RDMA does not use", c->star[0]);
}

static void judge_mem_default(struct lint *l, const struct cell *c)
{
	if (is_key(c->star[0], "net.core.rmem_default") || is_key(c->star[0], "net.core.wmem_default"))
		lint_find(l, &c->pos, "%s is given to every socket of the node, and to no RDMA queue", c->star[0]);
}

/* net.ipv4.conf.NAME.rp_filter */
static void judge_rp_filter(struct lint *l, const struct cell *c)
{
	static const char head[] = "net.ipv4.conf.", tail[] = ".rp_filter";
	size_t n = strlen(c->star[0]), before = strlen(head), behind = strlen(tail);

	if (n > before + behind && is_part(c->star[0], head, before) && is_part(c->star[0] + n - behind, tail, behind) &&
	    !strcmp(c->value.text, "1"))
		lint_find(l, &c->pos, "%s is 1: with several ports in one subnet packets are dropped by the port that does not answer",
			  c->star[0]);
}

static bool rp_filter(struct lint *l)
{
	return each_named(l, "sysctl.*", judge_rp_filter);
}

static bool sysctl_mem_max(struct lint *l)
{
	return each_named(l, "sysctl.*", judge_mem_max);
}

static bool sysctl_mem_default(struct lint *l)
{
	return each_named(l, "sysctl.*", judge_mem_default);
}

/* --- module options ---------------------------------------------------------- */

static void judge_option(struct lint *l, const struct cell *c)
{
	const char *instead = known_modules_missing(c->star[0], c->star[1]);

	if (instead && lint_find(l, &c->pos, "module %s has no option %s", c->star[0], c->star[1]))
		diag_hint(l->d, "%s", instead);
}

static bool no_option(struct lint *l)
{
	return each_named(l, "modules.*.options.*", judge_option);
}

/* The names between blanks; NULL at the end. */
static const char **names_of(struct arena *a, const char *list)
{
	const char **names = arena_array_of(a, const char *, strlen(list) + 2);
	size_t n = 0;

	for (char *save = NULL, *s = strtok_r(arena_strdup(a, list), " ", &save); s; s = strtok_r(NULL, " ", &save))
		names[n++] = s;
	return names;
}

static void judge_unknown(struct lint *l, const struct cell *c)
{
	const char *known = known_modules_options(c->star[0]), *near;
	const char **names = known ? names_of(l->d->arena, known) : NULL;

	if (!known || known_modules_missing(c->star[0], c->star[1]))
		return;
	for (size_t i = 0; names[i]; i++)
		if (known_modules_same(names[i], c->star[1]))
			return;
	if (!lint_find(l, &c->pos, "module %s of the kernel has no option %s", c->star[0], c->star[1]))
		return;
	near = text_nearest(c->star[1], names);
	if (near)
		diag_hint(l->d, "did you mean %s?", near);
	else
		diag_hint(l->d, "%s%s; a vendor's build may have more: modinfo -p %s",
			  *known ? "it has " : "it has none", known, c->star[0]);
}

static bool option_unknown(struct lint *l)
{
	return each_named(l, "modules.*.options.*", judge_unknown);
}

/* Modules that were, and what does their work now. */
static const struct {
	const char *module, *instead;
} gone[] = {
	{ "ib_ucm",
	  "the kernel has none since 5.3; connections are managed by rdma_ucm: write rdma_ucm: {load: true}" },
	{ "ib_sdp", "no kernel has it any more; take it out" },
};

static void judge_gone(struct lint *l, const struct cell *c)
{
	for (size_t i = 0; c->value.num && i < sizeof(gone) / sizeof(gone[0]); i++)
		if (known_modules_same(c->star[0], gone[i].module) &&
		    lint_find(l, &c->pos, "there is no module %s", c->star[0]))
			diag_hint(l->d, "%s", gone[i].instead);
}

static bool no_module(struct lint *l)
{
	return each_named(l, "modules.*.load", judge_gone);
}

/* --- max_backlog -------------------------------------------------------------- */

enum { BACKLOG_DEFAULT = 1024, BACKLOG_MOST = 1 << 20 };

static bool backlog_size(struct lint *l)
{
	const struct cell *c = lint_cell(l, "max_backlog");

	if (c && c->value.num < BACKLOG_DEFAULT)
		lint_find(l, &c->pos, "max_backlog %d is less than the kernel's default of %d", (int)c->value.num,
			  BACKLOG_DEFAULT);
	else if (c && c->value.num > BACKLOG_MOST)
		lint_find(l, &c->pos, "max_backlog %d is more connection requests than a node can hold in memory",
			  (int)c->value.num);
	return c;
}

/* rdma-ucm is rdma_ucm. */
static bool loads(const struct lint *l, const char *module)
{
	for (size_t i = 0; i < l->cell.n; i++) {
		const struct cell *c = l->cell.at[i];

		if (!strcmp(c->field->name, "modules.*.load") && c->value.num && known_modules_same(c->star[0], module))
			return true;
	}
	return false;
}

static bool backlog_without_module(struct lint *l)
{
	const struct cell *c = lint_cell(l, "max_backlog");

	if (c && !loads(l, "rdma_ucm"))
		lint_find(l, &c->pos, "max_backlog is a key of rdma_ucm, and nothing here loads that module at boot");
	return c;
}

const struct lint_rule lint_host[] = {
	{ { "rp-filter-strict", SEVERITY_NOTE,
	    "Connections between some pairs of ports hang, and work between others: the routing table decides which.",
	    "kernel Documentation, ip-sysctl: strict reverse path (RFC 3704)", "write 2 on nodes with several ports in one subnet",
	    "sysctl" },
	  .group = rp_filter },
	{ { "sysctl-mem-max", SEVERITY_NOTE, "It helps TCP beside RDMA, and is no cure for anything RDMA does.",
	    "verbs queues are registered memory, not socket buffers", "keep it if TCP needs it", "sysctl" },
	  .group = sysctl_mem_max },
	{ { "sysctl-mem-default", SEVERITY_WARNING,
	    "Thousands of idle sockets then hold memory that RDMA registrations want.",
	    "socket(7): SO_RCVBUF and SO_SNDBUF of sockets that do not ask",
	    "leave it out; raise the *_max and let programs ask", "sysctl" },
	  .group = sysctl_mem_default },
	{ { "module-option-missing", SEVERITY_ERROR,
	    "The kernel ignores an option that a module lacks, so that the file looks applied and does nothing.",
	    "kernel: \"unknown parameter ignored\"; modinfo -p names those that exist", NULL, "modules.*.options" },
	  .group = no_option },
	{ { "module-option-unknown", SEVERITY_WARNING,
	    "The kernel ignores an option that a module lacks, so that the file looks applied and does nothing.",
	    "the kernel's own tree; a vendor's build may have more", NULL,
	    "modules.*.options of a module that is known" },
	  AFTER("module-option-missing"),
	  .group = option_unknown },
	{ { "module-missing", SEVERITY_ERROR, "A line that loads nothing looks like one that does.",
	    "kernel: drivers/infiniband; rdma-core has it commented out as obsolete", NULL, "modules.*.load" },
	  .group = no_module },
	{ { "backlog-not-sane", SEVERITY_WARNING,
	    "Too small a backlog drops connection requests without a word; each that waits holds kernel memory.",
	    "drivers/infiniband/core/ucma.c: 1024, and any positive number is taken",
	    "take 8192, or a few for each peer", "max_backlog" },
	  .group = backlog_size },
	{ { "backlog-without-module", SEVERITY_NOTE,
	    "When sysctl.d is read the key is not there yet, and the value is lost unless something loads the module "
	    "before.",
	    "net.rdma_ucm.* exists once rdma_ucm is loaded", "add modules: {rdma_ucm: {load: true}}", "max_backlog" },
	  AFTER("module-missing", "backlog-not-sane"),
	  .group = backlog_without_module },
	{ .is.name = NULL },
};
