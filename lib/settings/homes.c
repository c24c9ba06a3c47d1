/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sysctls as they run. Speaks to /proc/sys. A key may be absent for reasons that differ much: its module is not loaded
 * (net.rdma_ucm comes with rdma_ucm), the interface in its name does not exist, this is another network namespace, or
 * there is no such key. `sysctl` and systemd-sysctl skip all four with exit status 0.
 */
#include "settings/homes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/text.h"
#include "boot/modload.h"
#include "boot/sysctld.h"
#include "kernel/files.h"
#include "kernel/kernel.h"
#include "settings/boot_files.h"

/* --- keys ----------------------------------------------------------------------- */

const struct key_row *homes_row(const struct home *home, const struct setting *s, const struct cell *c)
{
	for (const struct key_row *row = home->table; row->key; row++)
		if (c->field == &s->fields[row->field])
			return row;
	return NULL;
}

/* May this be a path below /proc/sys: plain names, no pattern, nothing that ends a line of a file? */
static bool path_ok(const char *path)
{
	char name[256];

	for (const char *s = path;; s++) {
		size_t n = strcspn(s, "/");

		if (n >= sizeof(name))
			return false;
		memcpy(name, s, n);
		name[n] = 0;
		if (!files_component(name) || strpbrk(name, "*?[]= \t#;\\\"") || name[0] == '-')
			return false;
		s += n;
		if (!*s)
			return true;
	}
}

bool homes_name_ok(const char *name)
{
	return *name && name[0] != '-' &&
	       !name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")];
}

bool homes_value_ok(const char *value, bool option)
{
	for (const char *s = value; *s; s++)
		if (((unsigned char)*s < ' ' && *s != '\t') || *s == 0x7f || (option && strchr("\"\\\t", *s)))
			return false;
	return true;
}

const char *homes_path(struct arena *a, const struct key_row *row, const struct cell *c)
{
	const char *path = sysctld_path(a, strcmp(row->key, "*") ? row->key : c->star[0]);

	return path_ok(path) ? path : NULL;
}

/* Seen in the kernel's net/ and drivers/infiniband: each registers its table in the module named. */
static const struct {
	const char *prefix;
	const char *modules[4];
} brought[] = {
	{ "net/rdma_ucm/", { "rdma_ucm" } },
	{ "net/iw_cm/", { "iw_cm", "rdma_cm", "rdma_ucm" } },	/* the others depend on it */
	{ "net/rds/ib/", { "rds_rdma" } },
	{ "net/rds/tcp/", { "rds_tcp" } },
	{ "net/rds/", { "rds", "rds_rdma", "rds_tcp" } },
	{ "net/smc/", { "smc", "smc_diag" } },
	{ "sunrpc/", { "sunrpc", "rpcrdma" } },
	{ "net/bridge/", { "br_netfilter" } },
	{ "net/netfilter/nf_conntrack", { "nf_conntrack" } },
	{ "net/nf_conntrack_max", { "nf_conntrack" } },
};

const char *const *homes_modules(const char *path)
{
	for (size_t i = 0; i < sizeof(brought) / sizeof(brought[0]); i++)
		if (!strncmp(path, brought[i].prefix, strlen(brought[i].prefix)))
			return brought[i].modules;
	return NULL;
}

/* Below zero and above INT64_MAX by its sign and the rest: a key may be a long or an unsigned long. */
static bool whole_number(const char *s, size_t n, bool *minus, unsigned long long *rest)
{
	char word[32], *end;

	if (n == 0 || n >= sizeof(word))
		return false;
	memcpy(word, s, n);
	word[n] = 0;
	*minus = word[0] == '-';
	if (word[*minus] < '0' || word[*minus] > '9')
		return false;
	errno = 0;
	*rest = strtoull(word + *minus, &end, 0);
	return !errno && !*end;
}

bool homes_same_number(const char *a, size_t na, const char *b, size_t nb)
{
	unsigned long long x, y;
	bool p, q;

	return whole_number(a, na, &p, &x) && whole_number(b, nb, &q, &y) && x == y && (p == q || x == 0);
}

const char *homes_squeeze(struct arena *a, const char *s)
{
	char *out = arena_strdup(a, s), *to = out;

	for (; *s; s++) {
		if (!strchr(" \t\n\r", *s))
			*to++ = *s;
		else if (to > out && to[-1] != ' ')
			*to++ = ' ';
	}
	if (to > out && to[-1] == ' ')
		to--;
	*to = 0;
	return out;
}

/* --- reading -------------------------------------------------------------------- */

/* "net/ipv4/conf/eth0/rp_filter": the interface, where @path is of one; in @a */
static const char *interface_of(struct arena *a, const char *path)
{
	static const char *const tables[] = { "net/ipv4/conf/", "net/ipv6/conf/", "net/ipv4/neigh/",
					      "net/ipv6/neigh/" };

	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		size_t n = strlen(tables[i]);

		if (!strncmp(path, tables[i], n))
			return arena_strndup(a, path + n, strcspn(path + n, "/"));
	}
	return NULL;
}

/* What to do now, and for the next boot where that does not load it in time either. */
static const char *how_to_load(struct kernel *k, struct part *p, unsigned i, const char *module)
{
	struct boot_key q = boot_key_of(k, p->arena, p->facts, p->home, p->setting, &p->have->at[i]);
	struct boot_timing t;

	if (boot_timing(&q, false, &t) == 0 && !t.module)
		return arena_printf(p->arena,
				    "it comes with the next boot; `modprobe %s` and then `rdmactl apply` set it now",
				    module);
	return arena_printf(p->arena, "load it (`modprobe %s`), then `rdmactl apply`; apply also names it in "
			    "/etc/modules-load.d/rdmactl.conf for the next boot", module);
}

