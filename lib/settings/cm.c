/* SPDX-License-Identifier: Apache-2.0 */
/*
 * roce.mode and roce.tos: what rdma_cm gives new connections, per RDMA port (configfs rdma_cm/IBDEV/ports/N/).
 * Applications that build queue pairs without librdmacm, and those that set a ToS themselves, do not look at it.
 *
 * What surprises: the file holds the whole byte (DSCP << 2 | ECN), so DSCP 26 stands there as 104, and 106 is DSCP 26
 * as well: a wish given as a class compares the DSCP. The values go when the RDMA device does. On mlx5 of the vendor's
 * stack a global traffic class may override them for every application; vendors/mlx5.c answers for both then.
 */
#include "settings/cm.h"

#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/text.h"
#include "base/units.h"
#include "fabric/fabric.h"
#include "kernel/configfs.h"
#include "kernel/files.h"
#include "settings/writing.h"

#define VIA "configfs rdma_cm"

enum { MODE_V1, MODE_V2 };

static const char *const modes[] = { [MODE_V1] = "v1", [MODE_V2] = "v2", NULL };
static const char *const kernel_modes[] = { [MODE_V1] = "IB/RoCE v1", [MODE_V2] = "RoCE v2" };

/* --- the byte --------------------------------------------------------------- */

