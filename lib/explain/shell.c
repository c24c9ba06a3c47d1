/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shell words, as far as published commands go: quotes, backslashes, redirections, pipes, lists, loops around them,
 * and the programs that start others. Nothing is expanded and nothing is run.
 */
#include "explain/shell.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"

struct words {
	const char **at;
	size_t n, room;
};

struct reader {
	struct arena *arena;
	struct script *script;
	const char *s;			/* what is left */
	const char *why;
	unsigned depth;
	bool piped;			/* the next command reads from a pipe */
	const char *folder;		/* where `cd` went; NULL: nowhere yet */
	const char *input;		/* of the command that is read: what stands behind <<< */
	struct words words;
	struct { struct redirect *at; size_t n, room; } redirects;
};

static int split(struct reader *r);

/* --- words ------------------------------------------------------------------- */

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static bool ends_word(char c)
{
	return !c || is_blank(c) || strchr("\n;|&<>()", c);
}

/* Behind $( or `, to the end of the substitution; NULL: it has none. */
static const char *substitution_end(const char *s)
{
	int depth = 0;

	if (*s == '`') {
		s = strchr(s + 1, '`');
		return s ? s + 1 : NULL;
	}
	for (; *s; s++) {
		depth += *s == '(';
		depth -= *s == ')';
		if (*s == ')' && !depth)
			return s + 1;
	}
	return NULL;
}

static bool starts_substitution(const char *s)
{
	return *s == '`' || (s[0] == '$' && s[1] == '(');
}

/* $'…' and $"…" of bash are read as without the $: escapes stay, which is near enough for a value. */
static const char *quoted(const char *s, struct text *out)
{
	char quote = *s++;

	for (; *s && *s != quote; s++) {
		if (quote == '"' && *s == '\\' && s[1] && strchr("\\\"$`\n", s[1]))
			s++;
		text_char(out, *s);
	}
	return *s ? s + 1 : NULL;
}

/* One word; what it means stays together with how it was quoted only in that quotes are gone. */
static int read_word(struct reader *r)
{
	TEXT_CLEANUP struct text word = { 0 };
	const char *s = r->s, *end;

	while (!ends_word(*s)) {
		if (*s == '\'' || *s == '"' || (*s == '$' && (s[1] == '\'' || s[1] == '"'))) {
			s = quoted(s + (*s == '$'), &word);
		} else if (starts_substitution(s)) {
			end = substitution_end(s);
			if (end)
				text_addn(&word, s, (size_t)(end - s));
			s = end;
		} else if (*s == '\\' && s[1]) {
			if (s[1] != '\n')
				text_char(&word, s[1]);
			s += 2;
		} else {
			text_char(&word, *s++);
		}
		if (!s) {
			r->why = "a quote or a substitution is left open";
			return -EINVAL;
		}
	}
	r->s = s;
	list_add(&r->words, r->arena) = arena_strndup(r->arena, text_str(&word), word.n);
	return 0;
}

/* --- redirections -------------------------------------------------------------- */

static bool is_number(const char *s, const char *end)
{
	if (s == end)
		return false;
	while (s < end && isdigit((unsigned char)*s))
		s++;
	return s == end;
}

/* A word of digits right before < or > is a file descriptor. */
static bool takes_descriptor(const struct reader *r, const char *before)
{
	return r->words.n && before > r->s && is_number(r->s, before) && (*before == '>' || *before == '<');
}

static void skip_blanks(struct reader *r)
{
	while (is_blank(*r->s) || (r->s[0] == '\\' && r->s[1] == '\n'))
		r->s += *r->s == '\\' ? 2 : 1;
}

/* Behind the first < of "<<< WORD". */
static int read_string(struct reader *r)
{
	size_t n = r->words.n;

	r->s += 2;
	skip_blanks(r);
	if (read_word(r) < 0)
		return -EINVAL;
	r->input = r->words.at[n];
	r->words.n = n;
	return 0;
}

