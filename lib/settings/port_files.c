/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fields of a port that are a kernel file each. A number is checked before it is written and read back by whoever
 * asked: the vendor stack's files take text for some number, and firmware may round.
 */
#include "settings/port_files.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/diag.h"
#include "kernel/files.h"
#include "kernel/kernel.h"
#include "settings/writing.h"

#define PRIOS 8

/* --- paths ------------------------------------------------------------------ */

/* "{bdf}…": adds what stands for it. Return: its characters, 0 if it is no placeholder, -ENOENT without a value */
static int place(const struct target *t, const char *at, unsigned prio, struct text *out)
{
	static const char *const names[] = { "{ifname}", "{ibdev}", "{bdf}", "{port}", "{prio}" };
	const struct port *port = t->port;
	const char *const values[] = { t->ifname, port ? port->ibdev : "", port ? port->bdf : "" };
	size_t i, n;

	for (i = 0; i < 5; i++) {
		n = strlen(names[i]);
		if (!strncmp(at, names[i], n))
			break;
	}
	if (i == 5)
		return 0;
	if (i >= 3)
		text_uint(out, i == 4 ? prio : port ? port->ibport : 0);
	else if (files_component(values[i]))
		text_add(out, values[i]);
	else
		return -ENOENT;
	return (int)n;
}

int file_path(const struct target *t, const char *pattern, unsigned prio, struct text *out)
{
	while (*pattern) {
		size_t plain = strcspn(pattern, "{");
		int n;

		text_addn(out, pattern, plain);
		pattern += plain;
		if (!*pattern)
			break;
		n = place(t, pattern, prio, out);
		if (n < 0)
			return n;
		if (n == 0) {
			text_char(out, '{');
			n = 1;
		}
		pattern += n;
	}
	return 0;
}

int file_number(struct kernel *k, const struct target *t, const char *pattern, unsigned prio, uint64_t *v)
{
	TEXT_CLEANUP struct text path = { 0 };
	int r = file_path(t, pattern, prio, &path);

	return r < 0 ? r : files_number(k, v, text_str(&path));
}

int file_set_number(struct kernel *k, const struct target *t, const char *pattern, unsigned prio, uint64_t v,
		    struct diags *d)
{
	TEXT_CLEANUP struct text path = { 0 };
	char number[24];
	int r = file_path(t, pattern, prio, &path);

	if (r < 0)
		return r;
	snprintf(number, sizeof(number), "%llu", (unsigned long long)v);
	return files_write(k, text_str(&path), number, d);
}

/* --- reading ---------------------------------------------------------------- */

static bool in_debugfs(const char *path)
{
	return !strncmp(path, "sys/kernel/debug/", strlen("sys/kernel/debug/"));
}

/* Where the row's number is, for people; without the slash in front it is the door's path. NULL: it has no such file */
static const char *shown_path(struct part *p, const char *pattern)
{
	TEXT_CLEANUP struct text path = { 0 };

	text_char(&path, '/');
	return file_path(p->target, pattern, 0, &path) < 0 ? NULL : arena_strndup(p->arena, path.s, path.n);
}

static const char *via_of(struct part *p, const char *pattern)
{
	const char *path = shown_path(p, pattern);

	return path ? path : p->home->interface;
}

static void tell_lack(struct part *p, unsigned field, const char *via)
{
	const struct file_table *table = p->home->table;

	if (table->lacks)
		part_reason(p, field, REASON_DRIVER_LACKS, via, "%s", table->lacks);
}

/* Why a file could not be read, and what to say about it. */
static void tell_failure(struct kernel *k, struct part *p, unsigned field, const char *pattern, int err)
{
	const char *via = via_of(p, pattern);
	bool debugfs = in_debugfs(pattern);

	if (err == -ENOENT && debugfs && !files_mounted(k, "debugfs", "sys/kernel/debug"))
		part_reason(p, field, REASON_NOT_MOUNTED, via, "debugfs is not mounted on /sys/kernel/debug");
	else if (err == -ENOENT)
		tell_lack(p, field, via);
	else if (err == -EPERM && debugfs)
		part_reason(p, field, REASON_LOCKED_DOWN, via,
			    "kernel lockdown (Secure Boot) forbids debugfs, to root as well");
	else if (err == -EACCES || err == -EPERM)
		part_reason(p, field, REASON_NOT_PERMITTED, via, "only root may read it");
	else if (err == -EBADMSG)
		part_reason(p, field, REASON_UNREADABLE, via, "it does not hold a number");
	else if (err == -EOPNOTSUPP)
		part_reason(p, field, REASON_FIRMWARE_LACKS, via, "the firmware does not have it");
	else if (err == -ENODATA)
		part_reason(p, field, REASON_NOT_RECORDED, via, "not recorded");
	else if (err == -ENXIO)
		part_reason(p, field, REASON_VANISHED, via, "the device went away");
	else
		part_reason(p, field, reason_of(err), via, "%s", strerror(-err));
}

