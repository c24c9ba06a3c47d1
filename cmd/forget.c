/* SPDX-License-Identifier: Apache-2.0 */
/* Removes every boot file of ours and nothing else: a run like any other, with a policy that asks for no line in them. */
#include <string.h>

#include "base/arena.h"
#include "base/file.h"
#include "boot/ours.h"
#include "runs.h"

/* Who counts what is in our files and is not asked for. */
static const char *const counts[] = { "boot.files", "dcbx.conf" };
enum { COUNTS = sizeof(counts) / sizeof(counts[0]) };

/* Wishes of the node for nothing in our files but what is asked for, and nothing is. */
static const struct desired *ask_nothing(struct session *s, const struct desired *all)
{
	struct desired *des = arena_new_of(s->arena, struct desired);
	struct wish *w = arena_array_of(s->arena, struct wish, COUNTS);

	for (size_t i = 0; i < COUNTS; i++) {
		const struct setting *setting;
		const struct field *f = catalog_field(s->catalog, counts[i], &setting);
		struct record *want = record_new(s->arena, setting);

		cell_set_num(&want->at[f - setting->fields], 0);
		w[i] = (struct wish){ .target = all->target[0], .setting = setting, .want = want };
	}
	*des = *all;
	des->node = s->facts->hostname;
	des->wish = w;
	des->n = COUNTS;
	return des;
}

/* What has the name of one of ours, and was not written by us, is somebody's. */
static void note_foreign(struct session *s)
{
	for (int f = 0; f < OURS_ALL; f++) {
		const char *why = ours_foreign(s->kernel, s->arena, (enum ours)f);

		if (why)
			diag_note(&s->diags, NULL, "left alone: %s", why);
	}
}

static int locked_forget(struct session *s)
{
	struct outcome o = { .command = "forget" };
	struct run run;
	int r = s->opt->root ? session_facts(s) : runs_check_writing(s);

	r = r ? r : runs_run(s, &run);
	r = r ? r : runs_journal(s, &run);
	if (r)
		return r;
	run.desired = ask_nothing(s, run.desired);
	run.boot_files_only = run.without_live = true;	/* whatever runs goes on as it is */
	run.renew = NULL;
	note_foreign(s);
	apply_run(&run, &o, &s->diags);
	o.returns = true;
	if (o.exit_code == EXIT_SYNC)
		o.result = o.changed ? "forgotten" : "nothing-to-do";
	return session_report(s, &o);
}

static int forget(struct session *s)
{
	int lock, r = runs_permitted(s);

	r = r ? r : runs_lock(s, &lock);
	if (r)
		return r;
	r = locked_forget(s);
	if (lock >= 0)
		file_unlock(lock);
	return r;
}

const struct command command_forget = {
	"forget", "", "Removes every boot file of rdmactl; what runs goes on as it is",
	OPTION_ROOT | OPTION_REPORT | OPTION_WRITES, forget,
};
