/* SPDX-License-Identifier: Apache-2.0 */
/* The table of options, and the command line parsed by it: getopt_long, which also takes letters in one word. */
#include "options.h"

#include <getopt.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "engine/journal.h"
#include "help.h"

#define AT(member) offsetof(struct options, member)
#define LINK(field) AT(link[FABRIC_##field])

enum { SECONDS_MAX = 86400, LONG_ONLY = 256 };

static const struct option_row options[] = {
	{ "policy", 'p', "FILE", "file, directory or -; default " POLICY_DEFAULT,
	  "Of a directory, *.yaml is read in the order of names; - is standard input.",
	  OPTION_POLICY | OPTION_ORIGIN, TAKE_TEXT, AT(policy), 0, 0 },
	{ "node", 0, "NODE", "judge for this node instead of the machine's own name", NULL,
	  OPTION_POLICY | OPTION_ORIGIN | OPTION_CAPTURE, TAKE_TEXT, AT(node), 0, 0 },
	{ "strict", 0, NULL, "warnings count as findings", "A run that only warned ends with 1.",
	  OPTION_POLICY, TAKE_FLAG, AT(strict), 0, 0 },
	{ "root", 0, "DIR", "read every file below DIR; netlink is not asked",
	  "Also /proc and /sys are those of DIR. What only netlink, ethtool, verbs or lldpd could tell is unknown, not-recorded.",
	  OPTION_MACHINE | OPTION_ROOT, TAKE_TEXT, AT(root), 0, 0 },
	{ "from", 0, "DUMP", "judge a dump instead of this machine", "It takes no rights, and the verdict is that of the node.",
	  OPTION_MACHINE, TAKE_TEXT, AT(from), 0, 0 },
	{ "port", 0, "PORT", "only this group, interface, RDMA device or PCI address",
	  "A bond answers to its own name and to that of each member. What belongs to the node is done in any case.",
	  OPTION_MACHINE | OPTION_ORIGIN, TAKE_TEXT, AT(port), 0, 0 },
	{ "allow", 0, "IDLE[/BUSY]", "impact allowed: none, traffic, reload (traffic/none)",
	  "The highest impact of a change on a port that nobody uses, and on one in use; one word is both. What is above it is "
	  "left alone, and the exit status says so.",
	  OPTION_ALLOW, TAKE_CONSENT, AT(consent), 0, 0 },
	{ "if-idle", 0, NULL, "change nothing at all if a port concerned is in use", NULL,
	  OPTION_ALLOW, TAKE_FLAG, AT(consent.if_idle), 0, 0 },
	{ "take-over", 0, NULL, "write although another owner may overwrite it",
	  "Files and services of the other owner are left as they are.", OPTION_CHANGES, TAKE_FLAG, AT(take_over), 0, 0 },
	{ "only", 0, "SETTING", "only these settings or prefixes: qos,mtu; repeatable", NULL,
	  OPTION_CHANGES | OPTION_DRIFT, TAKE_LIST, AT(only), 0, 0 },
	{ "ignore-pending", 0, NULL, "what waits for a reload or reboot is no finding", NULL,
	  OPTION_DRIFT, TAKE_FLAG, AT(ignore_pending), 0, 0 },
	{ "until-ready", 0, "SECONDS", "wait for counted ports, and what a unit puts right", NULL,
	  OPTION_DRIFT, TAKE_SECONDS, AT(until_ready_s), 1, SECONDS_MAX },
	{ "textfile", 0, "FILE", "also write metrics for Prometheus there",
	  "For the textfile collector of node_exporter; the file is replaced at once, or not at all.",
	  OPTION_DRIFT, TAKE_TEXT, AT(textfile), 0, 0 },
	{ "live", 0, NULL, "judge only what runs now", NULL, OPTION_DRIFT, TAKE_FLAG, AT(live), 0, 0 },
	{ "boot", 0, NULL, "judge only what the next boot will give", NULL, OPTION_DRIFT, TAKE_FLAG, AT(boot), 0, 0 },
	{ "confirm", 0, "SECONDS", "undo it all unless `rdmactl confirm` comes in time",
	  "Boot files are written by confirm and not before.", OPTION_APPLY, TAKE_SECONDS, AT(confirm_s), 1, SECONDS_MAX },
	{ "revert-dropped", 0, NULL, "give back what the policy drops and we set", NULL,
	  OPTION_CHANGES, TAKE_FLAG, AT(revert_dropped), 0, 0 },
	{ "wait", 0, "SECONDS", "wait for another rdmactl that holds the lock (0)", NULL,
	  OPTION_WRITES, TAKE_SECONDS, AT(wait_s), 0, SECONDS_MAX },
	{ "to", 0, "RUN", "undo every run after this one; 0: all that are known", NULL,
	  OPTION_TO, TAKE_RUN, AT(to), 0, RUN_LAST },
	{ "watch", 0, "RUN", NULL, NULL, OPTION_CONFIRM, TAKE_RUN, AT(watch), 1, RUN_LAST },
	{ "dry-run", 0, NULL, "say what would be written, write nothing", NULL, OPTION_APPLY | OPTION_TO, TAKE_FLAG, AT(dry_run), 0, 0 },
	{ "trust-policy", 0, NULL, "apply a policy that others than root may write", NULL,
	  OPTION_APPLY, TAKE_FLAG, AT(trust_policy), 0, 0 },
	{ "counters", 0, NULL, "also what metrics ask: counters of ports", NULL,
	  OPTION_DUMP, TAKE_FLAG, AT(counters), 0, 0 },
	{ "verbs", 0, NULL, "ask the device for its RoCE MTU, do not derive it", NULL,
	  OPTION_SHOW, TAKE_FLAG, AT(verbs), 0, 0 },
	{ "compile", 0, "FILE", "write the form of the policy that drift reads faster",
	  "It is read from /var/lib/rdmactl/policy.compiled, as long as no file of the policy changes.",
	  OPTION_LINT, TAKE_TEXT, AT(compile), 0, 0 },
	{ "rules", 0, NULL, "list the rules instead of judging", "With -v, their source, the way out and what they need.",
	  OPTION_LINT, TAKE_FLAG, AT(rules), 0, 0 },
	{ "asic", 0, "ASIC", "switch chip: Spectrum-4, Tomahawk5, …", NULL, OPTION_HEADROOM, TAKE_TEXT, LINK(ASIC), 0, 0 },
	{ "speed", 0, "SPEED", "of the link: 400Gb/s", NULL, OPTION_HEADROOM, TAKE_TEXT, LINK(SPEED), 0, 0 },
	{ "cable", 0, "LENGTH", "of the cable: 30m", NULL, OPTION_HEADROOM, TAKE_TEXT, LINK(CABLE), 0, 0 },
	{ "port-mtu", 0, "BYTES", "largest frame of the port (9216)", NULL, OPTION_HEADROOM, TAKE_TEXT, LINK(FRAME), 0, 0 },
	{ "lossless-mtu", 0, "BYTES", "largest lossless frame (1024, as shipped tables have it)", NULL,
	  OPTION_HEADROOM, TAKE_TEXT, LINK(LOSSLESS_MTU), 0, 0 },
	{ "small-packets", 0, "PERCENT", "of 64-byte packets, by count (100%, the worst case)", NULL,
	  OPTION_HEADROOM, TAKE_TEXT, LINK(SMALL_PACKETS), 0, 0 },
	{ "shared-pool", 0, NULL, "headroom comes from a pool that all ports share", NULL,
	  OPTION_HEADROOM, TAKE_TRUE, LINK(SHARED_POOL), 0, 0 },
	{ "lanes", 0, "N", "lanes of the port; 8 has its own rules", NULL, OPTION_HEADROOM, TAKE_TEXT, LINK(LANES), 0, 0 },
	{ "peer-response", 0, "BYTES", "what the peer still sends, not the ASIC's or IEEE's", NULL,
	  OPTION_HEADROOM, TAKE_TEXT, AT(peer_response), 0, 0 },
	{ "tier", 0, "TIER", "switches of this tier of the policy: leaf, or FABRIC/leaf", NULL,
	  OPTION_TIER, TAKE_TEXT, AT(tier), 0, 0 },
	{ "nos", 0, "NOS", "switch system instead of the tier's", NULL, OPTION_TIER, TAKE_TEXT, LINK(NOS), 0, 0 },
	{ "templates", 0, "DIR", "templates instead of those that came with rdmactl", NULL,
	  OPTION_RENDER, TAKE_TEXT, AT(templates), 0, 0 },
	{ "against", 0, "FILE", "only what is missing in this configuration", "Of SONiC a JSON patch, of others lines.",
	  OPTION_RENDER, TAKE_TEXT, AT(against), 0, 0 },
	{ "unverified", 0, NULL, "also syntax that no source confirmed", NULL, OPTION_RENDER, TAKE_FLAG, AT(unverified), 0, 0 },
	{ "output", 'o', "FORM", "form of the report", NULL, OPTION_REPORT | OPTION_OUTPUT, TAKE_FORM, AT(output), 0, 0 },
	{ "quiet", 'q', NULL, "print only on trouble", NULL, OPTION_REPORT, TAKE_FLAG, AT(quiet), 0, 0 },
	{ "verbose", 'v', NULL, "also rows that are in sync", NULL, OPTION_REPORT, TAKE_FLAG, AT(verbose), 0, 0 },
	{ "color", 0, "auto|always|never", "auto: on a terminal",
	  "With auto also the environment is asked: NO_COLOR.", OPTION_REPORT, TAKE_WORD, AT(color), 0, 0 },
	{ "help", 'h', NULL, "this", NULL, 0, TAKE_HELP, 0, 0, 0 },
};

