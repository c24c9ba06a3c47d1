/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a module really gets: `modprobe -n -v`, as systemd-modules-load loads (with blacklists), over random trees of modprobe.d
 * and kernel command lines, for modules of our own making that depmod has indexed. Each parameter must have the value that we
 * say, each module be loaded, or not, as we say, and be brought by another one only where a softdep of ours names it.
 * TREES=N asks for another number.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <elf.h>
#include <sched.h>
#include <sys/mount.h>

#include "boot/modprobe.h"
#include "root.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define VERSION_DIR "lib/modules/6.0.0-oracle"
#define TOOLS "PATH=$PATH:/sbin:/usr/sbin "

static const char *const modules[] = { "rdmo_core", "rdmo_net", "rdmo_ib" };
static const char *const params[] = { "a", "b", "long_name" };
static const char *const dirs[] = { "etc/modprobe.d", "run/modprobe.d", "usr/lib/modprobe.d" };
static const char *const names[] = { "10-a.conf", "50-b.conf", "50-b.alias", "zz.conf", "x.conf.bak" };

static uint32_t seed = 20261129;

static uint32_t below(uint32_t n)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % n;
}

/* --- modules ------------------------------------------------------------------------ */

/* As little of a module as depmod takes: one section that names it. */
static void write_module(const struct root *r, const char *name)
{
	static const char sections[] = "\0.modinfo\0.shstrtab";
	struct { Elf64_Ehdr head; Elf64_Shdr section[3]; char strings[sizeof(sections)], info[64]; } elf = { 0 };
	char path[256];
	FILE *f;

	memcpy(elf.strings, sections, sizeof(sections));
	snprintf(elf.info, sizeof(elf.info), "name=%s", name);
	memcpy(elf.head.e_ident, ELFMAG, SELFMAG);
	elf.head.e_ident[EI_CLASS] = ELFCLASS64;
	elf.head.e_ident[EI_DATA] = ELFDATA2LSB;
	elf.head.e_ident[EI_VERSION] = elf.head.e_version = EV_CURRENT;
	elf.head.e_type = ET_REL;
	elf.head.e_machine = EM_X86_64;
	elf.head.e_ehsize = sizeof(elf.head);
	elf.head.e_shoff = sizeof(elf.head);
	elf.head.e_shentsize = sizeof(elf.section[0]);
	elf.head.e_shnum = COUNT(elf.section);
	elf.head.e_shstrndx = 2;
	elf.section[1] = (Elf64_Shdr){ .sh_name = 1, .sh_type = SHT_PROGBITS, .sh_flags = SHF_ALLOC, .sh_size = strlen(elf.info) + 1,
				       .sh_offset = (Elf64_Off)(elf.info - (char *)&elf) };
	elf.section[2] = (Elf64_Shdr){ .sh_name = 10, .sh_type = SHT_STRTAB, .sh_size = sizeof(sections),
				       .sh_offset = (Elf64_Off)(elf.strings - (char *)&elf) };
	snprintf(path, sizeof(path), VERSION_DIR "/kernel/%s.ko", name);
	root_put(r, path, "");
	snprintf(path, sizeof(path), "%s/" VERSION_DIR "/kernel/%s.ko", r->dir, name);
	f = fopen(path, "w");
	assert_true(f && fwrite(&elf, sizeof(elf), 1, f) == 1 && fclose(f) == 0);
}

static void write_modules(const struct root *r)
{
	char command[256];

	for (size_t i = 0; i < COUNT(modules); i++)
		write_module(r, modules[i]);
	snprintf(command, sizeof(command), TOOLS "depmod -b %s 6.0.0-oracle 2>/dev/null", r->dir);
	assert_int_equal(system(command), 0);
}

/* --- trees -------------------------------------------------------------------------- */

/* A module's name as somebody writes it: with dashes, underscores, or an alias of it. */
static void spell(char *out, size_t room)
{
	static const char *const aliases[] = { "rdmo0", "rdmo-alias" };

	snprintf(out, room, "%s", below(8) ? modules[below(COUNT(modules))] : aliases[below(2)]);
	for (char *c = out; *c; c++)
		if (*c == '_' && below(2))
			*c = '-';
}

