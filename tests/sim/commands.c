/* SPDX-License-Identifier: Apache-2.0 */
/* The commands of simctl, one row each; tests say the same words to sim_do(). */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "observe.h"
#include "transcript.h"

struct command {
	const char *name, *words, *doc;
	int min, max;			/* words behind the name */
	int (*run)(struct sim *s, int argc, char *const *argv, struct text *out);
};

static const struct { const char *name; int number; } errnos[] = {
	{ "EPERM", EPERM }, { "ENOENT", ENOENT }, { "EIO", EIO }, { "ENXIO", ENXIO }, { "EAGAIN", EAGAIN }, { "ENOMEM", ENOMEM },
	{ "EACCES", EACCES }, { "EBUSY", EBUSY }, { "EEXIST", EEXIST }, { "ENODEV", ENODEV }, { "EINVAL", EINVAL },
	{ "ENOSPC", ENOSPC }, { "EROFS", EROFS }, { "ERANGE", ERANGE }, { "EOPNOTSUPP", EOPNOTSUPP },
	{ "ETIMEDOUT", ETIMEDOUT },
};

int word_errno(struct sim *s, const char *word)
{
	long v;

	for (size_t i = 0; i < sizeof(errnos) / sizeof(errnos[0]); i++)
		if (!strcmp(errnos[i].name, word))
			return errnos[i].number;
	if (word_number(s, word, 1, 4095, &v) < 0)
		return sim_refuse(s, -EINVAL, "'%s' is no errno", word);
	return (int)v;
}

static struct nic *nic_of(struct sim *s, const char *name)
{
	struct nic *n = nic_by_name(s, name);

	if (!n)
		sim_refuse(s, -ENODEV, "no NIC %s", name);
	return n;
}

static int do_reset(struct sim *s, int argc, char *const *argv, struct text *out)
{
	(void)out;
	return reset_machine(s, argc, argv);
}

/* --- modules --- */

static int do_load(struct sim *s, int argc, char *const *argv, struct text *out)
{
	(void)out;
	return module_load(s, argv[0], argc - 1, argv + 1);
}

static int do_unload(struct sim *s, int argc, char *const *argv, struct text *out)
{
	(void)argc;
	(void)out;
	return module_unload(s, argv[0]);
}

static int do_modules(struct sim *s, int argc, char *const *argv, struct text *out)
{
	(void)argc;
	(void)argv;
	modules_list(s, out);
	return 0;
}

/* --- NICs --- */

static int do_set(struct sim *s, int argc, char *const *argv, struct text *out)
{
	const struct settable *w = settables;
	struct nic *n;

	(void)out;
	if (!strcmp(argv[0], "file"))
		return argc == 3 ? order_set_file(s, argv[1], argv[2]) : sim_refuse(s, -EINVAL, "set file PATH TEXT");
	while (w->name && strcmp(w->name, argv[0]))
		w++;
	if (!w->name)
		return sim_refuse(s, -EINVAL, "set: nothing is called %s", argv[0]);
	n = nic_by_name(s, argv[1]);
	if (!n && !strcmp(w->name, "addr") && argc <= 2 + SIM_ADDRS && upper_by_name(s, argv[1]))
		return word_addrs(s, upper_by_name(s, argv[1])->addr, argc - 2, argv + 2);
	if (!n && !strcmp(w->name, "mtu") && argc == 3 && upper_by_name(s, argv[1])) {
		const char *why;
		long v;
		int r = word_number(s, argv[2], 0, INT32_MAX, &v);

		return r < 0 ? r : mtu_set(s, upper_by_name(s, argv[1])->ifindex, (uint32_t)v, &why);
	}
	if (!nic_of(s, argv[1]))
		return -ENODEV;
	if (argc - 2 < w->min || argc - 2 > w->max)
		return sim_refuse(s, -EINVAL, "set %s IF %s", w->name, w->words);
	return w->set(s, n, argc - 2, argv + 2);
}

