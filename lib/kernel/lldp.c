/* SPDX-License-Identifier: Apache-2.0 */
/* LLDP through the door of that name, asked once in an observation. */
#include "kernel/lldp.h"

#include <string.h>

#include "base/arena.h"
#include "kernel/kernel.h"

struct asked {
	int err;
	struct lldp lldp;
};

int lldp_get(struct kernel *k, const struct lldp **out)
{
	void **slot = kernel_memo(k, "lldp");
	struct asked *a = *slot;

	if (!a) {
		*slot = a = arena_new_of(k->arena, struct asked);
		a->err = kernel_lldp(k, &a->lldp);
	}
	if (a->err == 0)
		*out = &a->lldp;
	return a->err;
}

const struct lldp_port *lldp_port(const struct lldp *l, const char *ifname)
{
	for (size_t i = 0; i < l->nports; i++)
		if (!strcmp(l->port[i].ifname, ifname))
			return &l->port[i];
	return NULL;
}
