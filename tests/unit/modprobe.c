/* SPDX-License-Identifier: Apache-2.0 */
/* modprobe.d and the kernel command line, as kmod 30 reads them; `modprobe --showconfig` is the oracle. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "boot/modprobe.h"
#include "root.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define CONF "etc/modprobe.d/a.conf"

static const struct {
	const char *why;
	struct { const char *path, *text; } file[4];
	const char *module, *param, *value, *source;	/* value NULL: not set */
	unsigned line, col, len;
} cases[] = {
	{ "one option", { { CONF, "options ib_core netns_mode=0\n" } },
	  "ib_core", "netns_mode", "0", "/etc/modprobe.d/a.conf", 1, 17, 12 },
	{ "options of one module are joined, the last one counts",
	  { { CONF, "options m a=1 b=2\noptions m a=3\n" } }, "m", "a", "3", "/etc/modprobe.d/a.conf", 2, 11, 3 },
	{ "the last one of a line", { { CONF, "options m a=1 a=2\n" } }, "m", "a", "2", "/etc/modprobe.d/a.conf", 1, 15, 3 },
	{ "an earlier file keeps what a later one does not name",
	  { { CONF, "options m a=1 b=2\n" }, { "etc/modprobe.d/b.conf", "options m a=3\n" } },
	  "m", "b", "2", "/etc/modprobe.d/a.conf", 1, 15, 3 },
	{ "order is that of base names over all directories",
	  { { "etc/modprobe.d/a.conf", "options m a=1\n" }, { "lib/modprobe.d/b.conf", "options m a=2\n" } },
	  "m", "a", "2", "/lib/modprobe.d/b.conf", 1, 11, 3 },
	{ "a higher directory hides the name",
	  { { "run/modprobe.d/b.conf", "options m b=1\n" }, { "lib/modprobe.d/b.conf", "options m a=2\n" } },
	  "m", "a", NULL, NULL, 0, 0, 0 },
	{ "a link to /dev/null hides it too",
	  { { "etc/modprobe.d/b.conf", "@/dev/null" }, { "lib/modprobe.d/b.conf", "options m a=2\n" } },
	  "m", "a", NULL, NULL, 0, 0, 0 },
	{ "*.alias is read as well", { { "etc/modprobe.d/x.alias", "options m a=2\n" } },
	  "m", "a", "2", "/etc/modprobe.d/x.alias", 1, 11, 3 },
	{ "dash and underscore in modules", { { CONF, "options ib-core a=1\n" } },
	  "ib_core", "a", "1", "/etc/modprobe.d/a.conf", 1, 17, 3 },
	{ "and in parameters", { { CONF, "options m log-num=1\n" } },
	  "m", "log_num", "1", "/etc/modprobe.d/a.conf", 1, 11, 9 },
	{ "a comment in the first column", { { CONF, "#options m a=1\n" } }, "m", "a", NULL, NULL, 0, 0, 0 },
	{ "an indented comment is no line either", { { CONF, " # options m a=1\n" } }, "m", "a", NULL, NULL, 0, 0, 0 },
	{ "text behind # is parameters", { { CONF, "options m a=1 # b=2\n" } },
	  "m", "b", "2", "/etc/modprobe.d/a.conf", 1, 17, 3 },
	{ "blanks and tabs", { { CONF, "\t options \t m \t a=1\n" } }, "m", "a", "1", "/etc/modprobe.d/a.conf", 1, 17, 3 },
	{ "a backslash joins lines", { { CONF, "options m \\\n a=1 \\\n b=2\n" } },
	  "m", "b", "2", "/etc/modprobe.d/a.conf", 1, 1, 0 },
	{ "also those of a comment", { { CONF, "# \\\noptions m a=1\n" } }, "m", "a", NULL, NULL, 0, 0, 0 },
	{ "lines are still counted", { { CONF, "# \\\n\\\n\noptions m a=1\n" } },
	  "m", "a", "1", "/etc/modprobe.d/a.conf", 4, 11, 3 },
	{ "any other backslash goes", { { CONF, "options m a=\\1\\x\n" } }, "m", "a", "1x", "/etc/modprobe.d/a.conf", 1, 1, 16 },
	{ "a backslash at the end of the file", { { CONF, "options m a=1\\" } },
	  "m", "a", "1", "/etc/modprobe.d/a.conf", 1, 11, 3 },
	{ "a quoted value holds blanks", { { CONF, "options m a=\"x y\" b=1\n" } },
	  "m", "a", "x y", "/etc/modprobe.d/a.conf", 1, 11, 7 },
	{ "a quoted parameter too", { { CONF, "options m \"a=x y\" b=1\n" } },
	  "m", "a", "x y", "/etc/modprobe.d/a.conf", 1, 11, 7 },
	{ "a name alone turns it on", { { CONF, "options m a\n" } }, "m", "a", "Y", "/etc/modprobe.d/a.conf", 1, 11, 1 },
	{ "an empty value is one", { { CONF, "options m a=\n" } }, "m", "a", "", "/etc/modprobe.d/a.conf", 1, 11, 2 },
	{ "carriage returns are blanks to the kernel", { { CONF, "options m a=1\r\n" } },
	  "m", "a", "1", "/etc/modprobe.d/a.conf", 1, 11, 3 },
	{ "no newline at the end", { { CONF, "options m a=1" } }, "m", "a", "1", "/etc/modprobe.d/a.conf", 1, 11, 3 },
	{ "an unknown word in front", { { CONF, "modprobe m a=1\n" } }, "m", "a", NULL, NULL, 0, 0, 0 },
	{ "words are not cut short", { { CONF, "option m a=1\noptionsx m a=1\n" } }, "m", "a", NULL, NULL, 0, 0, 0 },
	{ "another module", { { CONF, "options mm a=1\n" } }, "m", "a", NULL, NULL, 0, 0, 0 },
	{ "another parameter", { { CONF, "options m aa=1 xa=2\n" } }, "m", "a", NULL, NULL, 0, 0, 0 },
	{ "characters are counted, not bytes", { { CONF, "options m b=\xc3\xa4 a=1\n" } },
	  "m", "a", "1", "/etc/modprobe.d/a.conf", 1, 15, 3 },
	{ "the kernel command line wins", { { "proc/cmdline", "root=/dev/sda m.a=2 quiet\n" }, { CONF, "options m a=1\n" } },
	  "m", "a", "2", "/proc/cmdline", 1, 15, 5 },
	{ "with dashes", { { "proc/cmdline", "ib-core.netns-mode=0\n" } },
	  "ib_core", "netns_mode", "0", "/proc/cmdline", 1, 1, 20 },
	{ "its last word", { { "proc/cmdline", "m.a=2 m.a=3 m.b=4" } }, "m", "a", "3", "/proc/cmdline", 1, 7, 5 },
	{ "quoted there", { { "proc/cmdline", "x m.a=\"b c\" \"m.d=e f\" y" } }, "m", "a", "b c", "/proc/cmdline", 1, 3, 9 },
	{ "quoted around", { { "proc/cmdline", "x m.a=\"b c\" \"m.d=e f\" y" } }, "m", "d", "e f", "/proc/cmdline", 1, 13, 9 },
	{ "a parameter without a value", { { "proc/cmdline", "m.a" } }, "m", "a", "Y", "/proc/cmdline", 1, 1, 3 },
	{ "a second dot is none", { { "proc/cmdline", "m.a.b=1 .c=2 m.=3" } }, "m", "a", NULL, NULL, 0, 0, 0 },
};

