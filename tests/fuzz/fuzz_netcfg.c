/* SPDX-License-Identifier: Apache-2.0 */
/* Files of network managers: one text is every file of every program at once, and who sets an MTU is asked. */
#include "fuzz.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "boot/netcfg.h"
#include "kernel/kernel.h"

struct input {
	const uint8_t *at;
	size_t n;
	unsigned read;
};

static int read_file(struct kernel *k, const char *path, struct text *out)
{
	struct input *in = k->self;

	(void)path;
	if (in->read++ > 5000)		/* whatever the text says, it does not lead round and round */
		abort();
	text_addn(out, in->at, in->n);
	return 0;
}

static int list(struct kernel *k, const char *path, struct names *out)
{
	static const char *all[] = { "10-a.link", "10-a.netdev", "10-a.network", "a.conf", "a.nmconnection", "a.yaml", "b", "ifcfg-nic0" };

	(void)k;
	(void)path;
	*out = (struct names){ all, sizeof(all) / sizeof(all[0]) };
	return 0;
}

static int link_of(struct kernel *k, const char *path, struct text *out)
{
	(void)k;
	(void)path;
	(void)out;
	return -EINVAL;
}

static int stat_of(struct kernel *k, const char *path, struct kernel_stat *st)
{
	(void)k;
	(void)path;
	*st = (struct kernel_stat){ 0 };
	return 0;
}

static void ask(const struct netcfg *n, const char *kind, bool infiniband)
{
	struct netcfg_answer answer;

	netcfg_mtu(n, &(struct netcfg_link){ .ifname = "nic0", .ifindex = 7, .kind = kind, .driver = "mlx5_core",
					     .infiniband = infiniband }, &answer);
	for (size_t i = 0; i < answer.n; i++) {
		const struct netcfg_claim *c = &answer.claim[i];

		if (!c->mtu || !c->owner || !c->pos.source || !c->pos.line || (i && c->counts && !c[-1].counts))
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static const struct kernel_ops ops = { .read = read_file, .list = list, .link = link_of, .stat = stat_of };
	struct input in = { data, n, 0 };
	struct kernel k = { .ops = &ops, .self = &in, .arena = arena_new(), .kind = "fuzz" };
	const struct netcfg *cfg;

	if (netcfg_load(&k, &cfg) < 0)
		abort();
	ask(cfg, "", false);
	ask(cfg, "bond", false);
	ask(cfg, "", true);
	arena_free(k.arena);
	return 0;
}