static int get_of_nic(struct sim *s, int argc, char *const *argv, struct text *out)
{
	const struct observable *o = observables;
	const struct nic *n = nic_of(s, argv[1]);
	int row;

	if (!n)
		return -ENODEV;
	if (!strcmp(argv[0], "cc") && argc == 3) {
		row = ccparams_row(argv[2]);
		if (row < 0)
			return sim_refuse(s, -EINVAL, "cc: no parameter %s", argv[2]);
		text_printf(out, "%u\n", n->hw.cc[row]);
		return 0;
	}
	while (o->name && strcmp(o->name, argv[0]))
		o++;
	if (!o->name || argc != 2)
		return sim_refuse(s, -EINVAL, "get: nothing is called %s", argv[0]);
	o->print(s, n, out);
	text_char(out, '\n');
	return 0;
}

static int do_get(struct sim *s, int argc, char *const *argv, struct text *out)
{
	const struct upper *u = argc > 1 ? upper_by_name(s, argv[1]) : NULL;

	if (!strcmp(argv[0], "node") && argc == 1) {
		text_printf(out, "%s\n", s->st->node);
		return 0;
	}
	if (!strcmp(argv[0], "file") && argc == 2)
		return order_cat(s, 1, argv + 1, out);
	if (u && !strcmp(argv[0], "mtu")) {
		text_printf(out, "%u\n", u->mtu);
		return 0;
	}
	return argc > 1 ? get_of_nic(s, argc, argv, out) : sim_refuse(s, -EINVAL, "get NAME IF");
}

static int word_of(const char *word, const char *const *list)
{
	for (int i = 0; list[i]; i++)
		if (!strcmp(list[i], word))
			return i;
	return -1;
}

/* err ERRNO [CALLS], ignore [CALLS], clamp MAX [CALLS], lose [CALLS], vanish, rename, none */
static int do_fault(struct sim *s, int argc, char *const *argv, struct text *out)
{
	struct nic *n = nic_of(s, argv[0]);
	int op = word_of(argv[1], op_names), kind = word_of(argv[2], fault_kinds), next = 3;
	struct fault f = { .left = -1 };
	long v;

	(void)out;
	if (!n)
		return -ENODEV;
	if (op < 0 || kind < 0)
		return sim_refuse(s, -EINVAL, "fault: nothing is called %s", op < 0 ? argv[1] : argv[2]);
	f.kind = (enum fault_kind)kind;
	if (kind == FAULT_ERR || kind == FAULT_CLAMP) {
		if (argc <= next)
			return sim_refuse(s, -EINVAL, "fault: %s wants a number", argv[2]);
		if (kind == FAULT_ERR ? (v = word_errno(s, argv[next])) < 0 : word_number(s, argv[next], 0, UINT32_MAX, &v) < 0)
			return -EINVAL;
		f.arg = (uint32_t)v;
		next++;
	}
	if (argc > next) {
		if (word_number(s, argv[next++], 1, INT32_MAX, &v) < 0)
			return -EINVAL;
		f.left = (int32_t)v;
	}
	if (argc != next)
		return sim_refuse(s, -EINVAL, "fault: too many words");
	n->fault[op] = f;
	return 0;
}

static int do_vanish(struct sim *s, int argc, char *const *argv, struct text *out)
{
	struct nic *n = nic_of(s, argv[0]);

	(void)argc;
	(void)out;
	if (!n)
		return -ENODEV;
	nic_detach(s, n);
	n->present = false;
	s->st->generation++;
	return 0;
}

static int do_rescan(struct sim *s, int argc, char *const *argv, struct text *out)
{
	(void)argc;
	(void)argv;
	(void)out;
	for (unsigned i = 0; i < s->st->nnics; i++) {
		struct nic *n = &s->st->nic[i];

		if (n->present)
			continue;
		n->roce = n->roce_pending = true;
		nic_attach(s, n);
	}
	return 0;
}

static int do_reload(struct sim *s, int argc, char *const *argv, struct text *out)
{
	struct nic *n = nic_of(s, argv[0]);

	(void)argc;
	(void)out;
	if (!n)
		return -ENODEV;
	nic_reload(s, n);
	return 0;
}