static bool looks_like_class(const char *s)
{
	return (*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') || *s == '_';
}

/* A number, or the name of a class: text then, and derive puts its DSCP beside it. */
static int parse_tos(const struct field *f, const char *s, struct value *v, struct arena *a, const char **why)
{
	int64_t num;

	if (looks_like_class(s)) {
		*v = (struct value){ .text = arena_strdup(a, s) };
		return 0;
	}
	switch (units_parse(s, NULL, &num)) {
	case UNITS_OK:
		if (num >= f->min && num <= f->max) {
			*v = (struct value){ .num = num };
			return 0;
		}
		*why = "is out of range: 0 to 255, the whole byte (DSCP × 4, plus ECN)";
		return -EINVAL;
	case UNITS_LEADING_ZERO:
		*why = "has a leading zero: one reader takes it for octal, another for decimal; write it without";
		return -EINVAL;
	default:
		*why = "is neither a class of the fabric nor a number from 0 to 255";
		return -EINVAL;
	}
}

bool cm_tos_same(const struct field *f, const struct value *want, const struct value *have,
		 const struct record *observed)
{
	(void)f;
	(void)observed;
	return want->text ? want->num >> 2 == have->num >> 2 : want->num == have->num;
}

unsigned cm_tos_byte(const struct value *want, unsigned now)
{
	return want->text ? ((unsigned)want->num & ~3u) | (now & 3u) : (unsigned)want->num;
}

static const struct field fields[] = {
	[CM_MODE] = { "roce.mode", KIND_WORD, .words = modes,
		     .doc = "RoCE version that rdma_cm prefers for new connections" },
	[CM_TOS] = { "roce.tos", KIND_UINT, .min = 0, .max = 255, .parse = parse_tos, .same = cm_tos_same,
		    .doc = "ToS of new rdma_cm connections: a class of the fabric (compares the DSCP), or the whole "
			   "byte, DSCP × 4" },
	{ 0 },
};

/* --- reading ---------------------------------------------------------------- */

/* Not a fault of its own: with RoCE off there is nothing to hold a version or a ToS. */
static void part_follows(struct part *p, const char *name, const char *because)
{
	part_reasons(p, REASON_UNREADABLE, VIA, "%s: see %s", because, name);
	for (size_t i = 0; i < p->have->n; i++)
		if (p->have->at[i].state == CELL_REASON)
			p->have->at[i].follows = name;
}

/* Return: was a reason given */
static bool no_roce_here(struct part *p)
{
	const struct port *port = p->target->port;

	if (!p->facts->rdma)
		part_reasons(p, part_no_rdma(p), VIA, "%s",
			     p->facts->rdma_why ? p->facts->rdma_why : "ib_core is not loaded");
	else if (!*port->ibdev)
		part_follows(p, "roce.enabled", "no RDMA device on this function");
	else if (*port->protocol && strcmp(port->protocol, "roce") != 0)
		part_reasons(p, REASON_DRIVER_LACKS, VIA,
			     "not a RoCE port (%s): it has neither a RoCE version nor a ToS", port->protocol);
	else
		return false;
	return true;
}

static void tell_failure(struct kernel *k, struct part *p, int err)
{
	if (err == -ENOENT && !files_exist(k, "sys/module/rdma_cm"))
		part_reasons(p, REASON_MODULE_NOT_LOADED, VIA, "rdma_cm is not loaded");
	else if (err == -ENOENT)
		part_reasons(p, REASON_DRIVER_LACKS, VIA,
			     "rdma_cm has no configfs here (CONFIG_INFINIBAND_ADDR_TRANS_CONFIGFS)");
	else if (err == -ENXIO)
		part_reasons(p, REASON_NOT_MOUNTED, VIA, "configfs is not mounted on /sys/kernel/config");
	else if (err == -ENODEV)
		part_reasons(p, REASON_VANISHED, VIA, "rdma_cm does not know %s", p->target->port->ibdev);
	else if (err == -EPERM || err == -EACCES)
		part_reasons(p, REASON_NOT_PERMITTED, VIA,
			     "reading it takes the right to make a directory in configfs: root");
	else if (err == -ENODATA)
		part_reasons(p, REASON_NOT_RECORDED, VIA, "not recorded");
	else
		part_reasons(p, reason_of(err), VIA, "%s", strerror(-err));
}

static void tell_mode(struct part *p, const char *mode)
{
	for (int i = 0; modes[i]; i++)
		if (!strcmp(mode, kernel_modes[i])) {
			part_num(p, CM_MODE, i, VIA);
			return;
		}
	part_reason(p, CM_MODE, REASON_UNREADABLE, VIA, "default_roce_mode holds \"%s\"",
		    text_safe(p->arena, mode, strlen(mode), 40));
}

static int cm_read(struct kernel *k, struct part *p, struct diags *d)
{
	const struct port *port = p->target->port;
	struct rdma_cm_defaults v;
	int r;

	(void)d;
	if (no_roce_here(p))
		return 0;
	r = configfs_get_rdma_cm(k, port->ibdev, port->ibport, &v);
	if (r < 0) {
		tell_failure(k, p, r);
		return 0;
	}
	tell_mode(p, v.mode);
	part_num(p, CM_TOS, v.tos, VIA);
	return 0;
}

/* --- writing ---------------------------------------------------------------- */

static int cm_write(struct kernel *k, const struct change *c, struct diags *d)
{
	const struct record *want = change_want(c, &setting_cm);
	const struct change_part *part = &c->part[0];
	const struct port *port = c->target->port;
	const char *mode = writing_cell(part, CM_MODE) ? kernel_modes[want->at[CM_MODE].value.num] : NULL;
	const struct cell *first = &want->at[mode ? CM_MODE : CM_TOS];
	struct rdma_cm_defaults now;
	size_t told = d->n;
	int tos = -1, r;

	r = configfs_get_rdma_cm(k, port->ibdev, port->ibport, &now);
	if (r < 0)
		return writing_told(c, first, d, told, r);
	if (mode && !strcmp(mode, now.mode))
		mode = NULL;
	if (writing_cell(part, CM_TOS))
		tos = (int)cm_tos_byte(&want->at[CM_TOS].value, now.tos);
	if (tos == (int)now.tos)
		tos = -1;
	if (!mode && tos < 0)
		return 0;
	r = configfs_set_rdma_cm(k, port->ibdev, port->ibport, mode, tos, d);
	return writing_told(c, first, d, told, r);
}

/* --- wishes ----------------------------------------------------------------- */

/* `tos: fabric`: the class that is meant, if only one can be */
static const struct traffic_class *only_lossless(const struct fabric *f)
{
	const struct traffic_class *found = NULL;

	for (size_t i = 0; i < f->n; i++) {
		if (!f->at[i].lossless)
			continue;
		if (found)
			return NULL;
		found = &f->at[i];
	}
	return found;
}

static int no_such_class(const struct wishes *w, struct cell *c, struct diags *d)
{
	TEXT_CLEANUP struct text list = { 0 };
	const char *names[65];
	size_t n = 0;
	const char *near;

	if (!w->fabric) {
		diag_error(d, &c->pos, "roce.tos: \"%s\" would be a class, but this group has no fabric",
			   c->value.text);
		diag_hint(d, "add fabric: to the group, or give the whole byte: DSCP × 4");
		return -EINVAL;
	}
	for (size_t i = 0; i < w->fabric->n && n < 64; i++) {
		names[n++] = w->fabric->at[i].name;
		text_printf(&list, "%s%s", i ? ", " : "", w->fabric->at[i].name);
	}
	names[n] = NULL;
	near = text_nearest(c->value.text, names);
	diag_error(d, &c->pos, "roce.tos: the fabric %s has no class \"%s\"", w->fabric->name, c->value.text);
	if (near)
		diag_hint(d, "did you mean %s?", near);
	else if (n)
		diag_hint(d, "it has %s", text_str(&list));
	return -EINVAL;
}

static int derive_tos(const struct wishes *w, struct cell *c, struct diags *d)
{
	const struct traffic_class *class = NULL;

	if (c->state == CELL_VALUE && w->fabric)
		class = fabric_class(w->fabric, c->value.text);
	else if (c->state == CELL_FABRIC && w->fabric)
		class = only_lossless(w->fabric);
	if (!class)
		return c->state == CELL_VALUE ? no_such_class(w, c, d) : 0;
	if (!class->dscp) {
		diag_error(d, &c->pos, "roce.tos: the class %s has no DSCP", class->name);
		diag_hint(d, "give the class a dscp, or write the whole byte here: DSCP × 4");
		return -EINVAL;
	}
	cell_set_num(c, (int64_t)__builtin_ctzll(class->dscp) << 2);
	c->value.text = class->name;
	return 0;
}

static int cm_derive(const struct wishes *w, struct record *want, struct diags *d)
{
	struct cell *tos = &want->at[CM_TOS];

	if (tos->state == CELL_FABRIC || (tos->state == CELL_VALUE && tos->value.text))
		return derive_tos(w, tos, d);
	return 0;
}

const struct setting setting_cm = {
	.name = "cm",
	.why = "Connections with the default ToS 0 travel in the lossy default class.",
	.scope = SCOPE_RDMA_PORT,
	.fields = fields,
	.live = { .read = cm_read, .write = cm_write, .effective = EFFECTIVE_NEW_CONNECTIONS,
		  .interface = "configfs rdma_cm: default_roce_mode, default_roce_tos" },
	.derive = cm_derive,
};
