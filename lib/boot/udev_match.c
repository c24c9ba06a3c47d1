/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a rule fits a device. Three answers: yes, no, and a doubt, for what is asked of programs, of other rules, or of a
 * moment that is over. Speaks to sysfs: the attributes by which rules tell one port from another, and the parents of the device.
 */
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "boot/netcfg_parts.h"
#include "boot/udev_parts.h"
#include "kernel/files.h"
#include "kernel/kernel.h"

enum { VALUE = 256, PARENTS = 16 };

struct eval {
	struct kernel *k;
	const struct udev_device *d;
	const char *file;		/* base name of the rules' file */
	const char *action;
};

/* --- patterns ---------------------------------------------------------------------- */

/* Alternatives between bars; an empty one is the empty text. */
static bool matches(const struct udev_token *t, const char *s)
{
	const char *at = t->value;

	for (;;) {
		size_t n = strcspn(at, "|");
		char one[VALUE];

		if (n < sizeof(one)) {
			memcpy(one, at, n);
			one[n] = 0;
			if (fnmatch(one, s, t->fold ? FNM_CASEFOLD : 0) == 0)
				return true;
		}
		if (!at[n])
			return false;
		at += n + 1;
	}
}

static enum udev_fits sure(const struct udev_token *t, bool match)
{
	return match != t->invert ? UDEV_FITS : UDEV_FITS_NOT;
}

/* It may be one or the other when the rule is at work. */
static enum udev_fits either(const struct udev_token *t, const char *a, const char *b)
{
	return matches(t, a) == matches(t, b) ? sure(t, matches(t, a)) : UDEV_FITS_MAYBE;
}

/* --- conditions of the device -------------------------------------------------------- */

static bool any_device(const struct eval *e)
{
	return !*e->d->subsystem;
}

/* A pattern with a name that the kernel may have given first: nobody knows which number it had. */
static bool may_be_first_name(const char *pattern)
{
	return !strncmp(pattern, "eth", 3) || !strncmp(pattern, "ib", 2) || strstr(pattern, "|eth") || strstr(pattern, "|ib");
}

static enum udev_fits fits_name(const struct eval *e, const struct udev_token *t)
{
	if (!e->d->renamed || strcmp(e->action, "add") != 0)
		return sure(t, matches(t, e->d->name));
	return may_be_first_name(t->value) ? UDEV_FITS_MAYBE : either(t, e->d->name, "eth0");
}

/* Told by the builtin behind .link files: earlier rules see nothing of it. */
static enum udev_fits fits_driver_property(const struct eval *e, const struct udev_token *t)
{
	char driver[VALUE] = "";

	if (!netdev_property(e->d->netdev, "ID_NET_DRIVER", driver, sizeof(driver)))
		snprintf(driver, sizeof(driver), "%s", e->d->driver);
	if (!*driver)
		return UDEV_FITS_MAYBE;
	return strcmp(e->file, UDEV_NAMES_LINKS) > 0 ? sure(t, matches(t, driver)) : either(t, driver, "");
}

/* What udev keeps is what the last event ended with; a property that begins with a dot is not kept. */
static enum udev_fits fits_property(const struct eval *e, const struct udev_token *t)
{
	char value[VALUE];

	if (*t->attr == '.' || !e->d->netdev || !e->d->netdev->udev)
		return UDEV_FITS_MAYBE;
	if (netdev_property(e->d->netdev, t->attr, value, sizeof(value)))
		return either(t, value, "");
	return strstr(e->d->netdev->udev, t->attr) ? UDEV_FITS_MAYBE : sure(t, matches(t, ""));	/* the first: it is too long */
}

static enum udev_fits fits_env(const struct eval *e, const struct udev_token *t)
{
	if (!strcmp(t->attr, "ACTION"))
		return sure(t, matches(t, e->action));
	if (any_device(e))
		return UDEV_FITS_MAYBE;
	if (!strcmp(t->attr, "SUBSYSTEM"))
		return sure(t, matches(t, e->d->subsystem));
	if (!strcmp(t->attr, "INTERFACE") && e->d->netdev)
		return fits_name(e, t);
	if (!strcmp(t->attr, "ID_NET_DRIVER") && e->d->netdev)
		return fits_driver_property(e, t);
	return fits_property(e, t);
}

