/* SPDX-License-Identifier: Apache-2.0 */
/* Which rules write what: see udev.h. */
#include "boot/udev.h"

#include <errno.h>
#include <fnmatch.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "boot/netcfg_parts.h"
#include "boot/sysctld.h"
#include "boot/udev_parts.h"
#include "kernel/files.h"
#include "kernel/kernel.h"

enum { FILES_MAX = 1024, SHOWN = 120, RENAMED = 4 };	/* the last: NET_NAME_RENAMED of name_assign_type */

/* --- files ------------------------------------------------------------------------- */

int udev_load(struct kernel *k, enum udev_rules which, const struct udev **out)
{
	static const char *const host[] = { "etc/udev/rules.d", "run/udev/rules.d", NULL };
	static const char *const suffixes[] = { ".rules", NULL };
	const char *key = which == UDEV_HOST ? "boot:udev:host" : "boot:udev";
	struct udev *u = *kernel_memo(k, key);

	if (!u) {
		int r;

		u = arena_new_of(k->arena, struct udev);
		u->k = k;
		k->keep = udev_keep;
		k->keep_joined = true;
		r = which == UDEV_HOST ? confd_dirs(k, host, suffixes, &u->confd) : confd_load(k, "udev/rules.d", suffixes, &u->confd);
		k->keep = NULL;
		k->keep_joined = false;
		if (r < 0)
			return r;
		*kernel_memo(k, key) = u;
	}
	*out = u;
	return 0;
}

/* --- devices ----------------------------------------------------------------------- */

struct udev_device udev_module(const char *module)
{
	return (struct udev_device){ .subsystem = "module", .name = module, .driver = "", .path = "" };
}

struct udev_device udev_netdev(struct kernel *k, const struct netcfg_link *l)
{
	struct netdev *d = arena_new_of(k->arena, struct netdev);
	struct udev_device u = { .subsystem = "net", .name = l->ifname, .driver = l->driver, .netdev = d, .path = "" };
	TEXT_CLEANUP struct text to = { 0 };
	const char *path, *at;
	uint64_t assigned;

	*d = netdev_of(k, l);
	path = arena_printf(k->arena, "sys/class/net/%s", l->ifname);
	if (kernel_link(k, path, &to) == 0 && (at = strstr(text_str(&to), "/devices/")))
		u.path = arena_strdup(k->arena, at + 9);
	u.renamed = files_u64(k, &assigned, "%s/name_assign_type", path) == 0 && assigned == RENAMED;
	return u;
}

/* --- what a rule writes --------------------------------------------------------------- */

static const struct udev_device any_device = { .subsystem = "", .name = "", .driver = "", .path = "" };

/* What is looked for: an attribute of a device, or a key of /proc/sys. */
struct wanted {
	const struct udev_device *d;	/* of a key: with which it may come */
	const char *attr;		/* "mtu"; NULL: a key */
	const char *path, *dotted;	/* "net/core/rmem_max", "net.core.rmem_max" */
};

/* A rule and its verdicts: for the device, and for whatever appears. */
struct judged {
	const struct udev_rule *rule;
	struct udev_verdict mine, any;
};

/* "[net/nic0]mtu": of that device, whichever one the rule is for. */
static bool is_named_attr(const struct wanted *w, const char *attr)
{
	const char *slash = strchr(attr, '/');
	size_t n = strlen(w->d->name);

	if (!slash || strncmp(slash + 1, w->d->name, n) || slash[1 + n] != ']')
		return false;
	attr = slash + n + 2;
	return !strcmp(attr + (*attr == '/'), w->attr);
}

/* A part of it may be made up: "net/ipv4/conf/%c/rp_filter" is any of them. An asterisk of the rule's own is a letter. */
static bool is_key(struct arena *a, const struct wanted *w, const struct udev_device *d, const char *attr, bool *known)
{
	const char *path = sysctld_path(a, udev_expand(a, d, attr, '*', known));

	return *known ? !strcmp(path, w->path) : !fnmatch(path, w->path, 0);
}

static bool ends_word(char c)
{
	return !c || strchr(" \t=;&|>'\"", c);
}

/* The word behind @word in a command line, if it is one by itself: "9000" of "ip link set nic0 mtu 9000". */
static const char *word_after(struct arena *a, const char *command, const char *word)
{
	size_t n = strlen(word);

	for (const char *at = command; (at = strstr(at, word)); at += n) {
		const char *value = at + n + strspn(at + n, " \t='\"");

		if ((at > command && !strchr(" \t'\"/", at[-1])) || !at[n] || !strchr(" \t=", at[n]))
			continue;
		return arena_strndup(a, value, strcspn(value, " \t'\";&|>"));
	}
	return NULL;
}

/* Is the file named, its folder before it? */
static bool names_file(const char *command, const char *name)
{
	for (const char *at = command; (at = strstr(at, name)); at++)
		if (at > command && at[-1] == '/' && ends_word(at[strlen(name)]))
			return true;
	return false;
}

/* Does a program of a rule seem to write it? *value: what, as far as it can be seen */
static bool runs_it(struct arena *a, const struct wanted *w, const char *command, const char **value)
{
	const char *word = w->path ? w->dotted : !strcmp(w->attr, "mtu") ? "mtu" : NULL;

	*value = word ? word_after(a, command, word) : NULL;
	if (!*value && w->path)
		*value = word_after(a, command, w->path);
	return *value || names_file(command, w->path ? w->path : w->attr);
}

