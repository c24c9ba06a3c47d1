/* SPDX-License-Identifier: Apache-2.0 */
/* Who holds contexts, queue pairs and CM IDs on RDMA devices: `simctl open` and `simctl close`. A process has its comm. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "observe.h"

static bool is_on(const struct sim *s, const struct user *u, const struct nic *n)
{
	return u->kind && u->nic == nic_number(s, n);
}

/* A process that holds nothing any more ended. */
static void may_end(struct sim *s, uint32_t pid)
{
	char dir[32];

	for (const struct user *u = s->st->user; u < s->st->user + SIM_USERS; u++)
		if (u->kind && u->pid == pid)
			return;
	snprintf(dir, sizeof(dir), "proc/%u", pid);
	overlay_remove_below(s, dir, true);
}

static void take_away(struct sim *s, struct user *u)
{
	u->kind = USER_NONE;
	if (u->pid)
		may_end(s, u->pid);
}

void users_gone(struct sim *s, const struct nic *n)
{
	for (struct user *u = s->st->user; u < s->st->user + SIM_USERS; u++)
		if (is_on(s, u, n))
			take_away(s, u);
}

const struct user *users_each(const struct sim *s, const struct nic *n, enum user_kind kind, uint32_t *at)
{
	const struct user *next = NULL;

	for (const struct user *u = s->st->user; u < s->st->user + SIM_USERS; u++)
		if (is_on(s, u, n) && u->kind == kind && u->id >= *at && (!next || u->id < next->id))
			next = u;
	if (next)
		*at = next->id + 1;
	return next;
}

static int word_of(struct sim *s, const char *word, const char *const *words, const char *what)
{
	for (int i = 0; words[i]; i++)
		if (!strcmp(words[i], word))
			return i;
	return sim_refuse(s, -EINVAL, "open: no %s is called %s", what, word);
}

static int add(struct sim *s, const struct user *one)
{
	for (struct user *u = s->st->user; u < s->st->user + SIM_USERS; u++) {
		if (u->kind)
			continue;
		*u = *one;
		u->id = s->st->next_user++;
		if (u->kind == USER_QP && u->type < 2)	/* the port's own, number 0 or 1 */
			u->id = u->type | (uint32_t)u->port << 24;
		return 0;
	}
	return sim_refuse(s, -ENOSPC, "open: more than %d", SIM_USERS);
}

static int who(struct sim *s, const char *name, const char *pid, struct user *u)
{
	char path[32], line[SIM_NAME + 1];
	long v;
	int r;

	if (strlen(name) >= SIM_NAME)
		return sim_refuse(s, -EINVAL, "open: '%s' is longer than a comm", name);
	strcpy(u->name, name);
	u->kernel = !strcmp(pid, "kernel");
	if (u->kernel)
		return 0;
	r = word_number(s, pid, 0, INT32_MAX, &v);
	u->pid = r < 0 ? 0 : (uint32_t)v;
	if (r < 0 || !v)
		return r;
	snprintf(path, sizeof(path), "proc/%ld/comm", v);
	return overlay_put(s, path, line, (size_t)snprintf(line, sizeof(line), "%s\n", name), 0100644, true);
}

int order_open(struct sim *s, int argc, char *const *argv, struct text *out)
{
	static const char *const kinds[] = { "context", "qp", "cm_id", NULL };
	static const char *const types[] = { "smi", "gsi", "rc", "uc", "ud", "ipv6", "etype", "7", "raw", "xrc_ini", "xrc_tgt", NULL };
	struct nic *n = nic_by_name(s, argv[0]);
	struct user u = { .type = 2, .port = 1 };
	int kind = word_of(s, argv[1], kinds, "object"), type = 2, r;
	long count = 1, port = 1;

	(void)out;
	if (!n || !n->ib.present)
		return sim_refuse(s, -ENODEV, "open: no RDMA device on %s", argv[0]);
	if (argc > 5)
		type = word_of(s, argv[5], types, "type of queue pair");
	if (kind < 0 || type < 0 || (argc > 4 && word_number(s, argv[4], 1, SIM_USERS, &count) < 0) ||
	    (argc > 6 && word_number(s, argv[6], 0, 1, &port) < 0))
		return -EINVAL;
	u.kind = (enum user_kind)(kind + 1);
	u.nic = nic_number(s, n);
	u.type = (uint8_t)type;
	u.port = (uint8_t)port;
	if (u.kind == USER_CONTEXT && !strcmp(argv[3], "kernel"))
		return sim_refuse(s, -EINVAL, "open: the kernel has no contexts");
	r = who(s, argv[2], argv[3], &u);
	for (long i = 0; r == 0 && i < count; i++)
		r = add(s, &u);
	return r;
}

int order_close(struct sim *s, int argc, char *const *argv, struct text *out)
{
	const struct nic *n = nic_by_name(s, argv[0]);
	bool any = false;

	(void)argc;
	(void)out;
	for (struct user *u = s->st->user; n && u < s->st->user + SIM_USERS; u++)
		if (is_on(s, u, n) && (!strcmp(argv[1], "all") || !strcmp(argv[1], u->name))) {
			take_away(s, u);
			any = true;
		}
	return any ? 0 : sim_refuse(s, -ENOENT, "close: %s holds nothing on %s", argv[1], argv[0]);
}