#define NOPTIONS (sizeof(options) / sizeof(options[0]))

static const struct {
	const char *name, *only;
	unsigned group;			/* 0: wherever there is -o */
} forms[] = {
	[OUTPUT_TABLE] = { "table", NULL, 0 },
	[OUTPUT_JSON] = { "json", NULL, 0 },
	[OUTPUT_SARIF] = { "sarif", "lint", OPTION_LINT },
	[OUTPUT_PROMETHEUS] = { "prometheus", "drift", OPTION_DRIFT },
	[OUTPUT_NAGIOS] = { "nagios", "drift", OPTION_DRIFT },
};

_Static_assert(NOPTIONS <= 64, "a bit for each");

#define NFORMS (sizeof(forms) / sizeof(forms[0]))

/* --- what others make of it --------------------------------------------------- */

const struct option_row *option_at(size_t i)
{
	return i < NOPTIONS ? &options[i] : NULL;
}

bool option_taken(const struct command *c, const struct option_row *o)
{
	return !o->group || (o->group & c->options);
}

static bool form_taken(const struct command *c, size_t form)
{
	return !forms[form].group || (forms[form].group & c->options);
}

const char *option_form(const struct command *c, size_t i)
{
	for (size_t form = 0; form < NFORMS; form++)
		if (form_taken(c, form) && i-- == 0)
			return forms[form].name;
	return NULL;
}

