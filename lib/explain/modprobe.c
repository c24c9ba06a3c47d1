/* SPDX-License-Identifier: Apache-2.0 */
/*
 * modprobe, insmod, rmmod, and lines of modprobe.d (`options`, `blacklist`, `install`, …), which people copy like
 * commands. modprobe takes one module; words behind it are parameters, unless there is -a.
 */
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "explain/tool.h"
#include "settings/known_modules.h"

/* What to know of a module beside its options. */
static const struct fact modules[] = {
	{ "ib_ucm", .exists = EXISTS_GONE, .instead = "rdma_ucm: ib_ucm was removed from the kernel" },
	{ "mlx4_core mlx4_en mlx4_ib", .does = "driver of ConnectX-3 and older; mlx5_core is for all since" },
	{ "rdma_rxe", .does = "RoCE in software; it does nothing before `rdma link add`" },
	{ "siw", .does = "iWARP in software; it does nothing before `rdma link add`" },
	{ "rdma_ucm", .does = "librdmacm of programs; brings the key net.rdma_ucm.max_backlog" },
	{ "nvidia_peermem nv_peer_mem", .does = "RDMA to GPU memory; newer stacks do it by dma-buf without it" },
	{ 0 },
};

static bool is_name(const char *s)
{
	return *s && !s[strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")];
}

/* "/lib/modules/…/mlx5_core.ko.xz" is mlx5_core */
static const char *module_name(struct answer *a, const char *path)
{
	const char *s = shell_basename(path), *dot = strstr(s, ".ko");

	return dot ? arena_strndup(a->arena, s, (size_t)(dot - s)) : s;
}

/* - and _ are one in these names; files of the kernel have _ */
static const char *underscored(struct answer *a, const char *name)
{
	char *s = arena_strdup(a->arena, name);

	for (char *c = s; *c; c++)
		*c = *c == '-' ? '_' : *c;
	return s;
}

static void tell_module(struct answer *a, const char *module)
{
	for (const struct fact *f = modules; f->name; f++)
		if (fact_named(f, arena_strdup(a->arena, module))) {
			struct fact one = *f;

			one.name = module;
			answer_fact(a, &one, NULL);
		}
}

static bool gone(const char *module)
{
	for (const struct fact *f = modules; f->name; f++)
		if (f->exists != EXISTS_YES && fact_named(f, module))
			return true;
	return false;
}

/* What is known of one option. Return: may it be wanted? */
static bool known_option(struct answer *a, const char *module, const char *option)
{
	const char *instead = known_modules_missing(module, option), *all = known_modules_options(module);
	struct lines names = { 0 };
	const char *near;

	if (instead) {
		answer_wrong(a, "%s has no option %s, and never had", module, option);
		answer_instead(a, "%s: %s", option, instead);
		return false;
	}
	if (!all)
		return true;
	tool_list(a, all, " ", &names);
	for (size_t i = 0; i < names.n; i++)
		if (known_modules_same(names.at[i], option))
			return true;
	list_add(&names, a->arena) = NULL;
	near = text_nearest(option, names.at);
	answer_wrong(a, "%s of the kernel has no option %s%s%s%s", module, option, near ? "; the nearest is " : "",
		     near ? near : "", *all ? "" : ", and none at all");
	answer_beware(a, "a vendor's build may have more options: modinfo -p %s", module);
	return false;
}

void explain_module_options(struct answer *a, const char *module, const char *const *option, size_t n)
{
	size_t good = 0;

	tell_module(a, module);
	for (size_t i = 0; i < n; i++)
		if (*option[i] == '=') {
			answer_wrong(a, "blanks around = make words of their own; NAME=VALUE is one");
			return;
		}
	for (size_t i = 0; i < n; i++) {
		const char *equals = strchr(option[i], '=');
		const char *name = arena_strndup(a->arena, option[i], equals ? (size_t)(equals - option[i]) : strlen(option[i]));

		if (!known_option(a, module, name))
			continue;
		good++;
		if (is_name(name) && is_name(module))
			answer_offer(a, arena_printf(a->arena, "modules.%s.options.%s", underscored(a, module),
						     underscored(a, name)), equals ? equals + 1 : "1");
	}
	if (n && !good)
		answer_not(a, EXISTS_NO);
	if (a->exists != EXISTS_YES)
		answer_beware(a, "the kernel loads the module all the same, and says \"unknown parameter ignored\" in "
				 "its log");
}

void explain_module_load(struct answer *a, const char *module, bool at_boot)
{
	tell_module(a, module);
	if (gone(module) && !a->offers.n)
		answer_not(a, EXISTS_GONE);
	if (gone(module) || !is_name(module))
		return;
	answer_does(a, "loads %s%s", module, at_boot ? " at boot, before sysctl.d is applied" : " now");
	answer_effect(a, at_boot ? &effect_load_file : &effect_load);
	answer_offer(a, arena_printf(a->arena, "modules.%s.load", underscored(a, module)), "true");
}

/* --- modprobe ---------------------------------------------------------------------- */

static const struct fact options[] = {
	{ .name = "-a --all" }, { .name = "-r --remove" }, { .name = "-n --dry-run --show" },
	{ .name = "-v --verbose" }, { .name = "-q --quiet" }, { .name = "-f --force" },
	{ .name = "-c --showconfig --show-config" }, { .name = "-D --show-depends" }, { .name = "-R --resolve-alias" },
	{ "-C --config", .value = "FILE" },
	{ "-d --dirname", .value = "DIR" }, { "-S --set-version", .value = "VERSION" },
	{ .name = "-i --ignore-install --ignore-remove" },
	{ .name = "-b --use-blacklist" }, { "-w --wait", .value = "MS" }, { .name = "-s --syslog" },
	{ .name = "-V --version" }, { .name = "-h --help" }, { .name = "--first-time" },
	{ .name = "--force-modversion" }, { .name = "--force-vermagic" },
	{ .name = "--remove-dependencies --remove-holders" }, { .name = "--show-modversions" },
	{ .name = "--show-exports" },
	{ 0 },
};

static void unload(struct answer *a)
{
	for (size_t i = 0; i < a->rest.n; i++)
		answer_does(a, "unloads %s, and what depends on it alone", a->rest.at[i]);
	answer_effect(a, &effect_unload);
	answer_no_policy(a, "rdmactl unloads no module; blacklist: true keeps one from loading at boot");
}

static void one_module(struct answer *a)
{
	const char *module = module_name(a, a->rest.at[0]);
	size_t parameters = 0;

	for (size_t i = 1; i < a->rest.n; i++)
		parameters += strchr(a->rest.at[i], '=') != NULL;
	explain_module_load(a, module, false);
	if (a->rest.n == 1)
		return;
	if (parameters == a->rest.n - 1) {
		explain_module_options(a, module, a->rest.at + 1, a->rest.n - 1);
		return;
	}
	answer_wrong(a, "modprobe takes one module: the %zu words behind %s are parameters of it, and no module is "
			"loaded by them",
		     a->rest.n - 1, module);
	answer_instead(a, "modprobe -a loads several; at boot modules-load.d, or /etc/rdma/modules of rdma-core");
	for (size_t i = 1; i < a->rest.n; i++)
		if (!strchr(a->rest.at[i], '='))
			explain_module_load(a, module_name(a, a->rest.at[i]), false);
}

static void modprobe(struct answer *a, const struct tool *t)
{
	(void)t;
	tool_options(a, options, 1);
	tool_tell(a);
	if (answer_has(a, "-r"))
		unload(a);
	else if (answer_has(a, "-c") || answer_has(a, "-D") || answer_has(a, "-R") || answer_has(a, "-n"))
		answer_does(a, "shows what it would do, or the configuration");
	else if (!a->rest.n)
		answer_wrong(a, "no module is named");
	else if (answer_has(a, "-a"))
		for (size_t i = 0; i < a->rest.n; i++)
			explain_module_load(a, module_name(a, a->rest.at[i]), false);
	else
		one_module(a);
	if (a->writes && a->impact == IMPACT_NONE)
		answer_beware(a, "a module that is loaded already keeps its parameters");
}

static void insmod(struct answer *a, const struct tool *t)
{
	(void)t;
	tool_options(a, options, 1);
	if (a->rest.n)
		one_module(a);
	answer_beware(a, "insmod reads no modprobe.d and loads no dependencies");
}

static void rmmod(struct answer *a, const struct tool *t)
{
	(void)t;
	tool_options(a, options, 1);
	unload(a);
}

/* --- lines of modprobe.d -------------------------------------------------------------- */

static void no_module(struct answer *a)
{
	answer_wrong(a, "no module is named");
}

static void options_line(struct answer *a, const struct tool *t)
{
	(void)t;
	if (a->command->n < 3) {
		answer_wrong(a, "a module and NAME=VALUE are due: the line is bad");
		return;
	}
	answer_does(a, "gives parameters to %s when it is loaded", a->command->word[1]);
	explain_module_options(a, a->command->word[1], a->command->word + 2, a->command->n - 2);
	if (a->exists != EXISTS_NO)
		answer_effect(a, &effect_option_file);
	answer_beware(a, "a later file, and the kernel command line (MODULE.NAME=VALUE), win");
}

static void blacklist_line(struct answer *a, const struct tool *t)
{
	(void)t;
	if (a->command->n != 2) {
		no_module(a);
		return;
	}
	answer_does(a, "keeps %s from being loaded by its aliases (hardware); by name or as a dependency it still is",
		    a->command->word[1]);
	answer_effect(a, &effect_option_file);
	if (is_name(a->command->word[1]))
		answer_offer(a, arena_printf(a->arena, "modules.%s.blacklist", underscored(a, a->command->word[1])), "true");
}

static void install_line(struct answer *a, const struct tool *t)
{
	(void)t;
	if (a->command->n < 3 || !is_name(a->command->word[1])) {
		answer_does(a, "as a command, copies files; as a line of modprobe.d, it names a command instead of "
			       "loading");
		return;
	}
	answer_does(a, "runs a command instead of loading %s; /bin/true or /bin/false keep it out "
		       "altogether", a->command->word[1]);
	answer_effect(a, &effect_option_file);
	answer_no_policy(a, "modules.%s.blacklist is the key; it does not stop a load by name", a->command->word[1]);
}

static void softdep_line(struct answer *a, const struct tool *t)
{
	(void)t;
	answer_does(a, "loads other modules before or after this one, if they can be");
	answer_effect(a, &effect_option_file);
}

#define A_LINE .is = "a line of modprobe.d, and no command", .of_modprobe_d = true
const struct tool tools_modprobe[] = {
	{ .names = "modprobe", .is = "of kmod", .explain = modprobe,
	  .no_policy = "modules.MODULE.load, .options, .blacklist are the keys" },
	{ .names = "insmod", .is = "of kmod", .explain = insmod,
	  .no_policy = "modules.MODULE.load, .options are the keys" },
	{ .names = "rmmod", .is = "of kmod", .explain = rmmod },
	{ .names = "options", A_LINE, .explain = options_line,
	  .no_policy = "an option that does not exist is refused by lint" },
	{ .names = "blacklist", A_LINE, .explain = blacklist_line },
	{ .names = "install", A_LINE, .explain = install_line, .no_policy = "it is no setting of rdmactl" },
	{ .names = "softdep", A_LINE, .explain = softdep_line,
	  .no_policy = "modules.MODULE.load is the nearest key" },
	{ 0 },
};