/* At < or >: "> F", ">> F", "2> F", ">| F", "2>&1", "&> F", "< F". */
static int read_redirect(struct reader *r, bool errors)
{
	struct redirect to = { .op = *r->s++, .errors = errors };
	size_t n = r->words.n;

	if (to.op == '<' && !strncmp(r->s, "<<", 2))
		return read_string(r);
	if (to.op == '<' && *r->s == '<') {
		r->why = "here-documents are not read: give the commands alone, or the line that is to be written, "
			 "with echo";
		return -EINVAL;
	}
	if (to.op == '>' && *r->s == '>') {
		to.op = 'a';
		r->s++;
	}
	if (*r->s == '|' || *r->s == '&')
		r->s++;
	skip_blanks(r);
	if (ends_word(*r->s)) {
		r->why = "a redirection leads nowhere";
		return -EINVAL;
	}
	if (read_word(r) < 0)
		return -EINVAL;
	to.path = r->words.at[n];
	r->words.n = n;
	if (!is_number(to.path, to.path + strlen(to.path)) && strcmp(to.path, "-") != 0)
		list_add(&r->redirects, r->arena) = to;
	return 0;
}

/* --- what wraps a command --------------------------------------------------------- */

static bool is_assignment(const char *s)
{
	const char *p = s;

	if (!isalpha((unsigned char)*p) && *p != '_')
		return false;
	while (isalnum((unsigned char)*p) || *p == '_')
		p++;
	return *p == '=';
}

/* Programs that start another one. What ssh and the like join and give to a shell may be one word: 'mlnx_qos -i eth0'. */
static const struct wrapper {
	const char *name, *options;	/* letters of those that take a word */
	const char *longs;		/* the same, spelled out; "": none */
	unsigned words;			/* that come before the command */
	bool stays;			/* it is told as well */
	bool joins;
} wrappers[] = {
	{ "sudo", "ugCDhpRrTtU", "user group close-from chdir host prompt chroot role command-timeout type other-user", 0, false, false },
	{ "doas", "uC", "", 0, false, false },
	{ "env", "uCS", "unset chdir split-string", 0, false, false },
	{ "export", "", "", 0, false, false },
	{ "declare", "", "", 0, false, false },
	{ "nohup", "", "", 0, false, false },
	{ "setsid", "", "", 0, false, false },
	{ "command", "", "", 0, false, false },
	{ "builtin", "", "", 0, false, false },
	{ "eval", "", "", 0, false, true },
	{ "exec", "a", "", 0, false, false },
	{ "time", "fo", "format output", 0, false, false },
	{ "nice", "n", "adjustment", 0, false, false },
	{ "ionice", "cnp", "class classdata", 0, false, false },
	{ "chrt", "", "", 1, false, false },
	{ "chroot", "", "", 1, false, false },
	{ "nsenter", "tSG", "target setuid setgid", 0, false, false },
	{ "taskset", "", "", 1, false, false },
	{ "timeout", "ks", "kill-after signal", 1, false, false },
	{ "stdbuf", "ioe", "input output error", 0, false, false },
	{ "strace", "eopsu", "", 0, false, false },
	{ "watch", "n", "interval", 0, false, true },
	{ "xargs", "InPLd", "max-args max-procs max-chars delimiter arg-file", 0, false, false },
	{ "python", "", "", 0, false, false },
	{ "python3", "", "", 0, false, false },
	{ "ssh", "BbcDEeFIiJLlmOoPpQRSWw", "", 1, false, true },
	{ "pdsh", "wxgXlutfR", "", 0, false, true },
	{ "clush", "wxgXGlutfoO", "nodes exclude group user fanout options", 0, false, true },
	{ "numactl", "NmCpi", "cpunodebind membind physcpubind preferred interleave", 0, true, false },
};

/* Words of the shell that stand before a command. */
static const char *const keywords[] = { "do", "then", "else", "elif", "if", "while", "until", "{", "!", NULL };
/* Words that begin or end a loop, and are none. */
static const char *const frames[] = { "for", "done", "fi", "case", "esac", "}", "function", "select", NULL };

static bool among(const char *s, const char *const *words)
{
	for (; *words; words++)
		if (!strcmp(*words, s))
			return true;
	return false;
}

static const struct wrapper *find_wrapper(const char *word)
{
	for (size_t i = 0; i < sizeof(wrappers) / sizeof(wrappers[0]); i++)
		if (!strcmp(wrappers[i].name, shell_basename(word)))
			return &wrappers[i];
	return NULL;
}

bool shell_among(const char *words, const char *s)
{
	size_t n = strlen(s);

	for (; *words && n; words += strcspn(words, " "), words += *words == ' ')
		if (strcspn(words, " ") == n && !strncmp(words, s, n))
			return true;
	return false;
}

