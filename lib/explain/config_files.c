/* SPDX-License-Identifier: Apache-2.0 */
/* Files of /etc that are written line by line: each line is answered as what it is, a sysctl, an option, a module. */
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "explain/tool.h"

static bool below(const char *path, const char *folder)
{
	return strstr(path, folder) != NULL;
}

static void sysctl_line(struct answer *a, const char *line)
{
	const char *equals = strchr(line, '=');
	size_t key, skip;

	line += strspn(line, " \t-");
	key = strcspn(line, " \t=");
	if (!equals) {
		answer_wrong(a, "'%s' is no line KEY = VALUE", line);
		return;
	}
	skip = 1 + strspn(equals + 1, " \t");
	explain_sysctl(a, arena_strndup(a->arena, line, key), arena_strndup(a->arena, equals + skip, text_trim(equals + skip,
		       strlen(equals + skip))), &effect_sysctl_file);
}

static void modprobe_line(struct answer *a, const char *line)
{
	struct lines words = { 0 };
	struct lines parts = { 0 };
	struct simple *inner = arena_new_of(a->arena, struct simple);
	const struct simple *outer = a->command;
	const struct tool *t;

	tool_list(a, line, " \t", &parts);
	for (size_t i = 0; i < parts.n; i++)
		if (*parts.at[i])
			list_add(&words, a->arena) = parts.at[i];
	*inner = (struct simple){ .n = words.n, .heeded = true };
	list_add(&words, a->arena) = NULL;
	inner->word = words.at;
	t = inner->n ? tool_find(inner->word[0]) : NULL;
	if (!t || !t->explain || !t->of_modprobe_d) {
		answer_wrong(a, "'%s' is no line of modprobe.d that is known here: options, blacklist, install, softdep", line);
		return;
	}
	a->command = inner;
	t->explain(a, t);
	a->command = outer;
}

static void each_module(struct answer *a, const char *text)
{
	struct lines words = { 0 };

	tool_list(a, text, " \n\t", &words);
	for (size_t i = 0; i < words.n; i++)
		if (*words.at[i] && *words.at[i] != '#')
			explain_module_load(a, words.at[i], true);
}

static void limits_line(struct answer *a, const char *line)
{
	if (strstr(line, "memlock"))
		answer_does(a, "how much memory a user may pin; RDMA registrations need it, services take "
			       "LimitMEMLOCK= of systemd "
			       "instead");
	answer_no_policy(a, "limits of users are not set by rdmactl");
}

static void other_line(struct answer *a, const char *line)
{
	(void)line;
	answer_does(a, "configuration of another program");
	answer_no_policy(a, "rdmactl edits no file that it does not own");
}

/* Configuration that is written line by line. */
static const struct {
	const char *folder;
	void (*line)(struct answer *a, const char *line);
} configurations[] = {
	{ "sysctl.d/", sysctl_line },
	{ "/sysctl.conf", sysctl_line },
	{ "modprobe.d/", modprobe_line },
	{ "modules-load.d/", each_module },
	{ "/rdma/modules/", each_module },
	{ "/etc/modules", each_module },
	{ "limits.d/", limits_line },
	{ "/limits.conf", limits_line },
	{ "/etc/udev/", other_line },
	{ "/etc/systemd/", other_line },
	{ "/etc/default/grub", other_line },
	{ "/etc/network/", other_line },
	{ "/etc/netplan/", other_line },
	{ "/etc/sysconfig/", other_line },
	{ "/etc/lldpd.d/", other_line },
	{ "/etc/", other_line },		/* last: what the others leave */
};

/* In a folder "….d" only files that end in .conf are read. */
static bool is_passed_over(const char *path, const char *folder)
{
	size_t n = strlen(path), len = strlen(folder);

	return len > 3 && !strcmp(folder + len - 3, ".d/") && (n < 5 || strcmp(path + n - 5, ".conf") != 0) && !shell_open_value(path);
}

bool explain_configuration(struct answer *a, const char *path, const char *value, bool append)
{
	struct lines lines = { 0 };

	for (size_t i = 0; i < sizeof(configurations) / sizeof(configurations[0]); i++) {
		if (!below(path, configurations[i].folder))
			continue;
		answer_is(a, "a configuration file that is read at boot%s", append ? "" : "; > replaces all that was "
											  "in it");
		if (is_passed_over(path, configurations[i].folder))
			answer_wrong(a, "the name does not end in .conf: nobody reads the file");
		tool_list(a, value, "\n", &lines);
		for (size_t k = 0; k < lines.n; k++)
			if (*lines.at[k] && *lines.at[k] != '#')
				configurations[i].line(a, lines.at[k]);
		a->writes = true;
		if (append)
			answer_beware(a, ">> adds the line once more each time it is run");
		return true;
	}
	return false;
}