static struct upper *new_upper(struct sim *s, const char *name, enum upper_kind kind)
{
	if (!*name || strlen(name) >= SIM_NAME || nic_by_name(s, name) || upper_by_name(s, name))
		return NULL;
	for (struct upper *u = s->st->upper; u < s->st->upper + SIM_UPPERS; u++) {
		if (u->kind)
			continue;
		*u = (struct upper){ .kind = kind, .ifindex = s->st->next_ifindex++, .mtu = 1500, .up = true };
		strcpy(u->name, name);
		s->st->generation++;
		return u;
	}
	return NULL;
}

/* Members get the bond's MTU, as the kernel does it. */
static int do_bond(struct sim *s, int argc, char *const *argv, struct text *out)
{
	struct upper *u;
	const char *why;

	(void)out;
	for (int i = 1; i < argc; i++)
		if (!nic_of(s, argv[i]))
			return -ENODEV;
	u = new_upper(s, argv[0], UPPER_BOND);
	if (!u)
		return sim_refuse(s, -EINVAL, "bond: '%s' is no name for it", argv[0]);
	for (int i = 1; i < argc; i++) {
		struct nic *n = nic_by_name(s, argv[i]);

		n->net.mtu_alone = n->net.mtu;
		mtu_set(s, n->net.ifindex, u->mtu, &why);
		u->member[nic_number(s, n) / 64] |= UINT64_C(1) << nic_number(s, n) % 64;
	}
	return 0;
}

static int do_vlan(struct sim *s, int argc, char *const *argv, struct text *out)
{
	const struct nic *n = nic_by_name(s, argv[1]);
	const struct upper *below = upper_by_name(s, argv[1]);
	struct upper *u;

	(void)argc;
	(void)out;
	if (!n && !below)
		return sim_refuse(s, -ENODEV, "no interface %s", argv[1]);
	u = new_upper(s, argv[0], UPPER_VLAN);
	if (!u)
		return sim_refuse(s, -EINVAL, "vlan: '%s' is no name for it", argv[0]);
	u->lower = n ? n->net.ifindex : below->ifindex;
	u->mtu = n ? n->net.mtu : below->mtu;
	return 0;
}

/* Members of a bond that goes have the MTU again that they had before it. */
static int do_unlink(struct sim *s, int argc, char *const *argv, struct text *out)
{
	struct upper *u = upper_by_name(s, argv[0]), gone;
	const char *why;

	(void)argc;
	(void)out;
	if (!u)
		return sim_refuse(s, -ENODEV, "no bond or VLAN %s", argv[0]);
	gone = *u;
	*u = (struct upper){ 0 };
	for (uint32_t i = 0; i < s->st->nnics; i++)
		if (gone.member[i / 64] >> i % 64 & 1)
			mtu_set(s, s->st->nic[i].net.ifindex, s->st->nic[i].net.mtu_alone, &why);
	s->st->generation++;
	return 0;
}

/* --- sets --- */

static int do_writes(struct sim *s, int argc, char *const *argv, struct text *out)
{
	(void)argc;
	(void)argv;
	text_printf(out, "%llu\n", (unsigned long long)s->st->writes);
	return 0;
}

static int do_count(struct sim *s, int argc, char *const *argv, struct text *out)
{
	(void)argc;
	if (!strcmp(argv[0], "sets"))
		text_printf(out, "%llu\n", (unsigned long long)s->st->writes);
	else if (!strcmp(argv[0], "lldpd"))
		text_printf(out, "%llu\n", (unsigned long long)s->st->lldpd_asked);
	else if (!strcmp(argv[0], "mkdirs"))
		text_printf(out, "%llu\n", (unsigned long long)s->st->cm_dirs_made);
	else
		return sim_refuse(s, -EINVAL, "count: sets, mkdirs or lldpd");
	return 0;
}

static int do_fail_write(struct sim *s, int argc, char *const *argv, struct text *out)
{
	long n, calls = 1;
	int err = argc > 1 ? word_errno(s, argv[1]) : EIO, r = word_number(s, argv[0], 0, INT32_MAX, &n);

	(void)out;
	if (r == 0 && argc > 2)
		r = strcmp(argv[2], "all") ? word_number(s, argv[2], 1, INT32_MAX, &calls) : (calls = UINT32_MAX, 0);
	if (r < 0 || err < 0)
		return -EINVAL;
	sim_fail_writes(s, (unsigned)n, err, (unsigned)calls);
	return 0;
}

