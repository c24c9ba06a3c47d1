/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lib/explain, command lines: a table of what is told (tests/cases/commands), that spelling changes nothing, that
 * offered policy lines lint, that nothing published lacks an answer, and that hostile text does no harm.
 */
#include <errno.h>
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/json.h"
#include "base/text.h"
#include "catalog.h"
#include "explain/command.h"
#include "explain/shell.h"
#include "explain/topics.h"
#include "lint/lint.h"
#include "model/catalog.h"
#include "policy/policy.h"

enum { LINE_BYTES = 4096 };

/* --- the table ------------------------------------------------------------------ */

struct expected {
	char *line, *exists, *impact, *policy;
};

/* Calls for each line of each file of the table. Return: how many. */
static size_t each_case(void (*look)(const struct expected *e))
{
	static const char *const files[] = { "hosts", "dcb", "kernel", "files", "other" };
	char buf[LINE_BYTES], path[64];
	size_t n = 0;

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		FILE *f;

		snprintf(path, sizeof(path), "tests/cases/commands/%s.txt", files[i]);
		f = fopen(path, "r");
		assert_non_null(f);
		while (fgets(buf, sizeof(buf), f)) {
			struct expected e = { .line = strtok(buf, "\t\n"), .exists = strtok(NULL, "\t\n"),
					      .impact = strtok(NULL, "\t\n"), .policy = strtok(NULL, "\t\n") };

			if (!e.policy)		/* the comment on top */
				continue;
			look(&e);
			n++;
		}
		fclose(f);
	}
	return n;
}

static int ask(struct arena *a, const char *line, struct answers *answers)
{
	const char *why = NULL;

	memset(answers, 0, sizeof(*answers));
	return command_answers(a, catalog_default(), line, answers, &why);
}

static void add_policy(const struct answer *a, struct text *out)
{
	TEXT_CLEANUP struct text node = { 0 }, group = { 0 };

	answer_policy(a, true, &node);
	answer_policy(a, false, &group);
	for (size_t i = 0; i < group.n; i++)
		if (group.s[i] == '\n')
			group.s[i] = ';';
	text_printf(out, "%s%s%s", text_str(&node), node.n && group.n ? "; " : "", text_str(&group));
	if (!out->n)
		text_add(out, "-");
}

/* "; " of the file is ";" here and there */
static bool same_policy(const char *a, const char *b)
{
	while (*a || *b) {
		if (*a == ';' && *b == ';') {
			a += 1 + (a[1] == ' ');
			b += 1 + (b[1] == ' ');
		}
		if (*a != *b)
			return false;
		a += *a != 0;
		b += *b != 0;
	}
	return true;
}

static void check_case(const struct expected *e)
{
	TEXT_CLEANUP struct text policy = { 0 };
	struct arena *a = arena_new();
	struct answers all;
	const struct answer *one = &(const struct answer){ 0 };

	if (ask(a, e->line, &all) < 0 || all.n != 1)
		fail_msg("%s: %zu answers", e->line, all.n);
	one = &all.at[0];
	add_policy(one, &policy);
	if (strcmp(exists_name(one->exists), e->exists) != 0 || strcmp(impact_name(one->impact), e->impact) != 0 ||
	    !same_policy(text_str(&policy), e->policy))
		fail_msg("%s: %s, %s, "
			 "%s", e->line, exists_name(one->exists), impact_name(one->impact), text_str(&policy));
	assert_true(one->is.n > 0);
	if (!one->does.n && !one->wrong.n && !one->instead.n)
		fail_msg("%s: it is not told what it does", e->line);
	assert_true(one->exists == EXISTS_YES || one->exists == EXISTS_UNKNOWN || one->wrong.n);	/* what is not right is named */
	if (!one->offers.n && !one->no_policy.n && !one->wrong.n)
		fail_msg("%s: neither a policy line, nor why there is none", e->line);
	arena_free(a);
}

static void table(void **state)
{
	(void)state;
	assert_true(each_case(check_case) >= 150);
}