/* --- attributes ------------------------------------------------------------------------ */

/* Those that stay as they are, and cost the device nothing. */
static bool is_lasting(const char *attr)
{
	static const char *const names[] = { "address", "type", "dev_id", "dev_port", "phys_port_name", "vendor", "device",
					     "subsystem_vendor", "subsystem_device", "class" };

	if (!strncmp(attr, "device/", 7))
		attr += 7;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(attr, names[i]))
			return true;
	return false;
}

/* An attribute that is missing fits neither == nor !=. */
static enum udev_fits fits_file(const struct eval *e, const struct udev_token *t, const char *dir)
{
	const char *text;
	int r;

	if (!is_lasting(t->attr))
		return UDEV_FITS_MAYBE;
	r = files_text(e->k, &text, "%s/%s", dir, t->attr);
	if (r == -ENODATA || r == -EACCES || r == -EPERM)	/* udev is root, and looks at the machine itself */
		return UDEV_FITS_MAYBE;
	if (r < 0)
		return UDEV_FITS_NOT;
	return strlen(text) >= VALUE ? UDEV_FITS_MAYBE : sure(t, matches(t, text));
}

static const char *sysfs_of(const struct eval *e)
{
	return arena_printf(e->k->arena, "sys/class/net/%s", e->d->name);
}

static enum udev_fits fits_attr(const struct eval *e, const struct udev_token *t)
{
	if (!e->d->netdev)
		return UDEV_FITS_MAYBE;
	if (!strcmp(t->attr, "address") && *e->d->netdev->mac)
		return sure(t, matches(t, e->d->netdev->mac));
	return fits_file(e, t, sysfs_of(e));
}

/* --- parents ------------------------------------------------------------------------- */

struct parent {
	const char *name, *subsystem, *driver;	/* NULL: not known */
	const char *dir;		/* of its attributes, NULL: none that is looked at */
	bool self;			/* the device, whose name may have been another one */
};

static enum udev_fits fits_known(const struct udev_token *t, const char *s)
{
	return s ? sure(t, matches(t, s)) : UDEV_FITS_MAYBE;
}

static enum udev_fits fits_parent(const struct eval *e, const struct udev_token *t, const struct parent *p)
{
	switch (t->key) {
	case UDEV_KERNELS:
		return p->self ? fits_name(e, t) : fits_known(t, p->name);
	case UDEV_SUBSYSTEMS:
		return fits_known(t, p->subsystem);
	case UDEV_DRIVERS:
		return fits_known(t, p->driver);
	case UDEV_ATTRS:
		return p->dir ? fits_file(e, t, p->dir) : UDEV_FITS_MAYBE;
	default:
		return UDEV_FITS_MAYBE;
	}
}

static bool is_parents(enum udev_key key)
{
	return key >= UDEV_PARENTS && key < UDEV_PARENTS_END;
}

static enum udev_fits worse(enum udev_fits a, enum udev_fits b)
{
	return a < b ? a : b;
}

static enum udev_fits better(enum udev_fits a, enum udev_fits b)
{
	return a > b ? a : b;
}

static enum udev_fits all_of_parent(const struct eval *e, const struct udev_rule *r, const struct parent *p)
{
	enum udev_fits all = UDEV_FITS;

	for (size_t i = 0; i < r->n; i++)
		if (r->at[i].match && is_parents(r->at[i].key))
			all = worse(all, fits_parent(e, &r->at[i], p));
	return all;
}

/* 0000:27:00.0, with four or more digits in front */
static bool is_pci(const char *s)
{
	size_t n = strlen(s);

	return n >= 12 && s[n - 8] == ':' && s[n - 5] == ':' && s[n - 2] == '.';
}

/* A host bridge has neither driver nor bus; of anything else both are unknown. */
static struct parent other_parent(const struct eval *e, const char *name)
{
	if (strncmp(name, "pci", 3) != 0)
		return (struct parent){ name, NULL, NULL, NULL, false };
	return (struct parent){ name, "", "", arena_printf(e->k->arena, "sys/devices/%s", name), false };
}

