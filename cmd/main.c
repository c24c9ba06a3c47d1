/* SPDX-License-Identifier: Apache-2.0 */
/* Global options, help, and the way out: one exit status that agrees with the text. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "cmd.h"
#include "engine/journal.h"
#include "kernel/kernel.h"
#include "report/report.h"

const struct command *const commands[] = {
#define COMMAND(name) &command_##name,
#include "list.h"
#undef COMMAND
	NULL,
};

/* --- options ---------------------------------------------------------------- */

enum { OPT_NODE = 256, OPT_PORT, OPT_ROOT, OPT_FROM, OPT_STRICT, OPT_COLOR, OPT_ALLOW, OPT_ONLY, OPT_IGNORE_PENDING,
       OPT_LIVE, OPT_BOOT, OPT_UNTIL_READY, OPT_IF_IDLE, OPT_TAKE_OVER, OPT_REVERT, OPT_CONFIRM, OPT_WAIT, OPT_TO, OPT_WATCH, OPT_DRY_RUN, OPT_TRUST_POLICY, OPT_VERBS, OPT_RULES, OPT_COMPILE, OPT_HELP, OPT_VERSION, OPT_TEXTFILE, OPT_COUNTERS,
       OPT_TIER, OPT_TEMPLATES, OPT_AGAINST, OPT_UNVERIFIED, OPT_PEER, OPT_LINK /* + FABRIC_… */ };