/* --- spelling changes nothing --------------------------------------------------------- */

static bool has_entry(const struct lines *l, const char *entry)
{
	for (size_t i = 0; i < l->n; i++)
		if (!strcmp(l->at[i], entry))
			return true;
	return false;
}

static bool has_offer(const struct answer *a, const struct offer *o)
{
	for (size_t i = 0; i < a->offers.n; i++) {
		const struct offer *p = &a->offers.at[i];
		bool same = !strcmp(p->key, o->key) && !p->value == !o->value && (!o->value || !strcmp(p->value, o->value)) &&
			    p->entries.n == o->entries.n;

		for (size_t k = 0; same && k < o->entries.n; k++)
			same = has_entry(&p->entries, o->entries.at[k]);
		if (same)
			return true;
	}
	return false;
}

static void assert_same(struct arena *a, const char *line, const struct answer *want, const char *variant)
{
	struct answers all;

	if (ask(a, variant, &all) < 0 || !all.n)
		fail_msg("%s: no answer, but for %s", variant, line);
	if (all.at[0].exists != want->exists || all.at[0].impact != want->impact || all.at[0].offers.n != want->offers.n)
		fail_msg("%s: another answer than for %s", variant, line);
	for (size_t i = 0; i < want->offers.n; i++)
		if (!has_offer(&all.at[0], &want->offers.at[i]))
			fail_msg("%s: %s differs from %s", variant, want->offers.at[i].key, line);
}

static const char *replaced(struct arena *a, const char *s, const char *from, const char *to)
{
	TEXT_CLEANUP struct text t = { 0 };
	const char *at;

	for (; (at = strstr(s, from)) != NULL; s = at + strlen(from)) {
		text_addn(&t, s, (size_t)(at - s));
		text_add(&t, to);
	}
	text_add(&t, s);
	return arena_strndup(a, text_str(&t), t.n);
}