static int do_log(struct sim *s, int argc, char *const *argv, struct text *out)
{
	(void)argc;
	(void)argv;
	text_add(out, sim_log(s));
	return 0;
}

static int do_snapshot(struct sim *s, int argc, char *const *argv, struct text *out)
{
	(void)argc;
	(void)argv;
	sim_snapshot(s, out);
	return 0;
}

static int do_transcript(struct sim *s, int argc, char *const *argv, struct text *out)
{
	struct kernel *k = sim_kernel(s);
	struct kernel_stat st;

	if (argc && strcmp(argv[0], "live"))
		return sim_refuse(s, -EINVAL, "transcript [live]");
	if (argc) {
		k = kernel_live(s->arena, NULL);
		if (!k || kernel_stat(k, "sys/kernel/debug/fabricsim", &st) < 0)
			return sim_refuse(s, -EPERM, "transcript live: only on a machine whose NICs are simulated");
	}
	transcript(k, out);
	return 0;
}

static const struct command commands[] = {
	{ "reset", "[--pairs N] [--driver D] [--manners mlx5|bnxt|ice|hns3] [--release 6.1|6.12] [--ofed] [--no-rdma] [--no-devlink]\n"
		   "        [--no-debugfs] [--no-configfs] [--no-dcb] [--no-ucm] [--name HOST] [--fw V] [--psid B] [--node NUMA,...]",
	  "a new machine", 0, 64, do_reset },
	{ "set", "NAME IF VALUE... | file PATH TEXT", "changes one thing behind rdmactl's back", 2, 70, do_set },
	{ "get", "NAME IF | cc IF NAME | node | file PATH", "prints it", 1, 3, do_get },
	{ "put", "PATH TEXT", "a plain file, anywhere: also over one of the machine's", 2, 2, order_put },
	{ "del", "PATH", "takes a plain file away", 1, 1, order_del },
	{ "cat", "PATH", "prints a file", 1, 1, order_cat },
	{ "ls", "PATH", "lists a folder", 1, 1, order_ls },
	{ "symlink", "PATH TARGET", "a symbolic link", 2, 2, order_symlink },
	{ "mkdir", "PATH", "an empty folder", 1, 1, order_mkdir },
	{ "touch", "PATH SECONDS", "a plain file's mtime", 2, 2, order_touch },
	{ "deny", "PATH ERRNO|none", "all access to a path and what is below it fails", 2, 2, order_deny },
	{ "mount", "debugfs|configfs", "mounts it", 1, 1, order_mount },
	{ "umount", "debugfs|configfs", "unmounts it", 1, 1, order_umount },
	{ "user", "root|nobody", "who rdmactl-sim runs as", 1, 1, order_user },
	{ "memory", "ERRNO|ok", "what writing below /var/lib/rdmactl meets: ENOSPC, EROFS", 1, 1, order_memory },
	{ "load", "MODULE [PARAM=VALUE]...", "as modprobe does", 1, 9, do_load },
	{ "unload", "MODULE", "as modprobe -r does", 1, 1, do_unload },
	{ "modules", "", "lists those that are loaded", 0, 0, do_modules },
	{ "fault", "IF OP err ERRNO [CALLS] | ignore [CALLS] | clamp MAX [CALLS] | lose [CALLS] | vanish | rename | none",
	  "the next calls of an operation go wrong", 3, 5, do_fault },
	{ "vanish", "IF", "the card falls off the bus", 1, 1, do_vanish },
	{ "rescan", "", "finds it again", 0, 0, do_rescan },
	{ "reload", "IF", "as devlink dev reload does", 1, 1, do_reload },
	{ "bond", "NAME IF...", "makes a bond", 2, 9, do_bond },
	{ "vlan", "NAME IF", "makes a VLAN", 2, 2, do_vlan },
	{ "unlink", "NAME", "takes a bond or VLAN away", 1, 1, do_unlink },
	{ "open", "IF context|qp|cm_id HOLDER PID|kernel [COUNT [TYPE [PORT]]]",
	  "somebody holds it; PID 0: a process of another namespace; TYPE: smi, gsi, rc, ud, …; PORT 0: no port yet", 4, 7, order_open },
	{ "close", "IF HOLDER|all", "and holds it no more", 2, 2, order_close },
	{ "lldpd", "runs|real|absent|ended|denies|hangs|leaves|no-library|old|other-version", "what asking lldpd meets; a new machine has none", 1, 1,
	  order_lldpd },
	{ "neighbor", "IF say NAME PORT [descr=TEXT|mfs=BYTES|tlv=HEX]... | frame HEX | expire | leave | deaf | tell HEX | none",
	  "what lldpd hears there, and starts it; TLVs: OUI, subtype, bytes", 2, 40, order_neighbor },
	{ "writes", "", "prints how many sets came through the doors", 0, 0, do_writes },
	{ "count", "sets|mkdirs|lldpd", "the same; mkdirs in configfs; questions to lldpd", 1, 1, do_count },
	{ "fail-write", "N [ERRNO [CALLS|all]]", "the Nth set from now on fails, or CALLS of them; 0: none", 1, 3, do_fail_write },
	{ "log", "", "prints the sets, and what was refused because nobody taught it", 0, 0, do_log },
	{ "snapshot", "", "prints all that can be read and set", 0, 0, do_snapshot },
	{ "transcript", "[live]", "asks many things, and sets many: of this machine, or of a kernel with fabricsim", 0, 1,
	  do_transcript },
};
#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