static struct parent pci_parent(const struct eval *e, const char *name, bool nearest)
{
	struct parent p = { name, "pci", NULL, arena_printf(e->k->arena, "sys/bus/pci/devices/%s", name), false };

	if (files_link(e->k, &p.driver, "%s/driver", p.dir) < 0)
		p.driver = nearest && *e->d->driver ? e->d->driver : NULL;
	return p;
}

/* From the root down, as the path names them, so that the last PCI function is the nearest one. Return: how many */
static size_t parents_of(const struct eval *e, struct parent *p, bool *all)
{
	char *path = arena_strdup(e->k->arena, e->d->path), *save = NULL;
	const char *name[PARENTS];
	size_t n = 0, nearest = 0;

	*all = *path;
	for (char *s = strtok_r(path, "/", &save); s; s = strtok_r(NULL, "/", &save)) {
		if (n == PARENTS) {
			*all = false;
			break;
		}
		nearest = is_pci(s) ? n : nearest;
		name[n++] = s;
	}
	n -= n < 2 ? n : 2;		/* "net/nic0" is the device itself */
	for (size_t i = 0; i < n; i++)
		p[i] = is_pci(name[i]) ? pci_parent(e, name[i], i == nearest) : other_parent(e, name[i]);
	return n;
}

/* The device itself is asked first, then those above it: one has to fit all conditions. */
static enum udev_fits fits_parents(const struct eval *e, const struct udev_rule *r)
{
	struct parent p[PARENTS];
	struct parent self = { NULL, e->d->subsystem, "", e->d->netdev ? sysfs_of(e) : NULL, true };
	enum udev_fits best;
	bool all;
	size_t n;

	if (any_device(e))
		return UDEV_FITS_MAYBE;
	best = all_of_parent(e, r, &self);
	if (!e->d->netdev)
		return best;
	n = parents_of(e, p, &all);
	for (size_t i = 0; i < n; i++)
		best = better(best, all_of_parent(e, r, &p[i]));
	if (all)
		return best;
	/* its path is not known: of the function behind it the driver is, and of bridges above no rule asks one */
	p[0] = (struct parent){ NULL, "pci", *e->d->driver ? e->d->driver : NULL,
				arena_printf(e->k->arena, "%s/device", sysfs_of(e)), false };
	return better(best, all_of_parent(e, r, &p[0]));
}

/* --- rules ---------------------------------------------------------------------------- */

static enum udev_fits fits_token(const struct eval *e, const struct udev_token *t)
{
	if (t->escaped)
		return UDEV_FITS_MAYBE;
	switch (t->key) {
	case UDEV_ACTION:
		return sure(t, matches(t, e->action));
	case UDEV_KERNEL:
		return any_device(e) ? UDEV_FITS_MAYBE : fits_name(e, t);
	case UDEV_SUBSYSTEM:
		return any_device(e) ? UDEV_FITS_MAYBE : sure(t, matches(t, e->d->subsystem));
	case UDEV_DRIVER:			/* neither a netdev nor a module is bound to one */
		return any_device(e) ? UDEV_FITS_MAYBE : sure(t, matches(t, ""));
	case UDEV_ENV:
		return fits_env(e, t);
	case UDEV_ATTR:
		return any_device(e) ? UDEV_FITS_MAYBE : fits_attr(e, t);
	default:
		return UDEV_FITS_MAYBE;
	}
}

static const char *told(struct arena *a, const struct udev_token *t)
{
	const char *name = *t->attr ? arena_printf(a, "%s{%s}", t->name, t->attr) : t->name;

	return arena_printf(a, "it asks for %s, which cannot be judged here", text_safe(a, name, strlen(name), 60));
}

static struct udev_verdict judge_rule(const struct eval *e, const struct udev_rule *r)
{
	struct udev_verdict v = { UDEV_FITS, NULL };
	const struct udev_token *parents = NULL;