static const char *other_devices(struct arena *a, const char *line)
{
	static const char *const names[][2] = {
		{ "eth0", "ens3f1np1" }, { "ens1f0np0", "enp65s0f0" }, { "mlx5_0", "rocep1s0f0" },
		{ "9a:00.0", "17:00.1" },
		{ "bnxt_re0", "bnxt_re5" },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		line = replaced(a, line, names[i][0], names[i][1]);
	return line;
}

/* Simple words only: each in quotes of its own, or with a backslash. */
static const char *quoted_words(struct arena *a, const char *line)
{
	TEXT_CLEANUP struct text t = { 0 };
	size_t i = 0;

	for (const char *s = line; *s; i++) {
		size_t n = strcspn(s, " ");

		text_add(&t, t.n ? "  " : "");
		if (i % 3 == 2 && n)
			text_char(&t, '\\');
		text_printf(&t, i % 3 == 0 ? "\"%.*s\"" : i % 3 == 1 ? "'%.*s'" : "%.*s", (int)n, s);
		s += n + strspn(s + n, " ");
	}
	return arena_strndup(a, text_str(&t), t.n);
}

static bool is_simple(const char *line)
{
	return !strpbrk(line, "'\"$>|;&<#\\") && !strchr(line, '\'');
}

/* A command, and not a line of a configuration file or a variable. */
static bool is_command(const char *line)
{
	static const char *const other[] = { "net.", "options ", "blacklist ", "install ", "softdep ",
					     "/sys", "/proc", "NCCL", "UCX",
					     "export", "#", "$", "for ", "if " };

	for (size_t i = 0; i < sizeof(other) / sizeof(other[0]); i++)
		if (!strncmp(line, other[i], strlen(other[i])))
			return false;
	return true;
}

static void check_spelling(const struct expected *e)
{
	struct arena *a = arena_new();
	struct answers all;

	assert_int_equal(ask(a, e->line, &all), 0);
	assert_same(a, e->line, &all.at[0], other_devices(a, e->line));
	if (is_command(e->line)) {
		assert_same(a, e->line, &all.at[0], arena_printf(a, "sudo %s", e->line));
		assert_same(a, e->line, &all.at[0], arena_printf(a, "  env A=1 sudo -n -u root  %s", e->line));
		assert_same(a, e->line, &all.at[0], arena_printf(a, "%s && sleep 1; true", e->line));
	}
	if (is_command(e->line) && !strchr(e->line, '\''))
		assert_same(a, e->line, &all.at[0], arena_printf(a, "bash -c '%s'", e->line));
	if (is_simple(e->line) && is_command(e->line))
		assert_same(a, e->line, &all.at[0], quoted_words(a, e->line));
	arena_free(a);
}

static void spelling(void **state)
{
	(void)state;
	assert_true(each_case(check_spelling) >= 150);
}

static unsigned random_next(unsigned *seed)
{
	*seed = *seed * 1103515245u + 12345u;
	return *seed >> 16 & 0x7fff;
}

/* Options with their values, in another order. */
static const char *shuffled(struct arena *a, const char *line, unsigned *seed)
{
	char *copy = arena_strdup(a, line), *unit[32], *word;
	TEXT_CLEANUP struct text t = { 0 };
	size_t n = 0;

	for (word = strtok(copy, " "); word; word = strtok(NULL, " "))
		if (*word == '-' || !n)
			unit[n++] = word;
		else
			unit[n - 1] = arena_printf(a, "%s %s", unit[n - 1], word);
	for (size_t i = n - 1; i > 1; i--) {
		size_t k = 1 + random_next(seed) % i;
		char *swap = unit[i];

		unit[i] = unit[k];
		unit[k] = swap;
	}
	for (size_t i = 0; i < n; i++)
		text_printf(&t, "%s%s", i ? " " : "", unit[i]);
	return arena_strndup(a, text_str(&t), t.n);
}

static void check_order(const struct expected *e)
{
	static const char *const tools[] = { "mlnx_qos ", "cma_roce_", "ecnconfig ", "bnxt_setupcc", "ib_write_bw" };
	unsigned seed = 7;

	for (size_t i = 0; i < sizeof(tools) / sizeof(tools[0]); i++)
		for (int times = 0; times < 8 && !strncmp(e->line, tools[i], strlen(tools[i])); times++) {
			struct arena *a = arena_new();
			struct answers all;

			assert_int_equal(ask(a, e->line, &all), 0);
			assert_same(a, e->line, &all.at[0], shuffled(a, e->line, &seed));
			arena_free(a);
		}
}

static void order(void **state)
{
	static const char *const same[][2] = {
		{ "dcb ets set dev eth0 tc-tsa 0:ets 3:ets 6:strict tc-bw 0:40 3:60", "dcb ets set tc-bw 3:60 0:40 "
										      "tc-tsa 6:strict "
										   "0:ets 3:ets dev eth0" },
		{ "devlink dev param set pci/0000:9a:00.0 name enable_roce value true cmode driverinit",
		  "devlink dev param set cmode driverinit value true name enable_roce pci/0000:9a:00.0" },
		{ "lldptool -T -i eth0 -V PFC enabled=3,4", "lldptool -V PFC enabled=4,3 -i eth0 -T" },
		{ "ip link set dev eth0 mtu 9000", "ip -d link set mtu 9000 dev eth0" },
		{ "mlnx_qos -i eth0 -f 0,0,0,1,0,0,0,0", "mlnx_qos -f0,0,0,1,0,0,0,0 -ieth0" },
		{ "mlnx_qos --interface=eth0 --pfc=0,0,0,1,0,0,0,0", "mlnx_qos --int eth0 --pf 0,0,0,1,0,0,0,0" },
		{ "ethtool -A eth0 rx off tx off", "ethtool --pause eth0 tx off rx off" },
		{ "sysctl -qw net.core.rmem_max=1", "sysctl -w -q net.core.rmem_max=1" },
		{ "modprobe -av rdma_ucm ib_core", "modprobe --all ib_core --verbose rdma_ucm" },
		{ "mlxconfig -d 9a:00.0 -y set CNP_DSCP_P1=48", "mlxconfig -y --dev 9a:00.0 s cnp_dscp_p1=48" },
		{ "echo 1 > /sys/class/net/eth0/ecn/roce_np/enable/3",
		  "echo 1 | tee /sys/devices/pci0000:97/0000:97:01.0/0000:98:00.0/net/eth0/ecn/roce_np/enable/3 "
		  ">/dev/null" },
		{ "echo 8192 > /proc/sys/net/rdma_ucm/max_backlog", "echo -n \"8192\" "
								    ">/proc/sys/net/rdma_ucm/max_backlog" },
	};

	(void)state;
	each_case(check_order);
	for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++) {
		struct arena *a = arena_new();
		struct answers all;

		assert_int_equal(ask(a, same[i][0], &all), 0);
		assert_true(all.n == 1 && all.at[0].offers.n);
		assert_same(a, same[i][0], &all.at[0], same[i][1]);
		arena_free(a);
	}
}