static int read_bits(struct kernel *k, const struct target *t, const char *pattern, uint64_t *mask)
{
	*mask = 0;
	for (unsigned prio = 0; prio < PRIOS; prio++) {
		uint64_t bit;
		int r = file_number(k, t, pattern, prio, &bit);

		if (r < 0)
			return r;
		*mask |= (bit & 1) << prio;
	}
	return 0;
}

/* The number is the wrong one whatever it is: text beside it, which satisfies no wish. */
static void not_in_use(struct part *p, const struct file_row *row, uint64_t mode)
{
	struct cell *c = &p->have->at[row->field];

	c->value.text = "not in use";
	c->because = arena_printf(p->arena, "the number is not in use: %s is %llu", strrchr(row->mode, '/') + 1,
				  (unsigned long long)mode);
}

static void read_row(struct kernel *k, struct part *p, const struct file_row *row)
{
	bool set = p->setting->fields[row->field].kind == KIND_SET;
	const char *path = shown_path(p, row->path);
	uint64_t v, mode = 0;
	int r = !path ? -ENOENT : set ? read_bits(k, p->target, row->path, &v) : files_number(k, &v, path + 1);

	if (r == 0 && v > INT64_MAX)
		r = -EBADMSG;
	if (r < 0) {
		tell_failure(k, p, row->field, row->path, r);
		return;
	}
	if (row->mode)
		r = file_number(k, p->target, row->mode, 0, &mode);
	if (r < 0 && r != -ENOENT) {	/* unknown is not OK; without the file there is nothing to say it is not in use */
		tell_failure(k, p, row->field, row->mode, r);
		return;
	}
	part_num(p, row->field, (int64_t)v, path);
	if (mode)
		not_in_use(p, row, mode);
}

static bool dir_missing(struct kernel *k, const struct part *p, const struct file_table *table)
{
	TEXT_CLEANUP struct text path = { 0 };
	struct kernel_stat st;

	if (!table->dir)
		return false;
	if (file_path(p->target, table->dir, 0, &path) < 0)
		return true;
	return kernel_stat(k, text_str(&path), &st) == -ENOENT;
}

static bool any_open(const struct part *p, const struct file_table *table)
{
	for (const struct file_row *row = table->row; row->path; row++)
		if (part_open(p, row->field))
			return true;
	return false;
}

int file_read(struct kernel *k, struct part *p, struct diags *d)
{
	const struct file_table *table = p->home->table;
	bool missing = any_open(p, table) && dir_missing(k, p, table);

	(void)d;
	for (const struct file_row *row = table->row; row->path; row++) {
		if (!part_open(p, row->field))
			continue;
		if (missing)
			tell_lack(p, row->field, p->home->interface);
		else
			read_row(k, p, row);
	}
	return 0;
}

/* --- writing ---------------------------------------------------------------- */

static int write_bits(struct kernel *k, const struct target *t, const char *pattern, uint64_t mask, struct diags *d)
{
	for (unsigned prio = 0; prio < PRIOS; prio++) {
		uint64_t now;
		int r = file_number(k, t, pattern, prio, &now);

		if (r == 0 && (now & 1) != (mask >> prio & 1))
			r = file_set_number(k, t, pattern, prio, mask >> prio & 1, d);
		if (r < 0)
			return r;
	}
	return 0;
}

/* Is a row's file, and the one that says whether it is in use, as @v has it? */
static bool holds(struct kernel *k, const struct target *t, const struct file_row *row, const struct value *v)
{
	uint64_t now, mode;

	if (file_number(k, t, row->path, 0, &now) < 0 || now != (uint64_t)v->num)
		return false;
	return !row->mode || (file_number(k, t, row->mode, 0, &mode) == 0 && (mode != 0) == (v->text != NULL));
}

static int write_row(struct kernel *k, const struct change *c, const struct change_part *part,
		     const struct file_row *row, struct diags *d)
{
	const struct value *v = &part->want->at[row->field].value;
	int r;

	if (part->setting->fields[row->field].kind == KIND_SET)
		return write_bits(k, c->target, row->path, (uint64_t)v->num, d);
	if (holds(k, c->target, row, v))
		return 0;		/* undone, and never done */
	r = file_set_number(k, c->target, row->path, 0, (uint64_t)v->num, d);
	if (r == 0 && row->mode && v->text)	/* undone: it was not in use before */
		r = file_set_number(k, c->target, row->mode, 0, 1, d);
	return r;
}

int file_write(struct kernel *k, const struct change *c, struct diags *d)
{
	for (size_t i = 0; i < c->nparts; i++) {
		const struct change_part *part = &c->part[i];
		const struct file_table *table = part->home->table;

		for (const struct file_row *row = table->row; row->path; row++) {
			size_t told = d->n;
			int r;

			if (!writing_cell(part, row->field))
				continue;
			r = write_row(k, c, part, row, d);
			if (r < 0)
				return writing_told(c, &part->want->at[row->field], d, told, r);
		}
	}
	return 0;
}
