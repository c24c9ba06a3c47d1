/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The machine of rdmactl-sim: the state file that RDMACTL_SIM names, made by simctl, instead of this one.
 * RDMACTL_SIM_KILL=N: killed before the Nth door; RDMACTL_SIM_TEAR=N: in the middle of the Nth append to the journal.
 * What comes before the Nth door: RDMACTL_SIM_RENAME=N, RDMACTL_SIM_RENAME_RDMA=N: udev renames the first NIC, or its RDMA
 * device; RDMACTL_SIM_LOAD=N: rdma_ucm is loaded; RDMACTL_SIM_RELOAD=N: the first NIC goes and comes back as a new one.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "cmd.h"
#include "kernel/kernel.h"
#include "state.h"

/* Said to this process alone, and not to the watcher that it may start. */
static unsigned number_from(const char *name)
{
	const char *text = getenv(name);
	unsigned n = text ? (unsigned)strtoul(text, NULL, 10) : 0;

	unsetenv(name);
	return n;
}

struct kernel *machine_open(struct arena *a)
{
	const char *file = getenv("RDMACTL_SIM");
	struct sim *s;

	if (!file || !*file) {
		fprintf(stderr, "rdmactl-sim: RDMACTL_SIM names no state file; make one with simctl\n");
		errno = ENOENT;
		return NULL;
	}
	s = sim_open(a, file, false);
	if (!s)
		return NULL;
	s->loud = true;
	s->kill_in = number_from("RDMACTL_SIM_KILL");
	s->comes_in[COMES_RENAME] = number_from("RDMACTL_SIM_RENAME");
	s->comes_in[COMES_RENAME_RDMA] = number_from("RDMACTL_SIM_RENAME_RDMA");
	s->comes_in[COMES_LOAD] = number_from("RDMACTL_SIM_LOAD");
	s->comes_in[COMES_RELOAD] = number_from("RDMACTL_SIM_RELOAD");
	s->tear_in = number_from("RDMACTL_SIM_TEAR");
	return sim_kernel(s);
}

const char *machine_lock(void)
{
	static char path[4096];
	const char *file = getenv("RDMACTL_SIM");

	snprintf(path, sizeof(path), "%s.lock", file ? file : "");
	return path;
}

/* Beside the state: what the machine itself has in /etc is no business of a test. */
const char *machine_policy(void)
{
	static char path[4096];
	const char *file = getenv("RDMACTL_SIM");

	snprintf(path, sizeof(path), "%s.policy.yaml", file ? file : "");
	return path;
}

bool machine_is_real(void)
{
	return false;
}