/* Softdeps of one module alone: kmod loads what is a softdep of itself, by any way round, past its install line. */
static void one_line(char *out, size_t room)
{
	static const char *const forms[] = {
		"options %s a=%u", "options %s a=%u b=%u", "options %s b=%u long-name=%u", "options %s\tlong_name=%u  a=%u", "  options %s a=%u",
		"options %s \\\n a=%u b=%u", "options %s a=%u \\\n\tb=%u", "options %s a=\"%u %u\"", "options %s \"a=%u %u\"", "options %s b",
		"# options %s a=%u", " # options %s a=%u", "# \\\noptions %s a=%u", "option %s a=%u", "options", "blacklist %s",
		"install %s /bin/true", "install %s /bin/false", "softdep rdmo-core pre: rdmo_net", "softdep rdmo_core post: rdmo-ib", "alias rdmo0 %s",
		"alias rdmo-alias %s", "alias rdmo_core %s", "remove %s /bin/true", "", "options %s a=%u a=%u", "options %s aa=%u xa=%u",
		"options %s a=%u\r", "blacklist %s b=1",
	};
	const char *form = forms[below(COUNT(forms))];
	char name[32];

	if ((strstr(form, "blacklist") || strstr(form, "install") || strstr(form, "alias")) && below(3))
		form = forms[0];		/* or hardly a module would be left to load */
	spell(name, sizeof(name));
	snprintf(out, room, form, name, below(90), below(90));
}

static void random_tree(const struct root *r)
{
	char path[128], full[256], text[2048], line[256];

	for (size_t d = 0; d < COUNT(dirs); d++)
		for (size_t n = 0; n < COUNT(names); n++) {
			FILE *f;

			snprintf(path, sizeof(path), "%s/%s", dirs[d], names[n]);
			root_put(r, path, below(8) ? "" : "@/dev/null");
			snprintf(full, sizeof(full), "%s/%s", r->dir, path);
			if (below(3)) {
				unlink(full);
				continue;
			}
			*text = 0;
			for (uint32_t i = 1 + below(4); i-- > 0;) {
				one_line(line, sizeof(line));
				strcat(strcat(text, line), "\n");
			}
			f = fopen(full, "w");		/* through the link: nothing is said then */
			assert_true(f && fputs(text, f) >= 0 && fclose(f) == 0);
		}
}

static void random_cmdline(const struct root *r)
{
	char path[256], text[512] = "quiet root=/dev/sda", name[32];
	FILE *f;

	for (uint32_t i = below(4); i-- > 0;) {
		size_t n = strlen(text);

		spell(name, sizeof(name));
		if (below(5))
			snprintf(text + n, sizeof(text) - n, " %s.%s=%u", name, params[below(COUNT(params))], below(90));
		else
			snprintf(text + n, sizeof(text) - n, " modprobe.blacklist=%s,x", name);
	}
	strcat(text, "\n");
	snprintf(path, sizeof(path), "%s/proc/cmdline", r->dir);
	f = fopen(path, "w");			/* the same file is bound over that of the machine */
	assert_true(f && fputs(text, f) >= 0 && fclose(f) == 0);
}

/* --- modprobe ------------------------------------------------------------------------- */

/* What it would do to load @module: "insmod PATH OPTIONS", "install COMMAND", a line each. */
static void ask_modprobe(const struct root *r, const char *module, struct text *out)
{
	char command[512], line[1024];
	FILE *f;

	snprintf(command, sizeof(command), "cd %s && " TOOLS "modprobe -C etc/modprobe.d -C run/modprobe.d -C usr/lib/modprobe.d -d . "
		 "-S 6.0.0-oracle -b -n -v %s 2>/dev/null", r->dir, module);
	f = popen(command, "r");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f))
		text_add(out, line);
	pclose(f);			/* it fails where a softdep does */
}

/* Behind "insmod …/MODULE.ko ", or NULL: it is not inserted. */
static const char *inserted(const char *said, const char *module, char *options, size_t room)
{
	char word[64];
	const char *at;

	snprintf(word, sizeof(word), "/%s.ko", module);
	at = strstr(said, word);
	if (!at)
		return NULL;
	at += strlen(word);
	snprintf(options, room, "%.*s", (int)strcspn(at, "\n"), at);
	return options;
}

/* As the kernel takes them: the last one, - and _ alike, quotes off. */
static bool value_of(char *options, const char *param, char *value, size_t room)
{
	bool found = false;

	for (char *s = options; *(s += strspn(s, " \t\r"));) {
		char *word = s, clean[64];
		bool quoted = false;
		size_t n = 0;

		for (; *s && (quoted || !strchr(" \t\r", *s)); s++) {
			quoted ^= *s == '"';
			if (*s != '"' && n + 1 < sizeof(clean))
				clean[n++] = *s;
		}
		clean[n] = 0;
		n = strcspn(clean, "=");
		for (size_t i = 0; i < n; i++)
			clean[i] = clean[i] == '-' ? '_' : clean[i];
		if (n != strlen(param) || strncmp(clean, param, n))
			continue;
		snprintf(value, room, "%s", clean[n] ? clean + n + 1 : "Y");
		found = word != s;
	}
	return found;
}

