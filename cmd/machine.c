/* SPDX-License-Identifier: Apache-2.0 */
/* The machine that commands look at and write to: this one. tests/sim has a kernel in memory instead. */
#include "cmd.h"
#include "kernel/kernel.h"

struct kernel *machine_open(struct arena *a)
{
	return kernel_live(a, NULL);
}

const char *machine_lock(void)
{
	return "/run/rdmactl.lock";
}

const char *machine_policy(void)
{
	return POLICY_DEFAULT;
}

bool machine_is_real(void)
{
	return true;
}