/* Does this option of a wrapper take the word behind it? "-u root", "-nu root", "--user root"; not "-uroot", "--user=root". */
static bool takes_word(const struct wrapper *w, const char *option)
{
	if (option[1] == '-')
		return shell_among(w->longs, option + 2);
	for (option++; *option; option++)
		if (strchr(w->options, *option))
			return !option[1];
	return false;
}

/* How many words the wrapper is, with its options and what it wants before the command. */
static size_t wrapper_words(const struct wrapper *w, const struct simple *c)
{
	size_t i = 1, needed = w->words;

	for (; i < c->n; i++) {
		if (!strcmp(c->word[i], "--"))
			return i + 1;
		if (c->word[i][0] == '-') {
			i += takes_word(w, c->word[i]);
			continue;
		}
		if (is_assignment(c->word[i]))
			return i;
		if (!needed--)
			return i;
	}
	return c->n;
}

static void drop_words(struct simple *c, size_t n)
{
	c->word += n;
	c->n -= n;
}

/* NAME=value words at the start; returns how many. */
static size_t take_variables(struct reader *r, struct simple *c)
{
	struct words variables = { .at = c->variable, .n = c->nvariables, .room = c->nvariables };
	size_t n = 0;

	for (; n < c->n && is_assignment(c->word[n]); n++)
		list_add(&variables, r->arena) = c->word[n];
	c->variable = variables.at;
	c->nvariables = variables.n;
	drop_words(c, n);
	return n;
}

/* `ip netns exec NAME COMMAND` */
static size_t netns_words(const struct simple *c)
{
	static const char *const words[] = { "ip", "netns", "exec" };

	if (c->n < 5)
		return 0;
	for (size_t i = 0; i < 3; i++)
		if (strcmp(shell_basename(c->word[i]), words[i]) != 0)
			return 0;
	return 4;
}

static int add_simple(struct reader *r, const struct simple *c)
{
	if (r->script->n == SHELL_COMMANDS_MAX) {
		r->why = arena_printf(r->arena, "more than %d commands: give fewer at a time", SHELL_COMMANDS_MAX);
		return -EINVAL;
	}
	list_add(r->script, r->arena) = *c;
	return 0;
}

/* The script of `sh -c SCRIPT`, `su - root -c SCRIPT`; NULL: it is something else. */
static const char *inner_script(const struct simple *c)
{
	static const char *const shells[] = { "sh", "bash", "dash", "ash", "zsh", "ksh", "su", NULL };

	if (!c->n || !among(shell_basename(c->word[0]), shells))
		return NULL;
	for (size_t i = 1; i + 1 < c->n; i++) {
		const char *word = c->word[i];

		if (word[0] == '-' && word[1] != '-' && strchr(word, 'c'))
			return c->word[i + 1];
	}
	return NULL;
}

static int enter(struct reader *r, const char *inner)
{
	struct reader below = { .arena = r->arena, .script = r->script, .s = inner, .depth = r->depth + 1, .folder = r->folder };
	int err;

	if (below.depth > SHELL_NESTING_MAX) {
		r->why = "too many shells inside each other";
		return -EINVAL;
	}
	err = split(&below);
	if (err)
		r->why = below.why;
	return err;
}

/* Takes off what stands before the command. Return: 0, or -EINVAL. */
static int unwrap(struct reader *r, struct simple *c)
{
	while (c->n) {
		const struct wrapper *w = find_wrapper(c->word[0]);
		size_t n;

		if (take_variables(r, c) > 0)
			continue;
		n = among(c->word[0], keywords) ? 1 : netns_words(c);
		if (!n && !w)
			break;
		if (!n)
			n = wrapper_words(w, c);
		if (w && w->stays) {
			struct simple outer = { .word = arena_array_of(r->arena, const char *, n + 1), .n = n,
			.heeded = true };

			memcpy(outer.word, c->word, n * sizeof(*outer.word));	/* NULL behind them */
			if (add_simple(r, &outer) < 0)
				return -EINVAL;
		}
		drop_words(c, n);
		if (w && w->joins && c->n == 1 && strpbrk(c->word[0], " \t\n;|&")) {
			const char *inner = c->word[0];

			drop_words(c, 1);
			return enter(r, inner);
		}
	}
	return 0;
}

/* Where `cd` goes from here; what is not said is not known. */
static const char *folder_after(struct reader *r, const char *to)
{
	return *to != '/' && r->folder ? arena_printf(r->arena, "%s/%s", r->folder, to) : to;
}