static const struct {
	const char *name, *value, *doc;
	int key;
	unsigned group;			/* 0: every command */
} options[] = {
	{ "policy", "FILE", "policy to read: a file, a directory of *.yaml, - for standard input\n"
	  "                         (default " POLICY_DEFAULT ")", 'p', OPTION_POLICY | OPTION_ORIGIN },
	{ "node", "NAME", "judge for this node instead of the machine's own name", OPT_NODE, OPTION_POLICY | OPTION_ORIGIN | OPTION_CAPTURE },
	{ "strict", NULL, "warnings count as findings", OPT_STRICT, OPTION_POLICY },
	{ "root", "DIR", "read every file below DIR; netlink is not asked", OPT_ROOT, OPTION_MACHINE | OPTION_ROOT },
	{ "from", "DUMP", "judge a dump instead of this machine", OPT_FROM, OPTION_MACHINE },
	{ "port", "PORT", "only this group, interface, RDMA device or PCI address", OPT_PORT, OPTION_MACHINE | OPTION_ORIGIN },
	{ "allow", "IDLE[/BUSY]", "highest impact of a change on a port nobody uses, and on one in use: none,\n"
	  "                         traffic, reload (default traffic/none; one word is both)", OPT_ALLOW, OPTION_ALLOW },
	{ "if-idle", NULL, "change nothing at all if a port concerned is in use", OPT_IF_IDLE, OPTION_ALLOW },
	{ "take-over", NULL, "write our values although another owner may overwrite them", OPT_TAKE_OVER, OPTION_CHANGES },
	{ "only", "SETTING", "only this setting or prefix; may be repeated, or a list with commas", OPT_ONLY, OPTION_CHANGES },
	{ "ignore-pending", NULL, "what waits for a reload or reboot is no finding", OPT_IGNORE_PENDING, OPTION_DRIFT },
	{ "until-ready", "SECONDS", "wait that long for the ports that are counted, and for what a unit puts right", OPT_UNTIL_READY, OPTION_DRIFT },
	{ "textfile", "FILE", "also write metrics for Prometheus there, for node_exporter's textfile collector", OPT_TEXTFILE, OPTION_DRIFT },
	{ "live", NULL, "judge only what runs now", OPT_LIVE, OPTION_DRIFT },
	{ "boot", NULL, "judge only what the next boot will give", OPT_BOOT, OPTION_DRIFT },
	{ "confirm", "SECONDS", "undo it all unless `rdmactl confirm` comes within SECONDS", OPT_CONFIRM, OPTION_APPLY },
	{ "revert-dropped", NULL, "give back what the policy does not ask for any more and we set", OPT_REVERT, OPTION_CHANGES },
	{ "wait", "SECONDS", "wait that long for another rdmactl that holds the lock (default 0)", OPT_WAIT, OPTION_WRITES },
	{ "to", "RUN", "undo every run after this one; 0: every run that is known", OPT_TO, OPTION_TO },
	{ "watch", "RUN", NULL, OPT_WATCH, OPTION_CONFIRM },
	{ "dry-run", NULL, "say what would be written, write nothing", OPT_DRY_RUN, OPTION_APPLY },
	{ "trust-policy", NULL, "apply a policy that others than root may write", OPT_TRUST_POLICY, OPTION_APPLY },
	{ "counters", NULL, "also what `drift -o prometheus` asks: counters of ports", OPT_COUNTERS, OPTION_DUMP },
	{ "verbs", NULL, "ask the device for its RoCE MTU instead of deriving it", OPT_VERBS, OPTION_SHOW },
	{ "compile", "FILE", "write the form of the policy that drift reads faster (/var/lib/rdmactl/policy.compiled)", OPT_COMPILE, OPTION_LINT },
	{ "rules", NULL, "list the rules instead of judging; -v tells source, fix and needs", OPT_RULES, OPTION_LINT },
	{ "asic", "NAME", "switch chip: Spectrum-4, Tomahawk5, …", OPT_LINK + FABRIC_ASIC, OPTION_HEADROOM },
	{ "speed", "SPEED", "of the link: 400Gb/s", OPT_LINK + FABRIC_SPEED, OPTION_HEADROOM },
	{ "cable", "LENGTH", "of the cable: 30m", OPT_LINK + FABRIC_CABLE, OPTION_HEADROOM },
	{ "port-mtu", "BYTES", "largest frame of the port (default 9216)", OPT_LINK + FABRIC_FRAME, OPTION_HEADROOM },
	{ "lossless-mtu", "BYTES", "largest lossless frame (default 1024, as shipped tables have it)", OPT_LINK + FABRIC_LOSSLESS_MTU, OPTION_HEADROOM },
	{ "small-packets", "PERCENT", "share of 64-byte packets, by count (default 100%, the worst case)", OPT_LINK + FABRIC_SMALL_PACKETS, OPTION_HEADROOM },
	{ "shared-pool", NULL, "headroom comes from a pool that all ports share", OPT_LINK + FABRIC_SHARED_POOL, OPTION_HEADROOM },
	{ "lanes", "N", "lanes of the port; 8 has its own rules", OPT_LINK + FABRIC_LANES, OPTION_HEADROOM },
	{ "peer-response", "BYTES", "what the peer still sends, instead of the ASIC's or IEEE's", OPT_PEER, OPTION_HEADROOM },
	{ "tier", "TIER", "switches of this tier of the policy: leaf, or FABRIC/leaf", OPT_TIER, OPTION_TIER },
	{ "nos", "NOS", "switch system instead of the tier's: sonic, cumulus, eos, nxos, junos, os10", OPT_LINK + FABRIC_NOS, OPTION_TIER },
	{ "templates", "DIR", "folder of templates instead of those that came with rdmactl", OPT_TEMPLATES, OPTION_RENDER },
	{ "against", "FILE", "only what is missing in this configuration: SONiC a JSON patch, others lines", OPT_AGAINST, OPTION_RENDER },
	{ "unverified", NULL, "also syntax that no source confirmed", OPT_UNVERIFIED, OPTION_RENDER },
	{ "output", "FORM", "table (default) or json; lint also sarif; drift also prometheus, nagios", 'o', OPTION_REPORT | OPTION_OUTPUT },
	{ "quiet", NULL, "print only on trouble", 'q', OPTION_REPORT },
	{ "verbose", NULL, "also rows that are in sync", 'v', OPTION_REPORT },
	{ "color", "WHEN", "auto (default), always, never", OPT_COLOR, OPTION_REPORT },
	{ "help", NULL, "this", OPT_HELP, 0 },
};

#define NOPTIONS (sizeof(options) / sizeof(options[0]))

static void print_options(FILE *f, unsigned groups)
{
	for (size_t i = 0; i < NOPTIONS; i++) {
		char left[40];

		if (!options[i].doc || (options[i].group && !(options[i].group & groups)))
			continue;
		snprintf(left, sizeof(left), "%c%c --%s%s%s", options[i].key < 256 ? '-' : ' ',
			 options[i].key < 256 ? options[i].key : ' ', options[i].name, options[i].value ? " " : "",
			 options[i].value ? options[i].value : "");
		fprintf(f, "  %-22s %s\n", left, options[i].doc);
	}
}

static void print_command_help(FILE *f, const struct command *c)
{
	fprintf(f, "usage: rdmactl %s [OPTION]… %s\n\n%s.\n\n", c->name, c->args, c->does);
	print_options(f, c->options);
}

