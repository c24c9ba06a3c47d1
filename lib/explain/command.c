/* SPDX-License-Identifier: Apache-2.0 */
/* Which tool a command is of, and what a line is that is no command: KEY = VALUE of sysctl.d, a path, a variable. */
#include "explain/command.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/json.h"
#include "base/text.h"
#include "explain/explain.h"
#include "explain/tool.h"
#include "explain/topics.h"
#include "model/catalog.h"

/* Commands that say nothing about RDMA, and stand in loops and pipes around those that do. */
static const char *const plain[] = {
	"cd", "sleep", "true", "false", "grep", "egrep", "awk", "sed", "tail", "sort", "uniq", "wc", "cut", "tr", "exit", "set",
	"read", "test", "[", "[[", ":", "source", ".", "ls", "find", "cp", "mv", "rm", "chmod", "kill", "wait", "return", "break",
	"continue", "local", "basename", "dirname", "readlink", "scp", "vi", "vim", "nano", "column",
	"shift", "seq", "date", "hostname", "reboot", "shutdown", "jq", NULL,
};

static bool is_plain(const char *name)
{
	for (const char *const *p = plain; *p; p++)
		if (!strcmp(*p, name))
			return true;
	return false;
}

/* --- lines that are no command -------------------------------------------------- */

/* "net.rdma_ucm.max_backlog = 8192", "net.core.rmem_max=1", a bare key of that kind */
static bool is_sysctl(const struct simple *c)
{
	static const char *const roots[] = { "net.", "vm.", "kernel.", "fs.", "net/", "vm/", "kernel/" };

	for (size_t i = 0; c->n && i < sizeof(roots) / sizeof(roots[0]); i++)
		if (!strncmp(c->word[0], roots[i], strlen(roots[i])))
			return c->n == 1 || c->word[1][0] == '=' || strchr(c->word[0], '=');
	return false;
}

static void sysctl_line(struct answer *a, const struct simple *c)
{
	TEXT_CLEANUP struct text line = { 0 };
	const char *s, *equals;
	size_t n;

	for (size_t i = 0; i < c->n; i++)
		text_printf(&line, "%s%s", i ? " " : "", c->word[i]);
	s = arena_strndup(a->arena, text_str(&line), line.n);
	equals = strchr(s, '=');
	n = strcspn(s, " =");
	answer_is(a, "a line of sysctl.d");
	explain_sysctl(a, arena_strndup(a->arena, s, n), equals ? equals + 1 + strspn(equals + 1, " ") : NULL,
		       &effect_sysctl_file);
}

static bool is_path(const struct simple *c)
{
	return c->n == 1 && strchr(c->word[0], '/') && !tool_find(shell_basename(c->word[0]));
}

/* Variables alone, or in front of a program of which nothing is known. */
static bool variables(struct answer *a, const struct simple *c)
{
	size_t known = 0;

	for (size_t i = 0; i < c->nvariables; i++)
		known += explain_variable(a, c->variable[i]);
	if (known)
		answer_is(a, "variables for communication libraries; they hold for one process");
	if (known && !a->offers.n)
		answer_no_policy(a, "variables of programs are not set by rdmactl");
	return known;
}

/* --- one command ------------------------------------------------------------------ */

/* A failure that nobody sees is a trap of its own. */
static void silence(struct answer *a, const struct simple *c)
{
	for (size_t i = 0; i < c->nredirects; i++)
		if (!strcmp(c->redirect[i].path, "/dev/null") && a->writes)
			answer_beware(a, "what it says goes to /dev/null: a failure is not seen");
	if (!c->heeded && a->writes)
		answer_beware(a, "a failure is passed over");
}

/* Return: is anything known of it? */
static bool answer_command(struct answer *a, const struct simple *c)
{
	const struct tool *t = c->n ? tool_find(shell_basename(c->word[0])) : NULL;

	if (t) {
		tool_explain(a, t);
		if (a->idle)
			return variables(a, c);
	} else if (c->n && is_sysctl(c)) {
		sysctl_line(a, c);
	} else if (c->n && is_path(c)) {
		explain_file(a, c->word[0], NULL, false);
	} else {
		return variables(a, c);
	}
	variables(a, c);
	silence(a, c);
	if (!a->offers.n && !a->no_policy.n)
		answer_no_policy(a, a->wrong.n ? "nothing of it can be wanted as it stands" : "it is no setting of "
											      "rdmactl");
	return true;
}

/* echo and printf whose words go into a pipe are told by what reads them. */
static bool feeds(const struct script *script, size_t i)
{
	const struct simple *c = &script->at[i];
	const char *name = c->n ? shell_basename(c->word[0]) : "";

	return i + 1 < script->n && script->at[i + 1].piped && (!strcmp(name, "echo") || !strcmp(name, "printf"));
}