void sim_usage(struct text *out)
{
	for (size_t i = 0; i < COMMANDS; i++)
		text_printf(out, "  %s %s\n        %s\n", commands[i].name, commands[i].words, commands[i].doc);
	text_add(out, "\nset NAME IF:\n");
	for (const struct settable *w = settables; w->name; w++)
		text_printf(out, "  %s IF %s\n", w->name, w->words);
	text_add(out, "\nget NAME IF:");
	for (const struct observable *o = observables; o->name; o++)
		text_printf(out, " %s", o->name);
	text_add(out, "\n\nfault IF OP:");
	for (int i = 0; op_names[i]; i++)
		text_printf(out, " %s", op_names[i]);
	text_add(out, "\n");
}

int sim_command(struct sim *s, int argc, char *const *argv, struct text *out)
{
	int r = -EINVAL;

	s->why[0] = 0;
	for (size_t i = 0; argc && i < COMMANDS; i++) {
		const struct command *c = &commands[i];

		if (strcmp(c->name, argv[0]))
			continue;
		if (argc - 1 < c->min || argc - 1 > c->max)
			return sim_refuse(s, -EINVAL, "%s %s", c->name, c->words);
		sim_lock(s);
		r = c->run(s, argc - 1, argv + 1, out);
		sim_unlock(s);
		return r;
	}
	return sim_refuse(s, r, "no such command: %s", argc ? argv[0] : "");
}

/* The last word of `put` and `set file` is text: blanks belong to it. */
static int words_of(char *line, char *argv[], int max)
{
	int n = 0, limit = max;

	while (n < max) {
		line += strspn(line, " ");
		if (!*line)
			break;
		argv[n++] = line;
		if (n == 1 && !strncmp(line, "put ", 4))
			limit = 3;
		if (n == 2 && !strncmp(line, "file ", 5) && !strcmp(argv[0], "set"))
			limit = 4;
		if (n == limit)
			break;
		line += strcspn(line, " ");
		if (*line)
			*line++ = 0;
	}
	return n;
}

int sim_do(struct sim *s, const char *fmt, ...)
{
	TEXT_CLEANUP struct text out = { 0 };
	char *argv[80];
	va_list ap;
	char *line;
	int n;

	va_start(ap, fmt);
	line = arena_vprintf(s->arena, fmt, ap);
	va_end(ap);
	n = words_of(line, argv, 80);
	return sim_command(s, n, argv, &out);
}