static void options(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct root *r = root_open(NULL);
		const struct modprobe *m;
		struct modprobe_option o;

		for (size_t f = 0; f < COUNT(cases[i].file) && cases[i].file[f].path; f++) {
			char text[256], *to = text;

			for (const char *s = cases[i].file[f].text; *s; s++) {	/* root_put has escapes of its own */
				if (*s == '\\')
					*to++ = '\\';
				*to++ = *s;
			}
			*to = 0;
			root_put(r, cases[i].file[f].path, text);
		}
		assert_int_equal(modprobe_load(r->k, &m), 0);
		o = modprobe_option(m, r->a, cases[i].module, cases[i].param);
		assert_null(o.unread);
		if (!o.value != !cases[i].value)
			fail_msg("%s: %s", cases[i].why, o.value ? o.value : "not set");
		if (o.value) {
			if (strcmp(o.value, cases[i].value))
				fail_msg("%s: \"%s\"", cases[i].why, o.value);
			assert_string_equal(o.pos.source->name, cases[i].source);
			if (o.pos.line != cases[i].line || o.pos.col != cases[i].col || o.pos.len != cases[i].len)
				fail_msg("%s: %u:%u, %u long", cases[i].why, o.pos.line, o.pos.col, o.pos.len);
		}
		root_close(r);
	}
}

