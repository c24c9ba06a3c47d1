/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Words for the shell. The scripts in completions/ hand over the words up to the cursor, and get one that may stand there
 * on each line, behind a tab what it means; or ":files" or ":directories", which a shell knows better. ":open" says that the
 * words are only beginnings.
 *
 * What comes from a policy or the machine is hostile: a word is given out only if no shell could read anything else in it.
 * Nothing is told of what is wrong, and it does not take long: nobody asked for more than a word.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/arena.h"
#include "engine/journal.h"
#include "explain/topics.h"
#include "fabric/headroom.h"
#include "lint/lint.h"
#include "kernel/kernel.h"
#include "nos/nos.h"
#include "options.h"
#include "policy/policy.h"
#include "policy/words.h"

enum {
	PATIENCE_MS = 500,
	NODES_MAX = 200000,		/* of one list; expanding more takes too long */
	WORDS_MAX = 2048,		/* of more than these, the beginnings are offered */
	BEGINNINGS_MAX = 128,
	RUNS_TOLD = 16,			/* newest runs, of which more than the number is told */
	DOC_COLUMNS = 60,
};

struct offer {
	const char *word, *doc;
};

struct completion {
	struct session s;		/* of the command that is being typed */
	struct options o;
	const struct command *command;
	const struct option_row *option;	/* whose value is being typed, or NULL */
	uint64_t given;			/* bits of options before the cursor */
	size_t arguments;		/* before the cursor */
	bool ended;			/* by --: no more options */
	const char *lead;		/* of the word, before what is being typed: "--only=mtu," */
	const char *word;
	bool files, directories;
	struct { struct offer *at; size_t n, room; } offers;
};

/* Letters, digits, and what stands for itself in every shell. */
static bool is_plain(const char *s)
{
	return strspn(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.:/@%+-,=") == strlen(s);
}

/* What stands in the tables of this program. */
static void offer(struct completion *x, const char *word, const char *doc)
{
	if (!strncmp(word, x->word, strlen(x->word)))
		list_add(&x->offers, x->s.arena) = (struct offer){ word, doc };
}

/* What somebody else wrote: kept only if it is plain, and begins as neither an option nor a word of ours to the script. */
static void offer_foreign(const char *word, void *arg)
{
	struct completion *x = arg;

	if (!strncmp(word, x->word, strlen(x->word)) && is_plain(word) && *word && !strchr("-=:%+", *word))
		offer(x, arena_strdup(x->s.arena, word), NULL);
}

/* --- what policy and machine say ---------------------------------------------- */

/* Return: NULL where there is none, or it is no file: a pipe is read once, and not by us. */
static struct policy *policy_of(struct completion *x)
{
	struct stat st;

	if (!x->s.policy && stat(policy_path(&x->o), &st) == 0 && (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)))
		policy_load(x->s.arena, policy_path(&x->o), x->s.catalog, &x->s.policy, &x->s.diags);
	return x->s.policy;
}

static void offer_nodes(struct completion *x)
{
	if (policy_of(x))
		policy_words_nodes(x->s.policy, NODES_MAX, offer_foreign, x);
}

static void offer_ports(struct completion *x)
{
	if (policy_of(x))
		policy_words_groups(x->s.policy, x->s.arena, offer_foreign, x);
	if (!(x->command->options & OPTION_MACHINE) || session_facts(&x->s))
		return;
	for (size_t i = 0; i < x->s.facts->nports; i++) {
		const struct port *p = &x->s.facts->port[i];

		offer_foreign(p->name, x);
		offer_foreign(p->ibdev, x);
		if (*x->word)		/* who types an address knows what it is */
			offer_foreign(p->bdf, x);
	}
}

static void offer_tiers(struct completion *x)
{
	bool both = strchr(x->word, '/') || (policy_of(x) && policy_fabric_at(x->s.policy, 1));
	const struct fabric *f;

	for (size_t i = 0; policy_of(x) && (f = policy_fabric_at(x->s.policy, i)) != NULL; i++)
		for (size_t j = 0; j < f->ntiers; j++) {
			offer_foreign(f->tier[j].name, x);
			if (both)
				offer_foreign(arena_printf(x->s.arena, "%s/%s", f->name, f->tier[j].name), x);
		}
}