/* --- policy lines ------------------------------------------------------------------------- */

static void visit(const struct policy_group *g, void *arg, struct diags *d)
{
	lint_visit(g, arg, d);
}

static void assert_lints(const char *line, const char *yaml)
{
	TEXT_CLEANUP struct text told = { 0 };
	char path[] = "/tmp/explain-policy-XXXXXX";
	struct arena *a = arena_new();
	struct policy *p;
	struct lint lint = { 0 };
	struct diags d;
	int fd = mkstemp(path), r;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, yaml, strlen(yaml)), (ssize_t)strlen(yaml));
	close(fd);
	diags_init(&d, a);
	lint_init(&lint, catalog_default(), &d);
	r = policy_load(a, path, catalog_default(), &p, &d);
	if (r == 0)
		r = policy_each(p, NULL, catalog_default(), visit, &lint, &d);
	unlink(path);
	diags_print(&d, false, &told);
	if (r < 0 || d.errors || d.warnings)
		fail_msg("%s: its policy line does not lint:\n%s%s", line, yaml, text_str(&told));
	arena_free(a);
}

static void check_lint(const struct expected *e)
{
	TEXT_CLEANUP struct text yaml = { 0 }, group = { 0 }, node = { 0 };
	struct arena *a = arena_new();
	struct answers all;

	assert_int_equal(ask(a, e->line, &all), 0);
	answer_policy(&all.at[0], true, &node);
	answer_policy(&all.at[0], false, &group);
	text_add(&yaml, "version: 1\nnodes:\n  node1:\n    set:\n");
	if (node.n)
		text_printf(&yaml, "      %s\n", text_str(&node));
	if (group.n)
		text_printf(&yaml, "      ports:\n        port:\n          match: {link: ethernet, function: pf}\n    "
				   "      %s\n",
			    replaced(a, text_str(&group), "\n", "\n          "));
	if (node.n || group.n)
		assert_lints(e->line, text_str(&yaml));
	arena_free(a);
}

static void policy_lines_lint(void **state)
{
	(void)state;
	each_case(check_lint);
}

/* What is told of the impact is never less than what the setting's own table says. */
static void check_impact(const struct expected *e)
{
	struct arena *a = arena_new();
	struct answers all;

	assert_int_equal(ask(a, e->line, &all), 0);
	for (size_t i = 0; i < all.at[0].offers.n; i++) {
		const struct setting *s;

		catalog_field(catalog_default(), all.at[0].offers.at[i].key, &s);
		if (all.at[0].exists == EXISTS_YES && all.at[0].writes && s->live.write && s->live.impact > all.at[0].impact)
			fail_msg("%s: impact %s, but %s has %s", e->line, impact_name(all.at[0].impact), s->name,
				 impact_name(s->live.impact));
	}
	arena_free(a);
}

static void impact(void **state)
{
	(void)state;
	each_case(check_impact);
}

/* --- nothing lacks an answer ------------------------------------------------------------------ */

static void explain_text(const char *what, struct text *out, int *r)
{
	struct arena *a = arena_new();
	struct diags d;

	diags_init(&d, a);
	*r = explain_any(catalog_default(), NULL, what, out, NULL, &d);
	arena_free(a);
}