const char *option_value(const struct command *c, const struct option_row *o, struct arena *a)
{
	const char *all = NULL, *one;

	if (o->how != TAKE_FORM)
		return o->value;
	for (size_t i = 0; (one = option_form(c, i)) != NULL; i++)
		all = all ? arena_printf(a, "%s|%s", all, one) : one;
	return all;
}

size_t placeholder_word(const char **s, const char **word)
{
	static const char between[] = "[]|/ …";
	size_t n;

	*s += strspn(*s, between);
	*word = *s;
	n = strcspn(*s, between);
	*s += n;
	return n;
}

bool placeholder_is_kind(const char *word)
{
	return *word >= 'A' && *word <= 'Z';
}

int options_usage(const struct command *c, const char *fmt, ...)
{
	va_list ap;

	fputs("rdmactl: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fprintf(stderr, "\nsee `rdmactl %s%s--help`\n", c ? c->name : "", c ? " " : "");
	return EXIT_USAGE;
}

/* --- values ------------------------------------------------------------------- */

struct taking {
	const struct command *command;
	const struct option_row *row;
	struct options *o;
	struct arena *a;
	size_t nlist;			/* words of TAKE_LIST so far */
	uint64_t seen;			/* bits of rows */
};

/* "auto, always or never" of "auto|always|never" */
static const char *listed(struct arena *a, const char *placeholder)
{
	const char *all = NULL, *word, *rest;
	size_t n;

	while ((n = placeholder_word(&placeholder, &word)) != 0) {
		rest = placeholder;
		all = arena_printf(a, "%s%s%.*s", all ? all : "", !all ? "" : *rest ? ", " : " or ", (int)n, word);
	}
	return all;
}

static int take_word(struct taking *t, const char *s)
{
	const char *placeholder = t->row->value, *word;
	size_t n;

	while ((n = placeholder_word(&placeholder, &word)) != 0)
		if (strlen(s) == n && !strncmp(s, word, n))
			return 0;
	return options_usage(t->command, "--%s takes %s, not '%s'", t->row->name, listed(t->a, t->row->value), s);
}

static int take_form(struct taking *t, const char *s, enum output *form)
{
	for (size_t i = 0; i < NFORMS; i++) {
		if (strcmp(s, forms[i].name) != 0)
			continue;
		if (!form_taken(t->command, i))
			return options_usage(t->command, "-o %s is for %s alone", s, forms[i].only);
		*form = (enum output)i;
		return 0;
	}
	return options_usage(t->command, "-o takes %s, not '%s'", listed(t->a, option_value(t->command, t->row, t->a)), s);
}

static bool take_number(const struct option_row *row, const char *s, int64_t *n)
{
	uint64_t v;

	if (!text_u64(s, &v) || v > (uint64_t)row->max || (int64_t)v < row->min)
		return false;
	*n = (int64_t)v;
	return true;
}

static int take_seconds(struct taking *t, const char *s, unsigned *seconds)
{
	int64_t n;

	if (!take_number(t->row, s, &n))
		return options_usage(t->command, "--%s takes %lld to %lld seconds, not '%s'", t->row->name,
				     (long long)t->row->min, (long long)t->row->max, s);
	*seconds = (unsigned)n;
	return 0;
}

static int take_run(struct taking *t, const char *s, int64_t *run)
{
	return take_number(t->row, s, run) ? 0 :
		options_usage(t->command, "--%s takes the number of a run, as `rdmactl history` lists them, not '%s'", t->row->name, s);
}

static bool take_impact(const char *s, size_t n, enum impact *impact)
{
	for (enum impact i = IMPACT_NONE; i <= IMPACT_RELOAD; i++) {
		if (strlen(impact_name(i)) != n || strncmp(s, impact_name(i), n) != 0)
			continue;
		*impact = i;
		return true;
	}
	return false;
}

/* "traffic/none": the limits for a port that nobody uses, and for one in use; one word is both. */
static int take_consent(struct taking *t, const char *s, struct consent *consent)
{
	size_t n = strcspn(s, "/");
	const char *busy = s[n] ? s + n + 1 : s;

	return take_impact(s, n, &consent->idle) && take_impact(busy, strlen(busy), &consent->busy) ? 0 :
		options_usage(t->command, "--allow takes IDLE[/BUSY], each none, traffic or reload, not '%s'", s);
}

/* "qos.pfc,mtu" and repeated options into one list; nothing at all, as of a variable that is empty, is not everything */
static void take_list(struct taking *t, const char *s, const char ***list)
{
	do {
		size_t n = strcspn(s, ",");

		*list = arena_grow(t->a, *list, t->nlist, 2, sizeof(**list));
		(*list)[t->nlist++] = arena_strndup(t->a, s, n);
		s += n + (s[n] == ',');
	} while (*s);
}

static int help(struct taking *t)
{
	TEXT_CLEANUP struct text out = { 0 };

	help_command(t->command, t->a, &out);
	fwrite(text_str(&out), 1, out.n, stdout);
	return fflush(stdout) ? EXIT_UNKNOWN : EXIT_SYNC;
}

/* Said twice, an option that has a value would be one of which half is not heard. */
static bool is_repeated(struct taking *t)
{
	uint64_t bit = UINT64_C(1) << (t->row - options);
	bool was = t->row->value && t->row->how != TAKE_LIST && (t->seen & bit);

	t->seen |= bit;
	return was;
}

/* Return: 0, or 1 + exit status. */
static int take(struct taking *t, const char *s)
{
	void *at = (char *)t->o + t->row->at;
	int r = 0;

	switch (t->row->how) {
	case TAKE_FLAG:
		*(bool *)at = true;
		break;
	case TAKE_TRUE:
		*(const char **)at = "true";
		break;
	case TAKE_TEXT:
		*(const char **)at = s;
		break;
	case TAKE_WORD:
		*(const char **)at = s;
		r = take_word(t, s);
		break;
	case TAKE_SECONDS:
		r = take_seconds(t, s, at);
		break;
	case TAKE_RUN:
		r = take_run(t, s, at);
		break;
	case TAKE_FORM:
		r = take_form(t, s, at);
		break;
	case TAKE_CONSENT:
		r = take_consent(t, s, at);
		break;
	case TAKE_LIST:
		take_list(t, s, at);
		break;
	case TAKE_HELP:
		return 1 + help(t);
	}
	return r ? 1 + r : 0;
}

/* --- the command line --------------------------------------------------------- */

/* The option of this command that a word was meant to be, or NULL. */
static const char *nearest_option(const struct command *c, const char *word)
{
	const char *names[NOPTIONS + 1] = { NULL };
	char name[32];
	size_t n = 0;

	for (size_t i = 0; i < NOPTIONS; i++)
		if (options[i].doc && option_taken(c, &options[i]))
			names[n++] = options[i].name;
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(word, "="), word);
	return text_nearest(name, names);
}