	for (size_t i = 0; i < r->n && v.fits != UDEV_FITS_NOT; i++) {
		const struct udev_token *t = &r->at[i];
		enum udev_fits one = UDEV_FITS;

		if (t->match && is_parents(t->key))
			parents = parents ? parents : t;
		else if (t->match)
			one = fits_token(e, t);
		if (one == UDEV_FITS_MAYBE && v.fits == UDEV_FITS)
			v.why = told(e->k->arena, t);
		v.fits = worse(v.fits, one);
	}
	if (parents && v.fits != UDEV_FITS_NOT) {
		enum udev_fits one = fits_parents(e, r);

		if (one == UDEV_FITS_MAYBE && v.fits == UDEV_FITS)
			v.why = told(e->k->arena, parents);
		v.fits = worse(v.fits, one);
	}
	return v;
}

/* A LABEL behind rule @i; without one the GOTO does nothing. */
static size_t label_of(const struct udev_file *f, size_t i)
{
	for (size_t j = i + 1; j < f->n; j++)
		if (f->at[j].label && !strcmp(f->at[j].label, f->at[i].go))
			return j;
	return 0;
}

/* One event: all rules in their order. */
static void judge_event(const struct eval *e, const struct udev_file *f, const char *later, struct udev_verdict *out)
{
	size_t go = 0, doubtful = 0;

	for (size_t i = 0; i < f->n; i++) {
		struct udev_verdict v;

		if (i < go)
			continue;
		v = judge_rule(e, &f->at[i]);
		if (f->at[i].go && v.fits == UDEV_FITS)
			go = label_of(f, i);
		else if (f->at[i].go && v.fits == UDEV_FITS_MAYBE && label_of(f, i) > doubtful)
			doubtful = label_of(f, i);
		if (v.fits == UDEV_FITS && (i < doubtful || later))
			v = (struct udev_verdict){ UDEV_FITS_MAYBE, later ? later : "a GOTO before it may pass it over" };
		if (v.fits > out[i].fits)
			out[i] = v;
	}
}

void udev_judge(struct kernel *k, const struct udev_file *f, const char *name, const struct udev_device *d,
		struct udev_verdict *out)
{
	struct eval e = { k, d, name, "add" };

	memset(out, 0, f->n * sizeof(*out));
	judge_event(&e, f, NULL, out);
	if (d->renamed) {
		e.action = "move";
		judge_event(&e, f, NULL, out);
	}
	e.action = "change";
	judge_event(&e, f, "it waits for a \"change\" of the device", out);
}

/* --- values ----------------------------------------------------------------------------- */

static const struct { const char *form; bool name; } forms[] = {
	{ "$kernel", true }, { "%k", true }, { "$name", true }, { "$env{INTERFACE}", true }, { "%E{INTERFACE}", true },
	{ "$$", false }, { "%%", false },
};

/* Bytes of @s that are one substitution, 0: none; *to gets what it becomes, NULL: not known. */
static size_t substitution(const struct udev_device *d, const char *s, const char **to)
{
	size_t n;

	if (*s != '$' && *s != '%')
		return 0;
	*to = NULL;
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
		if (!strncmp(s, forms[i].form, strlen(forms[i].form))) {
			if (!forms[i].name)
				*to = *s == '$' ? "$" : "%";
			else if (*d->name && !d->renamed)
				*to = d->name;
			return strlen(forms[i].form);
		}
	n = *s == '%' ? 2 : 1 + strspn(s + 1, "abcdefghijklmnopqrstuvwxyz");
	n = s[1] ? n : 1;
	return s[n] == '{' ? n + strcspn(s + n, "}") + (strchr(s + n, '}') != NULL) : n;
}

const char *udev_expand(struct arena *a, const struct udev_device *d, const char *s, char unknown, bool *known)
{
	TEXT_CLEANUP struct text t = { 0 };

	*known = true;
	while (*s) {
		const char *to = NULL;
		size_t n = substitution(d, s, &to);

		if (!n)
			text_char(&t, *s++);
		else if (to)
			text_add(&t, to);
		else
			text_char(&t, unknown);
		*known &= !n || to;
		s += n;
	}
	return arena_strdup(a, text_str(&t));
}