int command_answers(struct arena *a, const struct catalog *c, const char *line, struct answers *answers, const char **why)
{
	struct script script = { 0 };
	int err = shell_split(a, line, &script, why);

	for (size_t i = 0; err == 0 && i < script.n; i++) {
		struct simple *one = &script.at[i];
		struct answer answer;

		if (feeds(&script, i)) {
			script.at[i + 1].input = tool_echoed(a, one);
			continue;
		}
		answer_init(&answer, a, c, one);
		if (answer_command(&answer, one))
			list_add(answers, a) = answer;
		else if (one->n && !is_plain(shell_basename(one->word[0])) && !answers->unknown)
			answers->unknown = one->word[0];
	}
	return err;
}

/* --- any question -------------------------------------------------------------------- */

static bool is_key(const struct catalog *c, const char *what)
{
	if (!*what || catalog_field(c, what, NULL))
		return true;
	for (size_t i = 0; i < c->nsettings; i++)
		for (const struct field *f = c->setting[i]->fields; f->name; f++)
			if (catalog_selects(what, f->name))
				return true;
	return false;
}

static int unknown_command(const char *name, struct diags *d)
{
	const char *near = tool_nearest(shell_basename(name), d->arena);

	if (!near)
		near = topic_nearest(name, d->arena);
	if (near && !strcmp(near, shell_basename(name)))
		near = NULL;		/* known, and not of what it is given here */
	diag_error(d, NULL, "nothing is known of a command '%s'", name);
	if (near)
		diag_hint(d, "did you mean '%s'? A key of the policy: `rdmactl explain` lists them all", near);
	else
		diag_hint(d, "it takes a key of the policy (`rdmactl explain` lists them all), a topic, or a command "
			     "line in quotes");
	return -ENOENT;
}

static int explain_line(const struct catalog *c, const char *line, struct text *out, struct json *json, struct diags *d)
{
	struct answers answers = { 0 };
	const char *why = NULL;
	int err = command_answers(d->arena, c, line, &answers, &why);

	if (err) {
		diag_error(d, NULL, "this line cannot be taken apart: %s", why);
		return err;
	}
	if (!answers.n)
		return unknown_command(answers.unknown ? answers.unknown : line, d);
	if (answers.unknown)
		diag_note(d, NULL, "nothing is known of '%s' in this line", answers.unknown);
	for (size_t i = 0; i < answers.n; i++) {
		if (json) {
			answer_json(&answers.at[i], json);
			continue;
		}
		if (out->n)
			text_char(out, '\n');
		answer_print(&answers.at[i], out);
	}
	return 0;
}

/* "pfc" is rather qos.pfc than the command of a switch. */
static bool ends_key(const struct catalog *c, const char *end)
{
	for (size_t i = 0; i < c->nsettings; i++)
		for (const struct field *f = c->setting[i]->fields; f->name; f++)
			if (strchr(f->name, '.') && !strcmp(strrchr(f->name, '.') + 1, end))
				return true;
	return false;
}

/* One word that is near no topic and no tool is rather a key that is misspelt. */
static bool misspelt_key(const struct catalog *c, const char *s, struct arena *a)
{
	if (s[strcspn(s, " \t\n/=;|&<>'\"$")])
		return false;
	return ends_key(c, s) || (!tool_find(s) && !topic_nearest(s, a) && !tool_nearest(s, a));
}

/* A topic, and what the language has of that name. Return: is there any */
static bool explain_topic(const struct explain_lists *lists, const char *what, struct text *out, struct json *json, struct arena *a)
{
	const struct topic *topic = topic_find(what, a);

	if (topic && json)
		topic_json(topic, what, json);
	else if (topic)
		topic_print(topic, what, out);
	return language_explain(lists, what, LANGUAGE_WORD, out, json) || topic;
}

/* "profiles.gpu.ports.compute.qos.pfc", as somebody reads it from a policy. Return: "qos.pfc", or @what */
static const char *without_place(const struct catalog *c, const char *what)
{
	const char *dot = what;

	if (is_key(c, what) || what[strcspn(what, " /=")])
		return what;
	while ((dot = strchr(dot, '.')) != NULL) {
		const char *word = dot++, *name = strchr(dot, '.');

		while (word > what && word[-1] != '.')
			word--;
		if (!strncmp(word, "node.", 5) && catalog_field(c, dot, NULL))
			return dot;
		if (!strncmp(word, "ports.", 6) && name && catalog_field(c, name + 1, NULL))
			return name + 1;
	}
	return what;
}

int explain_any(const struct catalog *c, const struct explain_lists *lists, const char *what, struct text *out, struct json *json,
		struct diags *d)
{
	what += strspn(what, " \t\n");
	what = without_place(c, arena_strndup(d->arena, what, text_trim(what, strlen(what))));
	if (is_key(c, what)) {
		int r = explain_key(c, lists, what, out, json, d);

		language_explain(lists, what, LANGUAGE_WHOLE, out, json);
		return r;
	}
	if (rule_explain(lists, what, out, json) || explain_topic(lists, what, out, json, d->arena))
		return 0;
	if (misspelt_key(c, what, d->arena))
		return explain_key(c, lists, what, out, json, d);
	return explain_line(c, what, out, json, d);
}