static void rows(void **state)
{
	FILE *f = fopen("tests/cases/commands/rows.txt", "r");
	bool seen[80] = { false };
	char buf[LINE_BYTES];

	(void)state;
	assert_non_null(f);
	while (fgets(buf, sizeof(buf), f)) {
		TEXT_CLEANUP struct text out = { 0 };
		char *number = strtok(buf, "\t\n"), *what = strtok(NULL, "\t\n");
		int r;

		if (!what)
			continue;
		assert_in_range(atoi(number), 1, 79);
		seen[atoi(number)] = true;
		explain_text(what, &out, &r);
		if (r < 0 || !strstr(text_str(&out), "  means ") == !strstr(text_str(&out), "  exists "))
			fail_msg("row %s, %s: no answer", number, what);
	}
	fclose(f);
	for (int i = 1; i < 80; i++)
		if (!seen[i])
			fail_msg("row %d has no line", i);
}

/* Topics name keys that exist, and no topic hides behind a key of the same name. */
static void topics(void **state)
{
	struct arena *a = arena_new();
	const struct topic *t;

	(void)state;
	for (unsigned i = 0; (t = topic_at(i)) != NULL; i++) {
		char *names = arena_strdup(a, t->names), *keys = arena_strdup(a, t->keys ? t->keys : "");

		for (char *key = strtok(keys, " "); key; key = strtok(NULL, " "))
			if (!catalog_field(catalog_default(), key, NULL))
				fail_msg("%s: there is no key %s", t->names, key);
		for (char *name = strtok(names, " "); name; name = strtok(NULL, " ")) {
			assert_ptr_equal(topic_find(name, a), t);
			assert_null(catalog_field(catalog_default(), name, NULL));
		}
	}
	assert_non_null(topic_find("Memory Pool", a));
	assert_null(topic_find("nothing", a));
	arena_free(a);
}

/* --- lines ------------------------------------------------------------------------------------- */

static void assert_split(const char *line, const char *expected)
{
	TEXT_CLEANUP struct text got = { 0 };
	struct arena *a = arena_new();
	struct script script = { 0 };
	const char *why = NULL;

	if (shell_split(a, line, &script, &why) < 0)
		text_add(&got, why);
	for (size_t i = 0; i < script.n && !why; i++)
		text_printf(&got, "%s%s", i ? " / " : "", shell_words(a, &script.at[i]));
	assert_string_equal(text_str(&got), expected);
	arena_free(a);
}

static void splits(void **state)
{
	(void)state;
	assert_split("a 'b c' \"d\\\"e\" f\\ g", "a 'b c' 'd\"e' 'f g'");
	assert_split("a b&&c;d||e|f\ng", "a b / c / d / e / f / g");
	assert_split("a > f 2>/dev/null >> g", "a > f 2> /dev/null >> g");
	assert_split("a 2>&1 &>f", "a > f");
	assert_split("a # b\nc", "a / c");
	assert_split("sudo -u root nohup nice -n 5 a -b", "a -b");
	assert_split("X=1 Y='2 3' a", "a");
	assert_split("sh -c 'a; b' && bash -lc \"c\"", "a / b / c");
	assert_split("for i in 1 2; do a $i; done", "a $i");
	assert_split("a $(b c) `d e`", "a '$(b c)' '`d e`'");
	assert_split("cat <<EOF", "here-documents are not read: give the commands alone, or the line that is to be "
				  "written, with echo");
	assert_split("a 'b", "a quote or a substitution is left open");
	assert_split("a $(b", "a quote or a substitution is left open");
	assert_split("a >", "a redirection leads nowhere");
	assert_split("sh -c 'sh -c b'", "b");
	assert_split("", "");
	assert_split("   ;;;  ", "");
}