static void print_help(FILE *f)
{
	fputs("usage: rdmactl COMMAND [OPTION]… [ARGUMENT]…\n\n"
	      "Proves that an RDMA node matches its policy, and makes it so.\n\n", f);
	for (const struct command *const *c = commands; *c; c++)
		fprintf(f, "  %-12s %s\n", (*c)->name, (*c)->does);
	fputs("\n`rdmactl COMMAND --help` lists its options.\n"
	      "Exit status: 0 in sync or done, 1 a row differs or is left alone, 2 something could not be read,\n"
	      "3 apply failed and was rolled back, 4 the node is in between, 64 usage, 65 the policy has an error,\n"
	      "75 another rdmactl holds the lock, 77 not permitted.\n", f);
}

static int usage(const struct command *c, const char *fmt, const char *arg)
{
	fputs("rdmactl: ", stderr);
	fprintf(stderr, fmt, arg);
	fprintf(stderr, "\nsee `rdmactl %s%s--help`\n", c ? c->name : "", c ? " " : "");
	return EXIT_USAGE;
}

/* "qos.pfc,mtu" and repeated options into one list; nothing at all, as of a variable that is empty, is not everything */
static void add_only(struct arena *a, struct options *o, size_t *n, const char *list)
{
	const char *s = list;

	do {
		size_t len = strcspn(s, ",");

		o->only = arena_grow(a, o->only, *n, 2, sizeof(*o->only));
		o->only[(*n)++] = arena_strndup(a, s, len);
		s += len + (s[len] == ',');
	} while (*s);
}

static int word(const char *s, const char *const *words)
{
	for (int i = 0; words[i]; i++)
		if (!strcmp(words[i], s))
			return i;
	return -1;
}

static bool take_number(const char *s, int64_t min, int64_t max, int64_t *n)
{
	uint64_t v;

	if (!text_u64(s, &v) || v > (uint64_t)max || (int64_t)v < min)
		return false;
	*n = (int64_t)v;
	return true;
}

/* "traffic/none": the limits for a port that nobody uses, and for one in use; one word is both. */
static bool take_consent(struct options *o, const char *s)
{
	const char *const impacts[] = { impact_name(IMPACT_NONE), impact_name(IMPACT_TRAFFIC), impact_name(IMPACT_RELOAD), NULL };
	char idle[16];
	const char *slash = strchr(s, '/');
	int i, b;

	if (slash && (size_t)(slash - s) >= sizeof(idle))
		return false;
	snprintf(idle, sizeof(idle), "%.*s", slash ? (int)(slash - s) : (int)sizeof(idle) - 1, s);
	i = word(idle, impacts);
	b = slash ? word(slash + 1, impacts) : i;
	if (i < 0 || b < 0)
		return false;
	o->consent.idle = (enum impact)i;
	o->consent.busy = (enum impact)b;
	return true;
}

/* Forms of a report, and who has them besides those with all of them. */
static const struct { const char *name, *only; unsigned group; } outputs[] = {
	[OUTPUT_TABLE] = { "table", NULL, 0 },
	[OUTPUT_JSON] = { "json", NULL, 0 },
	[OUTPUT_SARIF] = { "sarif", "lint", OPTION_LINT },
	[OUTPUT_PROMETHEUS] = { "prometheus", "drift", OPTION_DRIFT },
	[OUTPUT_NAGIOS] = { "nagios", "drift", OPTION_DRIFT },
};

enum { NOUTPUTS = sizeof(outputs) / sizeof(outputs[0]) };

static bool has_output(const struct command *c, size_t i)
{
	return !outputs[i].group || (outputs[i].group & c->options);
}

static int take_output(struct options *o, struct arena *a, const struct command *c, const char *name)
{
	size_t last = 0;
	const char *list;

	for (size_t i = 0; i < NOUTPUTS; i++) {
		if (has_output(c, i))
			last = i;
		if (strcmp(outputs[i].name, name) != 0)
			continue;
		if (!has_output(c, i))
			return usage(c, arena_printf(a, "-o %s is for %s alone%%s", name, outputs[i].only), "");
		o->output = (enum output)i;
		return 0;
	}
	list = outputs[0].name;
	for (size_t i = 1; i < NOUTPUTS; i++)
		if (has_output(c, i))
			list = arena_printf(a, "%s%s%s", list, i == last ? " or " : ", ", outputs[i].name);
	return usage(c, arena_printf(a, "-o takes %s, not '%%s'", list), name);
}

