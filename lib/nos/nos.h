/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Switch systems. Each renders what a policy wants of a tier from a template, and reads a configuration back into records of
 * ports; the two share no table, so that the one proves the other. A system is a file here, a line in list.h, and a template.
 */
#ifndef NOS_NOS_H
#define NOS_NOS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "fabric/switch_port.h"
#include "nos/tree.h"

struct arena;
struct vars;
struct record;
struct row;
struct text;

/* What is remembered while ports are read: of the file's top, and of the value that is being read. */
struct switch_notes {
	struct tree index;		/* lines of the top by pattern and name */
	struct { struct { const void *of; void *is; } *at; size_t n, room; } memo;
	const struct word *unsure;	/* a line that may have taken back what is read: it is unknown */
	const struct word *port_unsure;	/* the same of all values of this port */
};

/* A configuration that was read. */
struct switch_file {
	struct arena *arena;
	struct diags *diags;
	const struct source *source;
	const struct nos *nos;
	struct tree tree;
	struct { const char **at; size_t n, room; } port;	/* names in the file, each once */
	struct { const char **at; size_t n, room; } star;	/* of these, patterns */
	struct tree ports;		/* the same, to find them; below each, the keys of its sections */
	size_t named;			/* ports named so far, those of lists and ranges each by itself */
	struct switch_notes *notes;
};

/* A link of a tier, as one system can say it. */
struct switch_link {
	const struct fabric_tier *tier;
	const struct fabric_link *link;
	struct record *want;		/* express() has rounded it */
	const char *profile;		/* "rdma_leaf_down": a name for what belongs to this link alone */
};
struct switch_tier {
	struct arena *arena;
	const struct fabric *fabric;
	const struct fabric_tier *tier;
	const struct nos *nos;
	uint64_t may_lack;		/* bits of SWITCH_*: what need not be in a file; express() adds to those of the system */
	struct switch_link *link;
	size_t n;
};

struct nos {
	const char *name;		/* as policies say it; its template is templates/switch/NAME */
	enum fabric_nos id;
	const char *called;		/* "SONiC" */
	uint64_t says;			/* bits of SWITCH_*: what its configuration can say of a port */
	uint64_t may_lack;		/* of these, what need not be in a file */
	/* What of this tier's configuration no source confirmed, so that it takes --unverified; NULL: nothing. */
	const char *(*unverified)(const struct switch_tier *t);
	const char *against;		/* lead of a line that --against prints: "nv set"; NULL: lines as they are */
	bool patch;			/* --against prints a JSON patch */
	/* Rounds what this system cannot say exactly, with a word, or refuses it. Return: 0 or -EINVAL, told. */
	int (*express)(struct switch_tier *t, struct diags *d);
	/* Names that only its template knows: of one link, and of the tier (@l NULL). NULL: it has none. */
	void (*names)(const struct switch_tier *t, const struct switch_link *l, struct vars *n);
	/* Reads f->source into f->tree and f->port. Return: 0; -EINVAL, told: it is no configuration of this system. */
	int (*parse)(struct switch_file *f);
	/* Fills the record of one port with what the file says of it; what it does not say stays silent. */
	void (*port)(struct switch_file *f, const char *port, struct record *have);
	/* Is this text a configuration of this system, judged by its beginning and words; NULL: by its marks alone. */
	bool (*looks)(const struct source *s);
	const char *const *marks;	/* words that only configurations of this system have; NULL at the end */
	const char *const *types;	/* of its interfaces (port_name()); NULL: names are what they are */
};

/** nos_at - the system of this number, or NULL behind the last; nos_find - by name */
const struct nos *nos_at(size_t i);
const struct nos *nos_find(const char *name);
const struct nos *nos_of(enum fabric_nos id);
/** nos_guess - whose configuration a text looks like, or NULL */
const struct nos *nos_guess(const struct source *s);

/** nos_tier - what a policy wants of a tier, as @nos can say it. Return: 0; -EINVAL: it cannot, told */
int nos_tier(struct arena *a, const struct nos *nos, const struct fabric *f, const struct fabric_tier *tier,
	     struct switch_tier **out, struct diags *d);
/**
 * nos_render - the configuration of a switch of a tier, and read back before it is given out
 * @dir: folder of templates, NULL: those that were built in
 * Return: 0; -EINVAL, told: no ports, a bad template, or one that loses a value.
 */
int nos_render(struct switch_tier *t, const char *dir, struct text *out, struct diags *d);
/** nos_read - a configuration. Return: 0; -EINVAL, told: it is none of this system, or looks like one of another */
int nos_read(struct arena *a, const struct nos *nos, const struct source *s, struct switch_file **out, struct diags *d);
/**
 * nos_compare - a row for each value that a tier wants of each port, in the order of the policy
 * Of a link without ports, each port of the file that no other link has is judged.
 */
void nos_compare(const struct switch_tier *t, struct switch_file *f, struct row **row, size_t *n);
/** nos_against - what of the text @want is not in @base: a JSON patch (RFC 6902) or lines */
int nos_against(const struct nos *nos, const struct source *want, const struct source *base, struct arena *a,
		struct text *out, struct diags *d);

