/* SPDX-License-Identifier: Apache-2.0 */
/* Sets, counted and logged; those that a test wants to fail; faults of one operation of one NIC. */
#include "state.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

const char *const op_names[OPS + 1] = {
	[OP_ETS] = "ets", [OP_PFC] = "pfc", [OP_APP] = "app", [OP_DELAPP] = "delapp", [OP_BUFFER] = "buffer",
	[OP_MAXRATE] = "maxrate", [OP_TRUST] = "trust", [OP_DCBX] = "dcbx", [OP_MTU] = "mtu", [OP_PAUSE] = "pause",
	[OP_CC] = "cc", [OP_ECN] = "ecn", [OP_RELOAD] = "reload", [OP_ROCE] = "roce", [OP_TCLASS] = "tclass",
	[OP_CM] = "cm", [OP_GETETS] = "getets", [OP_GETPFC] = "getpfc", [OP_GETBUFFER] = "getbuffer",
	[OP_GETCC] = "getcc", [OPS] = NULL,
};

const char *const fault_kinds[] = { "none", "err", "ignore", "clamp", "lose", "vanish", "rename", NULL };

static void log_line(struct sim *s, const char *line)
{
	struct state *st = s->st;
	size_t n = strlen(line);

	if (n + 2 > SIM_LOG / 2)
		n = SIM_LOG / 2 - 2;
	if (st->log_len + n + 2 > SIM_LOG) {	/* the older half goes */
		const char *half = strchr(st->log + st->log_len / 2, '\n');
		size_t drop = half ? (size_t)(half + 1 - st->log) : st->log_len;

		st->log_len -= (uint32_t)drop;
		memmove(st->log, st->log + drop, st->log_len);
	}
	memcpy(st->log + st->log_len, line, n);
	st->log_len += (uint32_t)n;
	st->log[st->log_len++] = '\n';
	st->log[st->log_len] = 0;
}

static void log_format(struct sim *s, const char *prefix, const char *fmt, va_list ap)
{
	char raw[512];
	TEXT_CLEANUP struct text line = { 0 };
	int n = vsnprintf(raw, sizeof(raw), fmt, ap);

	text_add(&line, prefix);
	text_add_safe(&line, raw, n < (int)sizeof(raw) ? (size_t)n : sizeof(raw) - 1);
	log_line(s, text_str(&line));
	if (s->loud && *prefix)
		fprintf(stderr, "sim: %s\n", text_str(&line));
}

void sim_log_add(struct sim *s, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	log_format(s, "", fmt, ap);
	va_end(ap);
}

void sim_nth(struct sim *s, unsigned n, enum fault_kind kind, uint32_t arg)
{
	s->nth = (struct sim_nth){ .in = n, .kind = kind, .arg = arg };
}

/* Faults of this one set, of every operation of every NIC: it does but one. */
static void nth_set(struct sim *s)
{
	const bool now = s->nth.in && !--s->nth.in;

	if (!now && !s->nth.armed)
		return;
	for (unsigned i = 0; i < s->st->nnics; i++)
		for (int op = 0; op < OP_GETETS; op++)
			s->st->nic[i].fault[op] = now ? (struct fault){ s->nth.kind, s->nth.arg, 1 } : (struct fault){ 0 };
	s->nth.armed = now;
	s->nth.hit += now;
}

/* The first of them is made, and for some reads it does not show. */
static int nth_late(struct sim *s, const struct nic *n)
{
	if (!s->nth.late)
		s->late = *n;
	s->nth.late = s->nth.arg;
	return 0;
}

int sim_set_begin(struct sim *s, const char *fmt, ...)
{
	struct state *st = s->st;
	va_list ap;

	st->writes++;
	nth_set(s);
	va_start(ap, fmt);
	log_format(s, "", fmt, ap);
	va_end(ap);
	if (!st->fail_in || (st->fail_in > 1 && st->fail_in--))
		return 0;
	if (!--st->fail_calls)
		st->fail_in = 0;
	sim_log_add(s, "  made to fail");
	return -st->fail_err;
}

int sim_untaught(struct sim *s, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	log_format(s, "not taught: ", fmt, ap);
	va_end(ap);
	va_start(ap, fmt);
	vsnprintf(s->why, sizeof(s->why), fmt, ap);
	va_end(ap);
	return -ENOSYS;
}

int sim_refuse(struct sim *s, int err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(s->why, sizeof(s->why), fmt, ap);
	va_end(ap);
	return err;
}

uint64_t sim_writes(const struct sim *s)
{
	return s->st->writes;
}

void sim_fail_writes(struct sim *s, unsigned n, int err, unsigned calls)
{
	s->st->fail_in = n;
	s->st->fail_err = err;
	s->st->fail_calls = calls;
}

void sim_fail_nth_write(struct sim *s, unsigned n, int err)
{
	sim_fail_writes(s, n, err, 1);
}

const char *sim_log(const struct sim *s)
{
	return s->st->log;
}

int sim_fault(struct sim *s, struct nic *n, enum op op, uint32_t *val)
{
	struct fault *f = &n->fault[op];

	if (f->kind == FAULT_NONE || !f->left)
		return 0;
	if (f->left > 0)
		f->left--;
	sim_log_add(s, "  fault of %s: %s %s", n->name, op_names[op],
		    f->kind == FAULT_LATE ? "late" : fault_kinds[f->kind]);
	switch (f->kind) {
	case FAULT_ERR:
		return -(int)f->arg;
	case FAULT_IGNORE:
		return 1;
	case FAULT_LATE:
		return nth_late(s, n);
	case FAULT_LOSE:
		n->hw.pfc_en = 0;
		return 0;
	case FAULT_VANISH:
		nic_detach(s, n);
		n->present = false;
		s->st->generation++;
		return -ENODEV;
	case FAULT_RENAME:			/* by udev, just before the call */
		f->kind = FAULT_NONE;
		nic_rename(s, n);
		return -ENODEV;
	default:
		if (val && *val > f->arg)
			*val = f->arg;
		return 0;
	}
}
