/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the node match its policy: under the lock, read back, undone if it fails. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "cmd.h"
#include "kernel/kernel.h"
#include "policy/policy.h"

#define LOCK "/run/rdmactl.lock"

/* May this process write, and is the policy one that root can trust? */
static int permitted(struct session *s)
{
	if (s->opt->from) {
		diag_error(&s->diags, NULL, "apply does not write to a dump");
		diag_hint(&s->diags, "`rdmactl plan --from` says what it would write");
		return EXIT_USAGE;
	}
	if (!machine_is_real() || s->opt->root)
		return 0;
	if (geteuid() != 0) {
		diag_error(&s->diags, NULL, "apply needs root (CAP_NET_ADMIN in the initial user namespace, and files of root)");
		diag_hint(&s->diags, "`rdmactl plan` needs no rights to say what it would write");
		return EXIT_NOT_PERMITTED;
	}
	if (s->opt->trust_policy || !strcmp(policy_path(s->opt), "-"))
		return 0;
	if (access(policy_path(s->opt), F_OK) == 0 && policy_trusted(policy_path(s->opt), &s->diags) < 0)
		return EXIT_NOT_PERMITTED;
	return 0;
}

static int locked_apply(struct session *s)
{
	struct outcome o = { .command = "apply" };
	struct run run;
	int r = session_run(s, &run);

	if (r)
		return r;
	run.want_rows = true;			/* of a device that vanishes, all rows are unknown */
	apply_run(&run, &o, &s->diags);
	return session_report(s, &o);
}

static int apply(struct session *s)
{
	int lock = -1, r = permitted(s);

	if (r)
		return r;
	if (s->opt->dry_run)
		return command_plan.run(s);
	if (machine_is_real() && !s->opt->root) {	/* before looking: what we see stays so */
		r = file_lock(LOCK, "apply", &lock, &s->diags);
		if (r < 0)
			return r == -EWOULDBLOCK ? EXIT_LOCKED : EXIT_NOT_PERMITTED;
	}
	r = locked_apply(s);
	if (lock >= 0)
		file_unlock(lock);
	return r;
}

const struct command command_apply = {
	"apply", "", "Makes this node match its policy, reads back every write, undoes what fails",
	OPTION_POLICY | OPTION_MACHINE | OPTION_REPORT | OPTION_CHANGES | OPTION_APPLY, apply,
};