/* For the systems' files. */
bool conf_has_port(const struct switch_file *f, const char *port);
/** conf_ports - all ports of a list are in the file */
void conf_ports(struct switch_file *f, const char *list);
/** conf_same - do two names mean the same port on this system */
bool conf_same(const struct switch_file *f, const char *a, const char *b);
/**
 * conf_section - a section of the file (an interface or a list of them) belongs to these ports
 * conf_sections - the sections of one port, below @up: those of patterns first, then in the order of the file
 * Return: how many were put into @out, at most CONF_SECTIONS.
 */
enum { CONF_SECTIONS = 32 };
void conf_section(struct switch_file *f, const struct word *section, const char *ports);
size_t conf_sections(const struct switch_file *f, const struct word *up, const char *port, const struct word *out[CONF_SECTIONS]);
/* Where lines of a port stand, those that beat others last; from @own on, the line that stands last in the file. */
struct conf_place {
	const struct word *at[CONF_SECTIONS * 2];
	size_t n, own;
};
struct line_args;
/*
 * Doubt. What is said with conf_say() while a line is in doubt is unknown, with that line as the reason, until conf_fresh().
 * conf_doubt - this line may have changed what is read; conf_sure - the same of a line that marks this word or one above it
 * conf_takes - is this line a no or default that may take back a line that says @pattern; if it is and nothing of its own section
 * went with it, it may have taken back what was @said before
 */
void conf_fresh(const struct switch_file *f);
void conf_doubt(const struct switch_file *f, const struct word *w);
void conf_sure(const struct switch_file *f, const struct word *w);
bool conf_takes(const struct switch_file *f, const struct word *w, const char *pattern, bool said);
/** conf_doubt_marking - is there a doubt, then what was read of queue @q's marking is in it as well */
void conf_doubt_marking(const struct switch_file *f, struct record *have, unsigned q);
/** conf_serve - *@share, strict or in percent, is said by @w; a queue that is said to be both is one that no switch has */
void conf_serve(const struct switch_file *f, const struct word *w, uint8_t now, uint8_t *share);
/** conf_line - the last line that says @pattern in any of them, or NULL; conf_global - the same of the file's top */
const struct word *conf_line(const struct switch_file *f, const struct conf_place *p, const char *pattern, struct line_args *args);
const struct word *conf_global(const struct switch_file *f, const char *pattern, struct line_args *args);
/** conf_below - conf_line() of one section */
const struct word *conf_below(const struct switch_file *f, const struct word *w, const char *pattern, struct line_args *args);
/** conf_named - the last section of the file's top that says @pattern with this name for its %, or NULL */
const struct word *conf_named(const struct switch_file *f, const char *pattern, const char *name);
/** conf_named_number - the number from 0 to 7 that a line of that section has for the % of @line. false: it has none */
bool conf_named_number(const struct switch_file *f, const char *pattern, const char *name, const char *line, unsigned *n);
/** conf_bound - the section that a line of the port names, or else one of "system qos": @bind and @section with the name as % */
const struct word *conf_bound(const struct switch_file *f, const struct conf_place *p, const char *bind, const char *section);
/** conf_says - does any section of this interface ("Port-Channel", "3") say one of @patterns (NULL at the end) */
bool conf_says(const struct switch_file *f, const char *type, const char *number, const char *const *patterns);
/** conf_changes - a line that says one of @patterns changes what is read next: that is in doubt */
void conf_changes(const struct switch_file *f, const struct conf_place *p, const char *const *patterns);
/** conf_pauses - a port that pauses as a whole (802.3x) does not heed priorities: what is read next is in doubt */
void conf_pauses(const struct switch_file *f, const struct conf_place *p);
/**
 * conf_channel - puts what the port channel of a port (type @type) says before @n sections of @p, which are the port's own
 * It counts where the port says nothing; where both say another line of @patterns, all of the port is in doubt.
 */
void conf_channel(const struct switch_file *f, const char *type, const char *const *patterns, struct conf_place *p);
/** conf_narrow - from @depth levels below @up on, no word has more words below it than a switch takes. Return: 0; -EINVAL, told */
int conf_narrow(const struct switch_file *f, const struct word *up, unsigned depth);
/** conf_memo - @size bytes that are kept for @of, zero the first time */
void *conf_memo(const struct switch_file *f, const void *of, size_t size, bool *first);
/* What a running-config is known by. */
struct conf_form {
	const char *interface;		/* its ports stand as "..." */
	const char *but[3];		/* lines that are none, though they begin so; NULL at the end */
	const char *known[4];		/* other lines that only such a file has; NULL at the end */
	const char *what;		/* "no running-config: it has neither interfaces nor …" */
	const struct tree_text *texts;	/* what in it is no configuration */
};
/** conf_running - takes an indented running-config apart. Return: 0; -EINVAL: it is none, told at its first line */
int conf_running(struct switch_file *f, const struct conf_form *form);
void conf_say(const struct switch_file *f, struct cell *c, const struct word *w, int64_t num);
void conf_say_kb(const struct switch_file *f, struct cell *c, const struct word *w, int64_t kb);	/* switch_port_kb() */
void conf_say_map(const struct switch_file *f, struct cell *c, const struct word *w, const uint8_t *map, size_t n);
/** conf_number - of a word; false, and a note, if it is none or above @max */
bool conf_number(const struct switch_file *f, const struct word *w, uint64_t max, int64_t *n);
bool conf_has(const struct source *s, const char *words);		/* does the text hold these bytes */

#define SAYS(field) (UINT64_C(1) << (field))

#endif
