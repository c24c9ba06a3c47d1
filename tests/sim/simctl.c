/* SPDX-License-Identifier: Apache-2.0 */
/*
 * simctl STATEFILE COMMAND [WORD]...: makes a simulated machine, changes it behind rdmactl's back, makes it fail, and
 * looks at it. Anything that it does not know is an error: 1 with the reason; 64 for wrong usage.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "sim.h"

static int usage(void)
{
	TEXT_CLEANUP struct text t = { 0 };

	sim_usage(&t);
	fprintf(stderr, "usage: simctl STATEFILE COMMAND [WORD]...\n\n%s", text_str(&t));
	return 64;
}

static int run(struct sim *s, int argc, char **argv)
{
	TEXT_CLEANUP struct text out = { 0 };
	int r = sim_command(s, argc, argv, &out);

	fwrite(text_str(&out), 1, out.n, stdout);
	if (r < 0)
		fprintf(stderr, "simctl: %s: %s\n", argv[0], *sim_why(s) ? sim_why(s) : strerror(-r));
	return r < 0;
}

int main(int argc, char **argv)
{
	struct arena *a;
	struct sim *s;
	int status;

	if (argc < 3 || argv[1][0] == '-')
		return usage();
	a = arena_new();
	s = sim_open(a, argv[1], !strcmp(argv[2], "reset"));
	if (!s) {
		fprintf(stderr, "simctl: %s: %s\n", argv[1],
			errno == EINVAL ? "not a machine of this simctl; make a new one with reset" : strerror(errno));
		arena_free(a);
		return 1;
	}
	status = run(s, argc - 2, argv + 2);
	sim_close(s);
	arena_free(a);
	return status;
}
