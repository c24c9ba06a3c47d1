/* SPDX-License-Identifier: Apache-2.0 */
/* cma_roce_mode, cma_roce_tos of mlnx-tools: shell scripts over configfs rdma_cm, which any RoCE driver has. */
#include <string.h>

#include "explain/tool.h"

static void take_mode(struct answer *a, const char *value)
{
	if (!strcmp(value, "1") || !strcmp(value, "2"))
		answer_offer(a, "roce.mode", *value == '1' ? "v1" : "v2");
	else if (shell_open_value(value))
		answer_no_policy(a, "roce.mode, with what `%s` stands for", value);
	else
		answer_wrong(a, "-m takes 1 or 2, not %s: the script then writes nothing, and says nothing", value);
}

#define WHICH \
	{ "-d", .value = "IBDEV" }, { "-p", .value = "PORT" }, { "-h", .does = "shows its options" }

static const struct fact mode[] = {
	WHICH,
	{ "-m", "1|2", .does = "default_roce_mode: the GID type that rdma_cm prefers for new connections, RoCE v1 or "
			       "v2",
	  .effect = &effect_cm, .take = take_mode },
	{ 0 },
};
static const struct fact tos[] = {
	WHICH,
	{ "-t", "TOS", .does = "default_roce_tos: the ToS byte of new rdma_cm connections", .effect = &effect_cm,
	  .take = tool_tos },
	{ 0 },
};

static void explain(struct answer *a, const struct tool *t)
{
	tool_options(a, t->options, 1);
	a->device = answer_arg(a, "-d");
	if (!a->device)
		answer_beware(a, "without -d it is about mlx5_0, whichever card that is; without -p about port 1");
	if (!answer_has(a, t->options == tos ? "-t" : "-m"))
		answer_does(a, "shows the value; for that it makes a directory in configfs, as root");
	tool_tell(a);
}

const struct tool tools_cma_roce[] = {
	{ .names = "cma_roce_tos", .explain = explain, .options = tos,
	  .is = "a script of mlnx-tools over configfs rdma_cm; works for every RoCE driver",
	  .no_policy = "roce.tos and roce.mode are the keys" },
	{ .names = "cma_roce_mode", .explain = explain, .options = mode,
	  .is = "a script of mlnx-tools over configfs rdma_cm; works for every RoCE driver",
	  .no_policy = "roce.tos and roce.mode are the keys" },
	{ 0 },
};