static const char rules[] = "blacklist irdma\n"
			    "blacklist rdma-rxe\n"
			    "install siw /bin/true\n"
			    "install mana* /usr/bin/false # no\n"
			    "install mlx5_core /sbin/modprobe --ignore-install mlx5_core\n"
			    "install mlx5_core /bin/true\n"
			    "install efa /bin/truely\n"
			    "alias eth0 bnxt_en\n"
			    "softdep mlx5_core pre: mlxfw\n"
			    "remove mlx5_core /bin/true\n"
			    "alias rdma-umad off\n"
			    "alias ocrdm[ab] off\n"
			    "alias ocrdma ocrdma\n"
			    "install bnxt_re /bin/true\n"
			    "softdep bnxt-re pre: bnxt_en\n";

static void loading(void **state)
{
	static const struct { const char *module; bool black, disabled; unsigned line; } rows[] = {
		{ "irdma", true, true, 1 },	{ "rdma_rxe", true, true, 2 }, { "siw", false, true, 3 },
		{ "mana_ib", false, true, 4 },	{ "mlx5_core", false, false, 0 }, { "efa", false, false, 0 },
		{ "bnxt_en", false, false, 0 }, { "hns3", true, true, 1 },	  { "hfi1", true, true, 1 },
		{ "qib", true, true, 1 },	{ "ionic", false, false, 0 },
		{ "rdma_ucm", false, false, 0 },	{ "ib_umad", false, false, 0 },
		{ "rdma_umad", false, true, 11 },	{ "ocrdmb", false, true, 12 },
		{ "ocrdma", false, false, 0 },	{ "bnxt_re", false, false, 0 },	/* it has a softdep */
	};
	struct root *r = root_open(NULL);
	const struct modprobe *m;

	(void)state;
	root_put(r, CONF, rules);
	root_put(r, "proc/cmdline", "modprobe.blacklist=hns3,hfi1,rdma-ucm module_blacklist=qib,ib-umad blacklist=ionic");
	assert_int_equal(modprobe_load(r->k, &m), 0);
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct modprobe_line *l = modprobe_disabled(m, rows[i].module, NULL);

		if ((l != NULL) != rows[i].disabled || (modprobe_blacklisted(m, rows[i].module, NULL) != NULL) != rows[i].black)
			fail_msg("%s", rows[i].module);
		if (l)
			assert_int_equal(l->pos.line, rows[i].line);
		if (l && l->file)
			assert_null(modprobe_disabled(m, rows[i].module, "/etc/modprobe.d/a.conf"));
	}
	root_close(r);
}

static void faults(void **state)
{
	static const struct { const char *line, *module, *fault; } rows[] = {
		{ "options ib_core a=1", "ib_core", NULL },
		{ "modprobe ib_core a=1", "ib_core", "begins with a word that modprobe does not know" },
		{ "modprobe ib-core a=1", "ib_core", "begins with a word that modprobe does not know" },
		{ "modprobe ib_core2 a=1", "ib_core", NULL },
		{ "modprobe xib_core a=1", "ib_core", NULL },
		{ "ib_core a=1", "ib_core", "begins with a word that modprobe does not know" },
		{ " # options ib_core a=1", "ib_core", "is no comment: that begins in the first column" },
		{ "include ib_core", "ib_core", "is a word that modprobe no longer takes" },
		{ "options ib_core", "ib_core", "says nothing about the module" },
		{ "install ib_core", "ib_core", "says nothing about the module" },
		{ "blacklist", "blacklist", "names no module" },
		{ "options ib_core a=1 # old", "ib_core", "has text after # that is passed to the module as parameters" },
		{ "options ib_core a=1 #old", "ib_core", "has text after # that is passed to the module as parameters" },
		{ "options ib_core a=1#old", "ib_core", NULL },
		{ "options ib_core a=1 # old", "mlx5_core", NULL },
		{ "install ib_core /sbin/modprobe -i ib_core", "ib_core", "runs a command instead of loading it: whether that hands on "
									  "its options is not known" },
		{ "install ib_core /bin/true", "ib_core", NULL },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct root *r = root_open(NULL);
		const struct modprobe *m;
		const char *fault;

		root_put(r, CONF, rows[i].line);
		assert_int_equal(modprobe_load(r->k, &m), 0);
		assert_int_equal(m->n, 1);
		fault = modprobe_fault(&m->at[0], rows[i].module);
		if (!fault != !rows[i].fault)
			fail_msg("%s: %s", rows[i].line, fault ? fault : "no fault");
		if (fault)
			assert_string_equal(fault, rows[i].fault);
		root_close(r);
	}
}