static const char *run_doc(struct completion *x, int64_t run)
{
	struct past *p;
	const char *said;

	if (past_load_run(x->s.kernel, x->s.arena, run, &p, &x->s.diags) < 0)
		return NULL;
	said = arena_printf(x->s.arena, "%s %s %s", p->head.at, p->head.command, p->result ? p->result : "");
	past_done(p);
	return text_safe(x->s.arena, said, strlen(said), DOC_COLUMNS);
}

static void offer_runs(struct completion *x)
{
	const int64_t *run;
	size_t n;

	if (session_machine(&x->s) || past_runs(x->s.kernel, x->s.arena, &run, &n, &x->s.diags) < 0)
		return;
	offer(x, "0", "before every run that is known");
	for (size_t i = n; i-- > 0;)
		offer(x, arena_printf(x->s.arena, "%lld", (long long)run[i]), n - i <= RUNS_TOLD ? run_doc(x, run[i]) : NULL);
}

/* --- what stands in tables ---------------------------------------------------- */

/* Prefixes of a name up to its dots ("qos" of "qos.pfc"), and itself; names of the policy's own, `*`, are no words. */
static void offer_setting(struct completion *x, const struct field *f)
{
	for (const char *dot = strchr(f->name, '.'); dot; dot = strchr(dot + 1, '.'))
		if (dot[-1] != '*')
			offer(x, arena_strndup(x->s.arena, f->name, (size_t)(dot - f->name)), NULL);
	if (!strchr(f->name, '*'))
		offer(x, f->name, f->doc);
}

static void offer_settings(struct completion *x)
{
	for (size_t i = 0; i < x->s.catalog->nsettings; i++)
		for (const struct field *f = x->s.catalog->setting[i]->fields; f->name; f++)
			offer_setting(x, f);
}

static void offer_topics(struct completion *x)
{
	const struct topic *t;

	for (unsigned i = 0; (t = topic_at(i)) != NULL; i++)
		offer(x, arena_strndup(x->s.arena, t->names, strcspn(t->names, " ")), t->out ? "out of scope" : "a topic");
}

static void offer_rules(struct completion *x)
{
	const struct lint_rule *r;

	for (size_t i = 0; (r = lint_rule(i)) != NULL; i++)
		offer(x, r->is.name, r->is.reason);
}

static void offer_systems(struct completion *x)
{
	const struct nos *nos;

	for (size_t i = 0; (nos = nos_at(i)) != NULL; i++)
		offer(x, nos->name, nos->called);
}

static void offer_asics(struct completion *x)
{
	const struct headroom_asic *asic;

	for (size_t i = 0; (asic = headroom_asic_at(i)) != NULL; i++)
		offer(x, asic->name, NULL);
}

static void offer_forms(struct completion *x)
{
	const char *form;

	for (size_t i = 0; (form = option_form(x->command, i)) != NULL; i++)
		offer(x, form, NULL);
}

static void offer_impacts(struct completion *x)
{
	for (enum impact idle = IMPACT_NONE; idle <= IMPACT_RELOAD; idle++) {
		offer(x, impact_name(idle), NULL);
		for (enum impact busy = IMPACT_NONE; strchr(x->word, '/') && busy <= IMPACT_RELOAD; busy++)
			offer(x, arena_printf(x->s.arena, "%s/%s", impact_name(idle), impact_name(busy)), NULL);
	}
}

static void offer_commands(struct completion *x)
{
	for (const struct command *const *c = commands; *c; c++)
		if ((*c)->run != command_complete.run)
			offer(x, (*c)->name, (*c)->does);
}

static void offer_files(struct completion *x)
{
	x->files = true;
}

static void offer_directories(struct completion *x)
{
	x->directories = true;
}

/* Kinds of words, as placeholders name them; a kind that is not here has no words. */
static const struct {
	const char *name;
	void (*offer)(struct completion *x);
} kinds[] = {
	{ "FILE", offer_files }, { "POLICY", offer_files }, { "DUMP", offer_files }, { "DIR", offer_directories },
	{ "COMMAND", offer_commands }, { "NODE", offer_nodes }, { "PORT", offer_ports }, { "TIER", offer_tiers },
	{ "RUN", offer_runs }, { "SETTING", offer_settings }, { "KEY", offer_settings }, { "TOPIC", offer_topics },
	{ "RULE", offer_rules }, { "NOS", offer_systems }, { "ASIC", offer_asics }, { "FORM", offer_forms },
	{ "IDLE", offer_impacts },
};