static void limits(void **state)
{
	struct arena *a = arena_new();
	struct script script = { 0 };
	char *line = arena_alloc(a, SHELL_LINE_MAX + 10);
	const char *why = NULL;

	(void)state;
	memset(line, 'x', SHELL_LINE_MAX + 1);
	assert_int_equal(shell_split(a, line, &script, &why), -EINVAL);
	assert_string_equal(why, "longer than 8192 bytes: give one command");
	for (int i = 0; i < 100; i++)
		memcpy(line + 2 * i, "a;", 3);
	assert_int_equal(shell_split(a, line, &script, &why), -EINVAL);
	assert_string_equal(why, "more than 32 commands: give fewer at a time");
	arena_free(a);
}

/* --- hostile text -------------------------------------------------------------------------------- */

static void assert_harmless(const char *line)
{
	TEXT_CLEANUP struct text out = { 0 }, json = { 0 };
	struct arena *a = arena_new();
	const char *error;
	struct json_object *o;
	struct diags d;
	struct json j;

	diags_init(&d, a);
	explain_any(catalog_default(), NULL, line, &out, NULL, &d);
	diags_print(&d, false, &out);
	for (size_t i = 0; i < out.n; i++)
		assert_true(out.s[i] == '\n' || (unsigned char)out.s[i] >= ' ');
	json_init(&j, &json, false);
	json_array_open(&j, NULL);
	explain_any(catalog_default(), NULL, line, NULL, &j, &d);
	json_array_close(&j);
	o = json_parse(text_str(&json), json.n, &error);
	assert_non_null(o);
	json_put(o);
	arena_free(a);
}

static void hostile(void **state)
{
	glob_t g;

	(void)state;
	assert_harmless("mlnx_qos -i '\033[2J' --pfc \033]0;x\a");
	assert_harmless("mlnx_qos -i eth0 --trust '\033[31m'");
	assert_harmless("sysctl -w net.core.rmem_max='1\n2'");
	assert_harmless("options ib_core 'netns_mode=\"};x'");
	assert_harmless("echo '}' > /sys/module/ib_core/parameters/netns_mode");
	assert_harmless("modprobe '../../x' \xff\xfe");
	assert_harmless("\xe2\x80\xae" "dcb pfc");
	assert_int_equal(glob("tests/fuzz/corpus/fuzz_explain/*", 0, NULL, &g), 0);
	assert_true(g.gl_pathc >= 10);
	for (size_t i = 0; i < g.gl_pathc; i++) {
		static char buf[1 << 16];
		FILE *f = fopen(g.gl_pathv[i], "r");
		size_t n;

		assert_non_null(f);
		n = fread(buf, 1, sizeof(buf) - 1, f);
		buf[n] = '\0';
		fclose(f);
		assert_harmless(buf);
	}
	globfree(&g);
}

static void assert_unknown(const char *line, int err, const char *what)
{
	TEXT_CLEANUP struct text out = { 0 }, told = { 0 };
	struct arena *a = arena_new();
	struct diags d;

	diags_init(&d, a);
	assert_int_equal(explain_any(catalog_default(), NULL, line, &out, NULL, &d), err);
	diags_print(&d, false, &told);
	assert_non_null(strstr(text_str(&told), what));
	assert_int_equal(out.n, 0);
	arena_free(a);
}

static void unknown(void **state)
{
	(void)state;
	assert_unknown("mlnx_qoss -i eth0 --pfc 1", -ENOENT, "did you mean 'mlnx_qos'");
	assert_unknown("frobnicate --all", -ENOENT, "nothing is known of a command 'frobnicate'");
	assert_unknown("pfc", -ENOENT, "did you mean 'qos.pfc'");
	assert_unknown("backlogg", -ENOENT, "did you mean 'backlog'");
	assert_unknown("echo 'x", -EINVAL, "a quote or a substitution is left open");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table), cmocka_unit_test(spelling), cmocka_unit_test(order), cmocka_unit_test(policy_lines_lint),
		cmocka_unit_test(impact), cmocka_unit_test(rows), cmocka_unit_test(topics), cmocka_unit_test(splits),
		cmocka_unit_test(limits), cmocka_unit_test(hostile), cmocka_unit_test(unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