static void losers(void **state)
{
	static const struct { const char *place, *value, *why; } rows[] = {
		{ "/etc/modprobe.d/50-rdmactl.conf:1", "7", "/etc/modprobe.d/mlx4.conf is read later" },
		{ "/etc/modprobe.d/a.conf:1", "9", "it names an alias" },
		{ "/lib/modprobe.d/mlx4.conf:1", "8", "the file is hidden by /etc/modprobe.d/mlx4.conf" },
	};
	struct root *r = root_open("tests/cases/modprobe-later-file-wins/tree.tsv");
	struct modprobe_option wins;
	struct confd_losers l = { 0 };
	const struct modprobe *m;

	(void)state;
	root_put(r, "etc/modprobe.d/a.conf", "options ib0 log_num_mac=9\nalias ib0 mlx4-core\noptions other log_num_mac=6\n");
	root_put(r, "lib/modprobe.d/mlx4.conf", "options mlx4_core log_num_mac=8\n");
	assert_int_equal(modprobe_load(r->k, &m), 0);
	wins = modprobe_option(m, r->a, "mlx4_core", "log_num_mac");
	assert_string_equal(wins.value, "3");
	assert_string_equal(wins.pos.source->name, "/etc/modprobe.d/mlx4.conf");
	modprobe_losers(r->k, m, "mlx4_core", "log_num_mac", false, &wins, &l);
	assert_int_equal(l.n, COUNT(rows));
	for (size_t i = 0; i < COUNT(rows); i++) {
		assert_string_equal(arena_printf(r->a, "%s:%u", l.at[i].pos.source->name, l.at[i].pos.line), rows[i].place);
		assert_string_equal(l.at[i].value, rows[i].value);
		if (!strstr(l.at[i].why, rows[i].why))
			fail_msg("%s", l.at[i].why);
	}
	l.n = 0;
	modprobe_losers(r->k, m, "mlx4_core", "log_num_mac", true, &(struct modprobe_option){ 0 }, &l);
	assert_true(l.n > 1 && strstr(l.at[0].why, "is built into the kernel"));
	assert_string_equal(modprobe_option(m, r->a, "mlx4_core", "log_num_vlan").value, "1");
	assert_null(modprobe_option_cmdline(m, r->a, "mlx4_core", "log_num_vlan").value);
	root_close(r);
}

static void softdeps(void **state)
{
	struct root *r = root_open(NULL);
	const struct modprobe *m;

	(void)state;
	root_put(r, CONF, "softdep mlx5_core pre: mlxfw post: rdma-ucm\nremove rdma_cm /bin/true\nsoftdep ib_core post: ib_umadx\n");
	assert_int_equal(modprobe_load(r->k, &m), 0);
	assert_int_equal(modprobe_softdep(m, "rdma_ucm")->pos.line, 1);
	assert_null(modprobe_softdep(m, "mlx5_core"));
	assert_null(modprobe_softdep(m, "ib_umad"));
	assert_null(modprobe_softdep(m, "rdma_cm"));
	root_close(r);
}

static int (*plain_read)(struct kernel *k, const char *path, struct text *out);

static int read_but(struct kernel *k, const char *path, struct text *out)
{
	return strcmp(path, "etc/modprobe.d/50-x.conf") ? plain_read(k, path, out) : -EACCES;
}