static void offer_placeholder(struct completion *x, const char *placeholder)
{
	const char *word;
	size_t n;

	while ((n = placeholder_word(&placeholder, &word)) != 0) {
		if (!placeholder_is_kind(word) && *word >= 'a' && *word <= 'z')
			offer(x, arena_strndup(x->s.arena, word, n), NULL);
		for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
			if (strlen(kinds[i].name) == n && !strncmp(kinds[i].name, word, n))
				kinds[i].offer(x);
	}
}

static void offer_options(struct completion *x)
{
	const struct option_row *o;

	for (size_t i = 0; (o = option_at(i)) != NULL; i++)
		if (o->doc && option_taken(x->command, o) && (o->how == TAKE_LIST || !(x->given >> i & 1)))
			offer(x, arena_printf(x->s.arena, "--%s", o->name), o->doc);
}

/* --- the words before the cursor ---------------------------------------------- */

static const struct option_row *option_short(char letter, size_t *i)
{
	const struct option_row *o;

	for (*i = 0; (o = option_at(*i)) != NULL && o->letter != letter; ++*i)
		;
	return o;
}

/* By its name or the beginning of just one, as getopt takes it; NULL: none. */
static const struct option_row *option_long(const char *name, size_t n, size_t *at)
{
	const struct option_row *o, *begins = NULL;
	size_t found = 0;

	for (size_t i = 0; (o = option_at(i)) != NULL; i++) {
		if (strncmp(o->name, name, n) != 0)
			continue;
		begins = o;
		*at = i;
		if (!o->name[n])
			return o;
		found++;
	}
	return found == 1 ? begins : NULL;
}

static void given(struct completion *x, const struct option_row *o, size_t i, const char *value)
{
	x->given |= UINT64_C(1) << i;
	if (o->how == TAKE_TEXT)
		*(const char **)((char *)&x->o + o->at) = value;
}

/* An option before the cursor. Return: the row whose value is the next word, or NULL. */
static const struct option_row *read_option(struct completion *x, const char *word, size_t *at)
{
	const struct option_row *o;
	size_t n;

	if (word[1] == '-') {
		n = strcspn(word + 2, "=");
		o = option_long(word + 2, n, at);
		if (!o || (o->value && !word[2 + n]))
			return o;
		given(x, o, *at, word[2 + n] ? word + 2 + n + 1 : NULL);
		return NULL;
	}
	for (const char *letter = word + 1; *letter; letter++) {
		o = option_short(*letter, at);
		if (!o)
			return NULL;
		if (o->value && !letter[1])
			return o;
		given(x, o, *at, letter + 1);
		if (o->value)
			return NULL;
	}
	return NULL;
}

static void read_words(struct completion *x, const char *const *word, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t at;

		if (x->ended || word[i][0] != '-' || !word[i][1]) {
			x->arguments++;
			continue;
		}
		if (!strcmp(word[i], "--")) {
			x->ended = true;
			continue;
		}
		x->option = read_option(x, word[i], &at);
		if (x->option && i + 1 < n) {
			given(x, x->option, at, word[++i]);
			x->option = NULL;
		}
	}
}

/* Of "--only=qos.pfc,mt" the value is being typed, and of that what is behind the comma. */
static void find_value(struct completion *x)
{
	const char *equal = strchr(x->word, '=');
	const char *start = x->word, *comma;
	size_t at;

	if (!x->option && !x->ended && !strncmp(x->word, "--", 2) && equal) {
		x->option = option_long(x->word + 2, (size_t)(equal - x->word) - 2, &at);
		x->word = equal + 1;
	}
	comma = x->option && x->option->how == TAKE_LIST ? strrchr(x->word, ',') : NULL;
	if (comma)
		x->word = comma + 1;
	x->lead = arena_strndup(x->s.arena, start, (size_t)(x->word - start));
}

static void complete_word(struct completion *x)
{
	const char *args = x->command->args;
	bool more = !x->arguments || strstr(args, "…");

	if (x->option) {
		if (x->option->value && option_taken(x->command, x->option))
			offer_placeholder(x, x->option->value);
		return;
	}
	if (*x->lead)
		return;			/* of an option that there is not */
	if (!x->ended && *x->word == '-') {
		offer_options(x);
		return;
	}
	if (more)
		offer_placeholder(x, args);
	if (!x->offers.n && !x->files && !x->directories && !*x->word && !x->ended)
		offer_options(x);
}