/* What getopt does not take: of letters in one word it stays at that word, and says which letter. */
static int bad_option(const struct command *c, const char *word)
{
	char letter[] = { '-', (char)optopt, 0 };
	const char *near;

	if (optopt && optopt < LONG_ONLY)	/* then @word is the one before it, or its own */
		return options_usage(c, "there is no option %s", letter);
	near = !strncmp(word, "--", 2) ? nearest_option(c, word + 2) : NULL;
	if (near)
		return options_usage(c, "there is no option %s; did you mean --%s?", word, near);
	return options_usage(c, "there is no option %s", word);
}

/* The table as getopt wants it; a long option's key is LONG_ONLY and its place. */
static void tables(struct option longs[NOPTIONS + 1], char letters[2 * NOPTIONS + 2])
{
	*letters++ = ':';
	for (size_t i = 0; i < NOPTIONS; i++) {
		longs[i] = (struct option){ options[i].name, options[i].value ? required_argument : no_argument, NULL,
					    LONG_ONLY + (int)i };
		if (!options[i].letter)
			continue;
		*letters++ = options[i].letter;
		if (options[i].value)
			*letters++ = ':';
	}
	*letters = 0;
	longs[NOPTIONS] = (struct option){ 0 };
}

static const struct option_row *row_of(int key)
{
	if (key >= LONG_ONLY)
		return &options[key - LONG_ONLY];
	for (size_t i = 0; i < NOPTIONS; i++)
		if (options[i].letter == key)
			return &options[i];
	return NULL;
}