static int take_option(struct options *o, struct arena *a, const struct command *c, int key, size_t *nonly)
{
	static const char *const colors[] = { "auto", "always", "never", NULL };
	int64_t n;

	if (key >= OPT_LINK) {
		o->link[key - OPT_LINK] = optarg ? optarg : "true";
		return 0;
	}
	switch (key) {
	case 'p': o->policy = optarg; return 0;
	case OPT_NODE: o->node = optarg; return 0;
	case OPT_STRICT: o->strict = true; return 0;
	case OPT_ROOT: o->root = optarg; return 0;
	case OPT_FROM: o->from = optarg; return 0;
	case OPT_PORT: o->port = optarg; return 0;
	case OPT_ONLY: add_only(a, o, nonly, optarg); return 0;
	case OPT_IGNORE_PENDING: o->ignore_pending = true; return 0;
	case OPT_DRY_RUN: o->dry_run = true; return 0;
	case OPT_TRUST_POLICY: o->trust_policy = true; return 0;
	case OPT_VERBS: o->verbs = true; return 0;
	case OPT_RULES: o->rules = true; return 0;
	case OPT_COMPILE: o->compile = optarg; return 0;
	case 'q': o->quiet = true; return 0;
	case 'v': o->verbose = true; return 0;
	case OPT_COLOR:
		o->color = optarg;
		return word(optarg, colors) >= 0 ? 0 : usage(c, "--color takes auto, always or never, not '%s'", optarg);
	case 'o': return take_output(o, a, c, optarg);
	case OPT_TEXTFILE: o->textfile = optarg; return 0;
	case OPT_COUNTERS: o->counters = true; return 0;
	case OPT_ALLOW:
		return take_consent(o, optarg) ? 0 :
			usage(c, "--allow takes IDLE[/BUSY], each none, traffic or reload, not '%s'", optarg);
	case OPT_LIVE: o->live = true; return 0;
	case OPT_BOOT: o->boot = true; return 0;
	case OPT_UNTIL_READY:
		return take_number(optarg, 1, 86400, &n) ? (o->until_ready_s = (unsigned)n, 0) :
			usage(c, "--until-ready takes 1 to 86400 seconds, not '%s'", optarg);
	case OPT_IF_IDLE: o->consent.if_idle = true; return 0;
	case OPT_TAKE_OVER: o->take_over = true; return 0;
	case OPT_REVERT: o->revert_dropped = true; return 0;
	case OPT_CONFIRM:
		return take_number(optarg, 1, 86400, &n) ? (o->confirm_s = (unsigned)n, 0) :
			usage(c, "--confirm takes 1 to 86400 seconds, not '%s'", optarg);
	case OPT_WAIT:
		return take_number(optarg, 0, 86400, &n) ? (o->wait_s = (unsigned)n, 0) :
			usage(c, "--wait takes 0 to 86400 seconds, not '%s'", optarg);
	case OPT_TO:
		return take_number(optarg, 0, RUN_LAST, &o->to) ? 0 :
			usage(c, "--to takes the number of a run, as `rdmactl history` lists them, not '%s'", optarg);
	case OPT_PEER: o->peer_response = optarg; return 0;
	case OPT_TIER: o->tier = optarg; return 0;
	case OPT_TEMPLATES: o->templates = optarg; return 0;
	case OPT_AGAINST: o->against = optarg; return 0;
	case OPT_UNVERIFIED: o->unverified = true; return 0;
	case OPT_WATCH:
		return take_number(optarg, 1, RUN_LAST, &o->watch) ? 0 : usage(c, "--watch takes the number of a run, not '%s'", optarg);
	}
	return usage(c, "bad option%s", "");
}

static const struct command *find_command(const char *name)
{
	for (const struct command *const *c = commands; *c; c++)
		if (!strcmp((*c)->name, name))
			return *c;
	return NULL;
}

/* Place of an option in the table, or -1. */
static int find_option(int key)
{
	for (size_t i = 0; i < NOPTIONS; i++)
		if (options[i].key == key)
			return (int)i;
	return -1;
}

static bool takes(const struct command *c, int key)
{
	int i = find_option(key);

	return i >= 0 && (!options[i].group || (options[i].group & c->options));
}

/* What getopt does not take: of letters in one word it stays at that word, and says which letter. */
static int bad_option(const struct command *c, const char *word)
{
	char letter[] = { '-', (char)optopt, 0 };

	return usage(c, "there is no option %s", optopt && optopt < 256 && strncmp(word, "--", 2) != 0 ? letter : word);
}