/* --- the answer --------------------------------------------------------------- */

static int by_word(const void *a, const void *b)
{
	const struct offer *x = a, *y = b;
	int r = strcmp(x->word, y->word);

	return r ? r : !x->doc - !y->doc;	/* one that says what it is comes first */
}

static bool same_beginning(const struct completion *x, size_t i, size_t n)
{
	return i && !strncmp(x->offers.at[i - 1].word, x->offers.at[i].word, n);
}

/* The longest beginnings of which there are not too many. */
static size_t beginning(const struct completion *x)
{
	size_t n = strlen(x->word) + 1, count = 1;

	for (; count && count <= BEGINNINGS_MAX; n++) {
		count = 0;
		for (size_t i = 0; i < x->offers.n && count <= BEGINNINGS_MAX; i++)
			count += !same_beginning(x, i, n + 1);
		if (n > 255)
			break;
	}
	return n - 1;
}

static void print_beginnings(struct completion *x, struct text *out)
{
	size_t n = beginning(x);

	text_add(out, ":open\n");
	for (size_t i = 0; i < x->offers.n; i++)
		if (!same_beginning(x, i, n))
			text_printf(out, "%s%.*s\n", x->lead, (int)n, x->offers.at[i].word);
}

static void unite(struct completion *x)
{
	size_t n = 0;

	if (x->offers.n)
		qsort(x->offers.at, x->offers.n, sizeof(x->offers.at[0]), by_word);
	for (size_t i = 0; i < x->offers.n; i++)
		if (!n || strcmp(x->offers.at[n - 1].word, x->offers.at[i].word) != 0)
			x->offers.at[n++] = x->offers.at[i];
	x->offers.n = n;
}

static void print_doc(struct completion *x, const char *doc, struct text *out)
{
	size_t n = strcspn(doc, ";");

	text_printf(out, "\t%s", text_safe(x->s.arena, doc, n, DOC_COLUMNS));
}

static void answer(struct completion *x, struct text *out)
{
	if (x->files || x->directories)
		text_add(out, x->files ? ":files\n" : ":directories\n");
	if (!is_plain(x->lead))
		return;			/* it would be given out again as it is */
	unite(x);
	if (x->offers.n > WORDS_MAX) {
		print_beginnings(x, out);
		return;
	}
	for (size_t i = 0; i < x->offers.n; i++) {
		text_printf(out, "%s%s", x->lead, x->offers.at[i].word);
		if (x->offers.at[i].doc)
			print_doc(x, x->offers.at[i].doc, out);
		text_char(out, '\n');
	}
}

static void give_up(int signal)
{
	(void)signal;
	_exit(EXIT_SYNC);
}

/* A slow disk or a policy of megabytes: no word is better than a shell that hangs. */
static void be_quick(void)
{
	const struct itimerval patience = { .it_value = { .tv_usec = PATIENCE_MS * 1000 } };

	signal(SIGALRM, give_up);
	setitimer(ITIMER_REAL, &patience, NULL);
}

static int complete(struct session *s)
{
	const char *const *word = s->opt->arg;
	size_t n = (size_t)s->opt->nargs;
	struct completion x = { .o = { .color = "never", .to = -1, .watch = -1 }, .lead = "" };

	if (!n)
		return EXIT_SYNC;
	be_quick();
	x.command = n > 1 ? command_named(word[0]) : &command_help;
	if (!x.command)
		return EXIT_SYNC;
	x.s = (struct session){ .arena = s->arena, .opt = &x.o, .command = x.command, .catalog = s->catalog };
	diags_init(&x.s.diags, s->arena);	/* never told */
	read_words(&x, n > 1 ? word + 1 : word, n > 1 ? n - 2 : 0);
	x.word = word[n - 1];
	find_value(&x);
	complete_word(&x);
	answer(&x, &s->out);
	if (x.s.kernel)
		kernel_close(x.s.kernel);
	return EXIT_SYNC;
}

const struct command command_complete = {
	"complete", "-- [WORD]…", "Prints words that may stand at the end of a command line, for shells", OPTION_UNLISTED, complete,
};