static bool is_taken(const struct command *c, const char *name)
{
	for (size_t i = 0; i < NOPTIONS; i++)
		if (!strcmp(options[i].name, name))
			return option_taken(c, &options[i]);
	return false;
}

static bool is_policy(const char *arg)
{
	const char *dot = strrchr(arg, '.');

	return strchr(arg, '/') || (dot && (!strcmp(dot, ".yaml") || !strcmp(dot, ".yml")));
}

/* `apply qos.pfc` does not mean `apply --only qos.pfc`, and `drift policy.yaml` not `drift -p policy.yaml`; they are told of it. */
static int refuse_argument(const struct command *c, const struct options *o, struct arena *a)
{
	const char *arg = text_safe(a, o->arg[0], strlen(o->arg[0]), PATH_MAX);
	TEXT_CLEANUP struct text t = { 0 };

	text_add_word(&t, arg, false);
	if (is_taken(c, "policy") && !o->policy && is_policy(arg))
		return options_usage(c, "this command takes no argument '%s'; -p names the policy: rdmactl %s -p %s", arg, c->name,
				     text_str(&t));
	if (is_taken(c, "only") && !is_policy(arg))
		return options_usage(c, "this command takes no argument '%s'; a setting is named by --only", arg);
	return options_usage(c, "this command takes no argument '%s'", arg);
}

int options_parse(int argc, char **argv, const struct command *c, struct options *o, struct arena *a)
{
	struct option longs[NOPTIONS + 1];
	char letters[2 * NOPTIONS + 2];
	struct taking t = { .command = c, .o = o, .a = a };
	int key, r;

	tables(longs, letters);
	opterr = 0;
	while ((key = getopt_long(argc, argv, letters, longs, NULL)) != -1) {
		t.row = row_of(key);
		if (key == ':')
			return 1 + options_usage(c, "%s needs a value", argv[optind - 1]);
		if (!t.row)
			return 1 + bad_option(c, argv[optind - 1]);
		if (!option_taken(c, t.row))
			return 1 + options_usage(c, "this command takes no --%s", t.row->name);
		if (is_repeated(&t))
			return 1 + options_usage(c, "--%s is said twice: which one holds?", t.row->name);
		r = take(&t, optarg);
		if (r)
			return r;
	}
	o->arg = (const char *const *)argv + optind;
	o->nargs = argc - optind;
	if (o->nargs && !*c->args)
		return 1 + refuse_argument(c, o, a);
	return 0;
}