static void unread(void **state)
{
	static const struct { const char *file, *cmdline; bool unknown; } rows[] = {
		{ "etc/modprobe.d/10-a.conf", "", true },
		{ "etc/modprobe.d/90-a.conf", "", false },
		{ "etc/modprobe.d/10-a.conf", "m.a=3", false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct root *r = root_open(NULL);
		struct modprobe_option o;
		const struct modprobe *m;

		root_put(r, rows[i].file, "options m a=1\n");
		root_put(r, "etc/modprobe.d/50-x.conf", "options m a=2\n");
		root_put(r, "proc/cmdline", rows[i].cmdline);
		plain_read = r->ops.read;
		r->ops.read = read_but;
		assert_int_equal(modprobe_load(r->k, &m), 0);
		o = modprobe_option(m, r->a, "m", "a");
		assert_int_equal(o.unread != NULL, rows[i].unknown);
		root_close(r);
	}
}

/* --- oracle ------------------------------------------------------------------- */

/* Everything that modprobe says about options and blacklists of a directory, in its order. */
static void ask_modprobe(const struct root *r, struct text *out)
{
	char command[512], line[4096];
	FILE *f;

	snprintf(command, sizeof(command),
		 "cd %s && PATH=$PATH:/sbin:/usr/sbin modprobe -C etc/modprobe.d -C run/modprobe.d -C lib/modprobe.d -c 2>/dev/null",
		 r->dir);
	f = popen(command, "r");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		char *end = strncmp(line, "softdep ", 8) ? NULL : strchr(line + 8, ' ');

		if (end)		/* printed anew, not as it was written: whose it is, is compared */
			strcpy(end, "\n");
		if (!strncmp(line, "options ", 8) || !strncmp(line, "blacklist ", 10) || !strncmp(line, "install ", 8) ||
		    !strncmp(line, "alias ", 6) || !strncmp(line, "softdep ", 8))
			text_add(out, line);
	}
	assert_int_equal(pclose(f), 0);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/*
 * modprobe prints kind by kind: the same lines, sorted, and options among themselves in order. It reads the command line
 * of this machine, which is given to ours as well; there the two quote differently.
 */
static char *normal(char *text, bool sorted)
{
	char *lines[512], *save = NULL, *out = calloc(1, strlen(text) + 2);
	size_t n = 0;

	for (char *l = strtok_r(text, "\n", &save); l && n < COUNT(lines); l = strtok_r(NULL, "\n", &save)) {
		size_t len = strlen(l);

		while (len && (l[len - 1] == ' ' || l[len - 1] == '\r'))
			l[--len] = 0;
		for (char *q = strchr(l, '"'); q; q = strchr(q, '"'))
			memmove(q, q + 1, strlen(q));
		if (sorted || !strncmp(l, "options", 7))
			lines[n++] = l;
	}
	if (sorted)
		qsort(lines, n, sizeof(lines[0]), by_text);
	for (size_t i = 0; i < n; i++)
		strcat(strcat(out, lines[i]), "\n");
	return out;
}

static void say_ours(const struct modprobe *m, struct text *out)
{
	static const char *const word[] = { [MODPROBE_OPTIONS] = "options", [MODPROBE_BLACKLIST] = "blacklist",
					    [MODPROBE_INSTALL] = "install", [MODPROBE_ALIAS] = "alias",
					    [MODPROBE_SOFTDEP] = "softdep" };

	for (size_t i = 0; i < m->n; i++) {
		char rest[4096];

		if (m->at[i].kind == MODPROBE_BAD)
			continue;
		snprintf(rest, sizeof(rest), "%s", m->at[i].kind == MODPROBE_SOFTDEP ? "" : m->at[i].rest);
		if (m->at[i].kind == MODPROBE_OPTIONS)		/* modprobe makes its tabs blanks */
			for (char *t = rest; *t; t++)
				*t = *t == '\t' ? ' ' : *t;
		text_printf(out, "%s %s %s\n", word[m->at[i].kind], m->at[i].module, rest);
	}
}

static void compare_with_modprobe(struct root *r, unsigned round)
{
	const struct modprobe *m;

	for (int sorted = 0; sorted < 2; sorted++) {
		TEXT_CLEANUP struct text theirs = { 0 }, ours = { 0 };
		char *t, *o;

		ask_modprobe(r, &theirs);
		kernel_renew(r->k);
		assert_int_equal(modprobe_load(r->k, &m), 0);
		say_ours(m, &ours);
		t = normal(text_room(&theirs, 1) - theirs.n, sorted);
		o = normal(text_room(&ours, 1) - ours.n, sorted);
		if (strcmp(t, o))
			fail_msg("round %u\nmodprobe:\n%s\nours:\n%s", round, t, o);
		free(t);
		free(o);
	}
}

/* Lines made of the parts that matter, some joined, some bad. kmod 30 takes the end of a file behind a backslash for a byte. */
static void random_line(char *out, size_t room, uint32_t *seed)
{
	static const char *const parts[] = {
		"options ", "options ", "options ", "blacklist ", "install ", "softdep ", "alias ", "#", " ", "\t", "ib_core",
		"mlx5-core", " ib_core a=1", " m b=2 c=3", " /bin/true", "\\\n", "\\", "\n", "\n", "\n", "\n", "modprobe ", "\r",
		"a=\"x y\"", "include x", "q=1 ", "-", "_",
	};

	*out = 0;
	while (strlen(out) + 24 < room) {
		*seed = *seed * 1664525 + 1013904223;
		strcat(out, parts[(*seed >> 16) % COUNT(parts)]);
	}
	strcat(out, "\n");
}

static void copy_cmdline(struct root *r)
{
	char text[4096] = "", path[128];
	FILE *in = fopen("/proc/cmdline", "r"), *out;

	assert_non_null(in);
	text[fread(text, 1, sizeof(text) - 1, in)] = 0;
	fclose(in);
	root_put(r, "proc/cmdline", "x");
	snprintf(path, sizeof(path), "%s/proc/cmdline", r->dir);
	out = fopen(path, "w");
	assert_true(out && fputs(text, out) >= 0 && fclose(out) == 0);
}

static void oracle(void **state)
{
	uint32_t seed = 42;

	(void)state;
	for (unsigned round = 0; round < 20; round++) {
		struct root *r = root_open(NULL);

		for (unsigned i = 0; i < 6; i++) {
			static const char *const dirs[] = { "etc", "run", "lib" };
			char path[128], text[400];
			FILE *f;

			random_line(text, sizeof(text), &seed);
			snprintf(path, sizeof(path), "%s/modprobe.d/%c.conf", dirs[i % 3], "abcbca"[i]);	/* some hide others */
			root_put(r, path, "x");
			snprintf(path, sizeof(path), "%s/%s/modprobe.d/%c.conf", r->dir, dirs[i % 3], "abcbca"[i]);
			f = fopen(path, "w");
			assert_true(f && fputs(text, f) >= 0 && fclose(f) == 0);
		}
		copy_cmdline(r);
		compare_with_modprobe(r, round);
		root_close(r);
	}
}

/* Any bytes at all: nothing is read beyond them. */
static void any_bytes(void **state)
{
	static const char bytes[] = "options blacklist install m a=\"\\\n\r\t #-_.\0\xc3\xff";
	uint32_t seed = 11;

	(void)state;
	for (int round = 0; round < 100; round++) {
		struct root *r = root_open(NULL);
		const struct modprobe *m;
		char text[96], path[256];
		FILE *f;

		for (size_t i = 0; i < sizeof(text); i++) {
			seed = seed * 1664525 + 1013904223;
			text[i] = bytes[(seed >> 16) % (sizeof(bytes) - 1)];
		}
		memcpy(text, round & 1 ? "options m a=" : "#", round & 1 ? 12 : 1);
		root_put(r, CONF, "x\n");
		root_put(r, "proc/cmdline", "x\n");
		for (int which = 0; which < 2; which++) {
			snprintf(path, sizeof(path), "%s/%s", r->dir, which ? "proc/cmdline" : CONF);
			f = fopen(path, "w");
			assert_int_equal(fwrite(text, 1, sizeof(text), f), sizeof(text));
			fclose(f);
		}
		assert_int_equal(modprobe_load(r->k, &m), 0);
		for (size_t i = 0; i < m->n; i++) {
			assert_in_range(m->at[i].pos.line, 1, 96);
			modprobe_fault(&m->at[i], "m");
		}
		modprobe_option(m, r->a, "m", "a");
		modprobe_disabled(m, "m", NULL);
		root_close(r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(options), cmocka_unit_test(loading), cmocka_unit_test(faults), cmocka_unit_test(losers), cmocka_unit_test(softdeps),
		cmocka_unit_test(unread),  cmocka_unit_test(oracle),  cmocka_unit_test(any_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