static void absent_module(struct kernel *k, struct part *p, unsigned i, const char *via, const char *module,
			  const char *key)
{
	enum module_state state;
	int r = modload_state(k, p->facts ? p->facts->kernel : "", module, &state);

	if (r < 0) {
		part_reason(p, i, reason_of(r), via, "cannot see whether %s is loaded: %s", module, strerror(-r));
		return;
	}
	if (state == MODULE_LOADED || state == MODULE_BUILTIN) {
		part_reason(p, i, REASON_NOT_PERMITTED, via,
			    "%s is loaded, but %s exists only in the first network namespace, and this is another one",
			    module, key);
		p->have->at[i].remedy = "run rdmactl on the host, not in a container";
		return;
	}
	part_reason(p, i, REASON_MODULE_NOT_LOADED, via, "%s not loaded: without it there is no %s", module, key);
	p->have->at[i].follows = arena_printf(p->arena, "modules.%s.load", module);	/* if the policy asks for that as well */
	p->have->at[i].remedy = how_to_load(k, p, i, module);
}

static void absent(struct kernel *k, struct part *p, unsigned i, const struct key_row *row, const char *path,
		   const char *via)
{
	const char *const *modules = homes_modules(path);
	const char *module = row->module ? row->module : modules ? modules[0] : NULL;
	const char *key = sysctld_key(p->arena, path), *ifname;

	key = text_safe(p->arena, key, strlen(key), 200);
	if (!files_exist(k, "proc/sys")) {
		part_reason(p, i, REASON_NOT_RECORDED, via, "nothing runs here: there is no /proc/sys");
		return;
	}
	if (module) {
		absent_module(k, p, i, via, module, key);
		return;
	}
	ifname = interface_of(p->arena, path);
	if (ifname && strcmp(ifname, "all") != 0 && strcmp(ifname, "default") != 0 && !files_exist(k, "sys/class/net/%s", ifname))
		part_reason(p, i, REASON_DRIVER_LACKS, via, "there is no interface %s", ifname);
	else
		part_reason(p, i, REASON_DRIVER_LACKS, via,
			    "this kernel has no %s: the name is misspelled, or a module that is not loaded brings it",
			    key);
}

/* Some keys can only be written (net.ipv4.route.flush): not even root may read them. */
static void not_permitted(struct kernel *k, struct part *p, unsigned i, const char *path, const char *via, int r)
{
	struct kernel_stat st;

	if (kernel_stat(k, path, &st) == 0 && !(st.mode & 0444))
		part_reason(p, i, REASON_WRITE_ONLY, via, "the kernel lets nobody read this key");
	else
		part_reason(p, i, REASON_NOT_PERMITTED, via, "%s; root may read it", strerror(-r));
}

static void read_number(struct part *p, unsigned i, const char *text, const char *via)
{
	char *end;
	long long num;

	errno = 0;
	num = strtoll(text, &end, 10);
	if (errno || end == text || *end)
		part_reason(p, i, REASON_UNREADABLE, via, "\"%s\" is not a number",
			    text_safe(p->arena, text, strlen(text), 80));
	else
		part_num(p, i, num, via);
}

static void read_one(struct kernel *k, struct part *p, unsigned i)
{
	struct cell *c = &p->have->at[i];
	const struct key_row *row = homes_row(p->home, p->setting, c);
	const char *path, *via, *text;
	int r;

	if (!row)
		return;
	path = homes_path(p->arena, row, c);
	if (!path) {
		part_reason(p, i, REASON_DRIVER_LACKS, NULL, "that cannot be the name of a sysctl");
		return;
	}
	via = arena_printf(p->arena, "/proc/sys/%s", path);
	r = files_text(k, &text, "%s", via + 1);
	if (r == -ENOENT || r == -ENOTDIR)
		absent(k, p, i, row, path, via);
	else if (r == -EACCES || r == -EPERM)
		not_permitted(k, p, i, via + 1, via, r);
	else if (r < 0)
		part_reason(p, i, reason_of(r), via, "%s", strerror(-r));
	else if (c->field->kind == KIND_UINT)
		read_number(p, i, homes_squeeze(p->arena, text), via);
	else
		part_text(p, i, homes_squeeze(p->arena, text), via);
}

int sysctl_read(struct kernel *k, struct part *p, struct diags *d)
{
	(void)d;
	for (unsigned i = 0; i < p->have->n; i++)
		if (part_open(p, i))
			read_one(k, p, i);
	return 0;
}

/* --- writing -------------------------------------------------------------------- */

static int write_one(struct kernel *k, const struct change *c, const struct change_part *part, const struct cell *want,
		     struct diags *d)
{
	const struct key_row *row = homes_row(part->home, part->setting, want);
	const char *path = row ? homes_path(c->arena, row, want) : NULL, *text;

	if (!path)
		return -EINVAL;
	text = want->field->kind == KIND_UINT ? arena_printf(c->arena, "%lld", (long long)want->value.num)
					      : want->value.text;
	return files_write(k, arena_printf(c->arena, "proc/sys/%s", path), text, d);
}

int sysctl_write(struct kernel *k, const struct change *c, struct diags *d)
{
	for (size_t i = 0; i < c->nparts; i++) {
		const struct change_part *part = &c->part[i];

		for (size_t j = 0; j < part->want->n; j++) {
			const struct cell *want = &part->want->at[j];
			int r;

			if (want->state != CELL_VALUE || (part->differs && !part->differs[j]))
				continue;
			r = write_one(k, c, part, want, d);
			if (r < 0)
				return r;
		}
	}
	return 0;
}
