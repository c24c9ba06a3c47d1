/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A foreign program that people copy commands of. A file of this room is a table of them, and a line in list.h.
 * Command lines are parsed: options and keywords in any order, long ones with = or apart, letters in one word.
 */
#ifndef EXPLAIN_TOOL_H
#define EXPLAIN_TOOL_H

#include "explain/answer.h"
#include "explain/effects.h"
#include "explain/shell.h"

/* Words in this order behind the program's name, "pfc set", and what may stand behind them. */
struct form {
	const char *path;
	unsigned positions;		/* words that are no keywords */
	struct fact what;		/* its name is not looked at */
	const struct fact *keywords;
};

struct tool {
	const char *names;		/* "modprobe insmod"; all spellings */
	const char *is;			/* whose it is, and what it speaks to */
	const char *does;		/* NULL: explain() and the tables say it */
	const struct fact *options;	/* with dashes; NULL: it has none that matter */
	const struct form *forms;	/* NULL: no words before the keywords */
	void (*explain)(struct answer *a, const struct tool *t);	/* NULL: options, or forms where there are */
	enum exists exists;
	const char *device;		/* spelling of the option that names it, "-i" */
	const char *flags;		/* those before its first word that take one: "-n --netns"; NULL: none */
	const char *no_policy;		/* why it has no policy line, where it offers none */
	bool of_modprobe_d;		/* a line of those files */
};

/**
 * tool_options - reads the command's words from @first on by the tool's options; what is none is in a->rest
 * Unknown options are told, with the nearest. Nothing else is told yet: tool_tell() does.
 */
void tool_options(struct answer *a, const struct fact *options, size_t first);
/** tool_keywords - the same for "prio-pfc 3:on delay 20"; @positions words may stand anywhere that are no keyword */
void tool_keywords(struct answer *a, const struct fact *keywords, size_t first, unsigned positions);
/** tool_tell - answer_fact() for each argument found */
void tool_tell(struct answer *a);
/** tool_unknown - there is no such option or keyword @word; names the nearest of @table */
void tool_unknown(struct answer *a, const char *what, const char *word, const struct fact *table);
/** tool_first - number of the command's first word behind the flags of the tool, "-j", "-n NAME"; or of words at all */
size_t tool_first(const struct answer *a, const struct tool *t);
/** tool_forms - the whole of a tool that has forms */
void tool_forms(struct answer *a, const struct tool *t);
/** tool_explain - the answer for a command of this tool */
void tool_explain(struct answer *a, const struct tool *t);
/** tool_find - by the program's name; NULL: not known */
const struct tool *tool_find(const char *name);
/** tool_nearest - the name of a tool that is spelled most like @name, or NULL */
const char *tool_nearest(const char *name, struct arena *a);

/** tool_number - a number as C and the kernel read it (0x1a, 010, 26); false: it is none */
bool tool_number(const char *s, int64_t *v);
/** tool_share - the per cent that @s begins with, 0 if with none; all that is far beyond 100 alike: eight of them can be added */
int tool_share(const char *s);
/** tool_list - "0,0,1,0" cut at @separators; a->arena's */
void tool_list(struct answer *a, const char *s, const char *separators, struct lines *out);
/** tool_mask - a list of eight 0 or 1 becomes the list of priorities at @key */
void tool_mask(struct answer *a, const char *key, const char *value, const char *separators);
/** tool_thresholds - where Kmin, Kmax and Pmax of a switch stand in a policy; each NULL if not given */
void tool_thresholds(struct answer *a, const char *kmin, const char *kmax, const char *pmax);
/** tool_switch - @key is true for a word of @on ("on true 1", the usual one first), false for one of @off; else told */
void tool_switch(struct answer *a, const char *key, const char *value, const char *on, const char *off);
/** tool_tos - says which DSCP a ToS byte holds, and offers roce.tos */
void tool_tos(struct answer *a, const char *value);

/** tool_echoed - what `echo` or `printf` writes: its words, without options, escapes and the newline at the end */
const char *tool_echoed(struct arena *a, const struct simple *c);

/* files.c, sysctl.c, modprobe.c: what is not a program */
void explain_file(struct answer *a, const char *path, const char *value, bool append);
/** explain_configuration - lines that are written to a file of /etc; false: it is none that is known */
bool explain_configuration(struct answer *a, const char *path, const char *value, bool append);
void explain_sysctl(struct answer *a, const char *key, const char *value, const struct effect *e);
void explain_module_options(struct answer *a, const char *module, const char *const *option, size_t n);
void explain_module_load(struct answer *a, const char *module, bool at_boot);
/** explain_variable - "NCCL_IB_TC=106"; false: nothing is known of it */
bool explain_variable(struct answer *a, const char *assignment);

#define TOOLS(name) extern const struct tool tools_##name[];
#include "explain/list.h"
#undef TOOLS

#endif