/* What was read since the last operator becomes a command. @pipe_follows: its output is piped on; @heeded: not `|| true` */
static int finish(struct reader *r, bool pipe_follows, bool heeded)
{
	struct simple c = { .n = r->words.n, .redirect = r->redirects.at,
			    .nredirects = r->redirects.n, .piped = r->piped, .heeded = heeded, .folder = r->folder,
			    .input = r->input };
	const char *inner;

	list_add(&r->words, r->arena) = NULL;
	c.word = r->words.at;
	r->words = (struct words){ 0 };
	memset(&r->redirects, 0, sizeof(r->redirects));
	r->input = NULL;
	r->piped = pipe_follows;
	if (c.n && among(c.word[0], frames))
		return 0;
	if (unwrap(r, &c) < 0)
		return -EINVAL;
	inner = inner_script(&c);
	if (inner)
		return enter(r, inner);
	if (!c.n && !c.nvariables && !c.nredirects)
		return 0;
	if (c.n == 2 && !strcmp(c.word[0], "cd"))
		r->folder = folder_after(r, c.word[1]);
	return add_simple(r, &c);
}

/* --- the line --------------------------------------------------------------------- */

static bool ignores_failure(const char *s)
{
	while (is_blank(*s))
		s++;
	return !strncmp(s, "true", 4) || !strncmp(s, ": ", 2) || !strcmp(s, ":");
}

/* At an operator: | || & && ; ;; ( ) newline. */
static int read_operator(struct reader *r)
{
	char c = *r->s++;
	bool twice = *r->s == c && (c == '|' || c == '&' || c == ';'), pipe = c == '|' && !twice;

	if (c == '&' && *r->s == '>') {			/* &> F: both into F */
		return read_redirect(r, false);
	}
	r->s += twice || (pipe && *r->s == '&');
	return finish(r, pipe, !(twice && c == '|' && ignores_failure(r->s)));
}

static int split(struct reader *r)
{
	int err = 0;

	while (err == 0 && (skip_blanks(r), *r->s)) {
		const char *end = r->s + strspn(r->s, "0123456789");

		if (*r->s == '#') {
			r->s += strcspn(r->s, "\n");
		} else if (*r->s == '<' || *r->s == '>') {
			err = read_redirect(r, false);
		} else if (takes_descriptor(r, end)) {
			bool errors = *r->s == '2' && end == r->s + 1;

			r->s = end;
			err = read_redirect(r, errors);
		} else if (ends_word(*r->s)) {
			err = read_operator(r);
		} else {
			err = read_word(r);
		}
	}
	return err ? err : finish(r, false, true);
}

/* A prompt that was copied along: "# mlnx_qos", "$ mlnx_qos" */
static const char *without_prompt(const char *s)
{
	while (isspace((unsigned char)*s))
		s++;
	while ((*s == '#' || *s == '$') && s[1] == ' ')
		s += 2;
	return s;
}

int shell_split(struct arena *a, const char *line, struct script *script, const char **why)
{
	struct reader r = { .arena = a, .script = script, .s = without_prompt(line) };
	int err;

	if (strlen(line) > SHELL_LINE_MAX) {
		*why = arena_printf(a, "longer than %d bytes: give one command", SHELL_LINE_MAX);
		return -EINVAL;
	}
	err = split(&r);
	if (err)
		*why = r.why;
	return err;
}

/* --- back to text --------------------------------------------------------------- */

static void add_word(struct text *t, const char *s)
{
	if (t->n)
		text_char(t, ' ');
	text_add_word(t, s, true);
}

const char *shell_words(struct arena *a, const struct simple *c)
{
	TEXT_CLEANUP struct text t = { 0 };

	for (size_t i = 0; i < c->nvariables && !c->n; i++)
		add_word(&t, c->variable[i]);
	for (size_t i = 0; i < c->n; i++)
		add_word(&t, c->word[i]);
	for (size_t i = 0; i < c->nredirects; i++) {
		const struct redirect *to = &c->redirect[i];

		text_printf(&t, " %s%s", to->errors ? "2" : "", to->op == 'a' ? ">>" : to->op == '>' ? ">" : "<");
		add_word(&t, to->path);
	}
	return arena_strndup(a, text_str(&t), t.n);
}

bool shell_open_value(const char *s)
{
	return strpbrk(s, "$`") != NULL;
}

const char *shell_basename(const char *s)
{
	const char *slash = strrchr(s, '/');

	return slash && slash[1] ? slash + 1 : s;
}