static void show(const struct modprobe *m, const char *said)
{
	char cmdline[512] = "";
	FILE *f = fopen("/proc/cmdline", "r");

	if (f && fgets(cmdline, sizeof(cmdline), f))
		print_message("--- /proc/cmdline\n%s", cmdline);
	if (f)
		fclose(f);
	for (size_t i = 0; i < m->confd->n; i++)
		print_message("--- %s\n%s", m->confd->at[i].source.name, m->confd->at[i].source.text);
	print_message("--- modprobe\n%s", said);
}

static void compare_options(struct root *r, const struct modprobe *m, const char *module, const char *said, size_t *values)
{
	char options[1024];

	if (!inserted(said, module, options, sizeof(options)))
		return;
	for (size_t i = 0; i < COUNT(params); i++) {
		struct modprobe_option o = modprobe_option(m, r->a, module, params[i]);
		char theirs[64] = "", *copy = strdup(options);
		bool set = value_of(copy, params[i], theirs, sizeof(theirs));

		free(copy);
		*values += set;
		if (set == (o.value != NULL) && (!set || !strcmp(o.value, theirs)))
			continue;
		show(m, said);
		fail_msg("%s.%s: modprobe hands on %s, we say %s", module, params[i], set ? theirs : "nothing", o.value ? o.value : "nothing");
	}
}

/* Loaded by its name, blacklists counting; others only come along where a softdep says so. */
static void compare_loading(const struct modprobe *m, const char *module, const char *said, size_t *off)
{
	const struct modprobe_line *why = modprobe_disabled(m, module, NULL);
	char options[1024];
	bool loads = inserted(said, module, options, sizeof(options));

	*off += !loads;
	if (loads == (why != NULL)) {
		show(m, said);
		fail_msg("%s: modprobe %s it, we say %s", module, loads ? "loads" : "does not load", why ? "off" : "on");
	}
	if (why && why->kind == MODPROBE_ALIAS)
		return;			/* what the name stands for is loaded */
	for (size_t i = 0; i < COUNT(modules); i++)
		if (strcmp(modules[i], module) != 0 && inserted(said, modules[i], options, sizeof(options)) && !modprobe_softdep(m, modules[i])) {
			show(m, said);
			fail_msg("%s comes along with %s, and we know of no softdep", modules[i], module);
		}
}

static bool may_run(const struct root *r)
{
	char path[256];

	root_put(r, "proc/cmdline", "x\n");
	snprintf(path, sizeof(path), "%s/proc/cmdline", r->dir);
	return geteuid() == 0 && !system(TOOLS "command -v depmod modprobe >/dev/null") && unshare(CLONE_NEWNS) == 0 &&
	       mount(NULL, "/", NULL, MS_PRIVATE | MS_REC, NULL) == 0 && mount(path, "/proc/cmdline", NULL, MS_BIND, NULL) == 0;
}

static void modules_get_it(void **state)
{
	const char *more = getenv("TREES");
	unsigned trees = more ? (unsigned)atoi(more) : 200;
	size_t values = 0, off = 0;
	struct root *r = root_open(NULL);

	(void)state;
	if (!may_run(r)) {
		root_close(r);
		print_message("SKIP: %s\n", "kmod and root are needed");
		skip();
	}
	write_modules(r);
	for (unsigned round = 0; round < trees; round++) {
		const struct modprobe *m;

		random_tree(r);
		random_cmdline(r);
		kernel_renew(r->k);
		assert_int_equal(modprobe_load(r->k, &m), 0);
		for (size_t i = 0; i < COUNT(modules); i++) {
			TEXT_CLEANUP struct text said = { 0 };

			ask_modprobe(r, modules[i], &said);
			compare_loading(m, modules[i], text_str(&said), &off);
			compare_options(r, m, modules[i], text_str(&said), &values);
		}
	}
	print_message("%u trees, %zu values handed on, %zu modules not loaded\n", trees, values, off);
	assert_true(values > trees && off > trees / 10);
	umount2("/proc/cmdline", MNT_DETACH);
	root_close(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(modules_get_it) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