/* For which of the two an attribute is asked: the device itself, or by its name whatever appears. */
static const struct udev_verdict *verdict_of(const struct wanted *w, const struct judged *j, const struct udev_token *t)
{
	if (t->key == UDEV_ATTR)
		return *t->attr == '[' ? &j->any : &j->mine;
	return j->mine.fits != UDEV_FITS_NOT ? &j->mine : strstr(t->value, w->d->name) ? &j->any : NULL;
}

/* Does this token write it, and what; *doubt: one of its own, or NULL. */
static bool writes(struct arena *a, const struct wanted *w, const struct udev_device *d, const struct udev_token *t,
		   const char **value, const char **doubt)
{
	bool known = true;

	*doubt = NULL;
	if (t->key == UDEV_RUN || t->key == UDEV_PROGRAM) {
		*doubt = arena_printf(a, "it runs \"%s\"", text_safe(a, t->value, strlen(t->value), SHOWN));
		return runs_it(a, w, t->value, value);
	}
	if (w->path ? !is_key(a, w, d, t->attr, &known) : *t->attr == '[' ? !is_named_attr(w, t->attr) : strcmp(t->attr, w->attr) != 0)
		return false;
	if (!known)
		*doubt = "which key it writes is made up when it runs";
	*value = udev_expand(a, d, t->value, '?', &known);
	if (!known || t->escaped) {
		*doubt = *doubt ? *doubt : "its value is made up when it runs";
		*value = NULL;
	}
	return true;
}

static bool may_be(const struct wanted *w, const struct udev_token *t)
{
	return t->key == UDEV_RUN || t->key == UDEV_PROGRAM || (!t->match && t->key == (w->path ? UDEV_SYSCTL : UDEV_ATTR));
}

/* A key is written with any device; of the one that brings it, it may be known. */
static const struct udev_verdict *writer(struct arena *a, const struct wanted *w, const struct judged *j, const struct udev_token *t,
					 const char **value, const char **doubt)
{
	const struct udev_verdict *v = w->path ? &j->any : verdict_of(w, j, t);

	if (w->path && j->mine.fits == UDEV_FITS && writes(a, w, w->d, t, value, doubt))
		return &j->mine;
	return v && v->fits != UDEV_FITS_NOT && writes(a, w, v == &j->mine ? w->d : &any_device, t, value, doubt) ? v : NULL;
}

/* RUN comes after all rules of all files, whatever else a file has: @late takes it. */
static void acts_of_rule(struct arena *a, const struct wanted *w, const char *file, const struct judged *j, struct udev_acts *now,
			 struct udev_acts *late)
{
	for (size_t i = 0; i < j->rule->n; i++) {
		const struct udev_token *t = &j->rule->at[i];
		const char *value, *doubt;
		const struct udev_verdict *v = may_be(w, t) ? writer(a, w, j, t, &value, &doubt) : NULL;

		if (v)
			list_add(t->key == UDEV_RUN ? late : now, a) =
				(struct udev_act){ j->rule->pos, file, value, doubt ? doubt : v->fits == UDEV_FITS ? NULL : v->why };
	}
}

static void acts_of_file(const struct udev *u, const struct wanted *w, const struct confd_file *f, const struct udev_file *file,
			 struct udev_acts *now, struct udev_acts *late)
{
	struct arena *a = u->k->arena;
	struct udev_verdict *mine = arena_array_of(a, struct udev_verdict, file->n + 1);
	struct udev_verdict *any = arena_array_of(a, struct udev_verdict, file->n + 1);

	udev_judge(u->k, file, f->name, w->d, mine);
	udev_judge(u->k, file, f->name, &any_device, any);
	for (size_t i = 0; i < file->n; i++)
		acts_of_rule(a, w, f->name, &(struct judged){ &file->at[i], mine[i], any[i] }, now, late);
}

/* --- all files -------------------------------------------------------------------------- */

/* A file that does not say the word needs no more. */
static bool may_write(const struct source *s, const struct wanted *w)
{
	const char *name = w->path ? w->path : w->attr, *slash = strrchr(name, '/'), *word = slash ? slash + 1 : name;

	return memmem(s->text, s->len, word, strlen(word)) || (w->path && memmem(s->text, s->len, "SYSCTL{", 7));
}

static void set_unread(struct arena *a, struct udev_acts *out, const char *path, const char *why)
{
	if (!out->unread && why)
		out->unread = arena_printf(a, "/%s: %s", text_safe(a, path, strlen(path), 200), why);
}

static const char *why_unread(const struct confd_file *f, bool cut)
{
	return f->err ? strerror(-f->err) : cut ? "it holds more than is looked at" : NULL;
}

static void find(const struct udev *u, const struct wanted *w, struct udev_acts *out)
{
	struct arena *a = u->k->arena;
	struct udev_acts late = { 0 };

	for (size_t i = 0; i < u->confd->n && i < FILES_MAX; i++) {
		const struct confd_file *f = &u->confd->at[i];
		struct udev_file file;

		set_unread(a, out, f->path, why_unread(f, i + 1 == FILES_MAX));
		if (!f->source.len || !may_write(&f->source, w))
			continue;
		udev_parse(a, &f->source, &file);
		set_unread(a, out, f->path, why_unread(f, file.cut));
		acts_of_file(u, w, f, &file, out, &late);
	}
	for (size_t i = 0; i < late.n; i++)
		list_add(out, a) = late.at[i];
}

void udev_attr(const struct udev *u, const struct udev_device *d, const char *attr, struct udev_acts *out)
{
	find(u, &(struct wanted){ .d = d, .attr = attr }, out);
}

void udev_sysctl(const struct udev *u, const struct udev_device *d, const char *path, struct udev_acts *out)
{
	find(u, &(struct wanted){ .d = d ? d : &any_device, .path = path, .dotted = sysctld_key(u->k->arena, path) }, out);
}