/* Return: 0, or 1 + exit status. */
static int parse_options(int argc, char **argv, const struct command *c, struct options *o, struct arena *a)
{
	struct option longs[NOPTIONS + 1] = { { 0 } };
	size_t nonly = 0;
	int key, r;

	for (size_t i = 0; i < NOPTIONS; i++)
		longs[i] = (struct option){ options[i].name, options[i].value ? required_argument : no_argument, NULL,
					    options[i].key };
	opterr = 0;
	while ((key = getopt_long(argc, argv, ":p:o:qvh", longs, NULL)) != -1) {
		if (key == ':')
			return 1 + usage(c, "%s needs a value", argv[optind - 1]);
		if (key == '?')
			return 1 + bad_option(c, argv[optind - 1]);
		if (key == OPT_HELP || key == 'h') {
			print_command_help(stdout, c);
			return 1 + (fflush(stdout) ? EXIT_UNKNOWN : EXIT_SYNC);
		}
		if (!takes(c, key))
			return 1 + usage(c, "this command takes no --%s", options[find_option(key)].name);
		r = take_option(o, a, c, key, &nonly);
		if (r)
			return 1 + r;
	}
	o->arg = (const char *const *)argv + optind;
	o->nargs = argc - optind;
	if (o->nargs && !*c->args)	/* `apply qos.pfc` does not mean `apply --only qos.pfc` */
		return 1 + usage(c, "this command takes no argument '%s'", o->arg[0]);
	return 0;
}

/* --- the way ---------------------------------------------------------------- */

const char *policy_path(const struct options *o)
{
	return o->policy ? o->policy : POLICY_DEFAULT;
}

static bool write_all(int fd, const char *s, size_t n)
{
	while (n) {
		ssize_t did = write(fd, s, n);

		if (did < 0 && errno == EINTR)
			continue;
		if (did < 0)
			return false;
		s += did;
		n -= (size_t)did;
	}
	return true;
}

/*
 * A run goes on when its terminal, or who reads its report, goes away; and where a file may not grow (ulimit -f), that is
 * the error of a write.
 */
static void outlive_caller(void)
{
	signal(SIGHUP, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
}

static int run_command(const struct command *c, const struct options *o, struct arena *a)
{
	struct session s = { .arena = a, .opt = o, .command = c, .catalog = catalog_default(), .begun_us = session_now_us() };
	int status;

	if (c->options & OPTION_WRITES)
		outlive_caller();
	diags_init(&s.diags, a);
	status = c->run(&s);
	/* one document per run, also for one that did not get as far as a report */
	if ((o->output != OUTPUT_TABLE || o->textfile) && !s.reported && !s.out.n && (c->options & OPTION_REPORT))
		status = session_failed(&s, status);
	session_tell(&s);
	if (s.out.n && !write_all(STDOUT_FILENO, text_str(&s.out), s.out.n)) {
		fprintf(stderr, "rdmactl: cannot write the report: %s\n", strerror(errno));
		if (status == EXIT_SYNC)
			status = o->output == OUTPUT_NAGIOS ? REPORT_NAGIOS_UNKNOWN : EXIT_UNKNOWN;
	}
	text_done(&s.out);
	if (s.kernel)
		kernel_close(s.kernel);
	return status;
}

/*
 * Started with standard output or error closed, the first socket or file would get its number, and the report would go
 * there. What takes its place gives the error that a closed one gives.
 */
static void hold_standard(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
			_exit(EXIT_UNKNOWN);
}

int main(int argc, char **argv)
{
	struct options o = { .color = "auto", .consent = { IMPACT_TRAFFIC, IMPACT_NONE, false }, .to = -1, .watch = -1 };
	const struct command *c;
	struct arena *a;
	int r;

	hold_standard();
	if (argc < 2)
		return usage(NULL, "which command?%s", "");
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
		print_help(stdout);
		return fflush(stdout) ? EXIT_UNKNOWN : EXIT_SYNC;
	}
	c = !strcmp(argv[1], "--version") ? &command_version : find_command(argv[1]);
	if (!c)
		return usage(NULL, "there is no command '%s'", argv[1]);
	a = arena_new();
	r = parse_options(argc - 1, argv + 1, c, &o, a);
	if (r == 0)
		r = run_command(c, &o, a);
	else if (--r == EXIT_USAGE && o.output == OUTPUT_NAGIOS)
		r = REPORT_NAGIOS_UNKNOWN;
	arena_free(a);
	return r;
}
