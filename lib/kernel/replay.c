/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading a dump: the recorded answers of another machine (format: dump.c). A question's key holds its kind and all
 * that was asked; its answers come in the order in which they were given, and the last one stays. The file is
 * foreign: lines, sizes and depth are bounded, and whatever is not as it must be ends the reading with its line.
 */
#include "kernel/dump.h"

#include <errno.h>
#include <linux/netlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/json.h"
#include "base/text.h"
#include "kernel/dump_parts.h"
#include "kernel/kernel.h"
#include "kernel/lldp.h"

#define DUMP_MAX   ((size_t)256 << 20)
#define LINE_MAX_  ((size_t)16 << 20)
#define LINES_MAX  (1u << 20)
#define ERRNO_MAX  4095
#define BUCKETS	   4096u
#define HEADER_MAX 255
#define FORMAT	   1

struct answer {
	struct answer *next;
	int err;
	const char *bytes;		/* read, link, talk, ethtool */
	size_t n;
	struct names names;
	struct kernel_stat st;
	struct verbs_port verbs;
	const struct gid_entry *gid;	/* n of them */
	struct lldp *lldp;
};

struct asked {
	struct asked *next;
	struct answer *answer, **last;	/* the one that comes next; where one more is hung */
	uint64_t hash;
	size_t n;
	char key[];
};

struct replay {
	struct arena *arena;
	struct asked *bucket[BUCKETS];
};

/* --- questions --------------------------------------------------------------------- */

static uint64_t hash_of(const char *s, size_t n)
{
	uint64_t h = 14695981039346656037u;

	for (size_t i = 0; i < n; i++)
		h = (h ^ (uint8_t)s[i]) * 1099511628211u;
	return h;
}

static struct asked *find(struct replay *r, const struct text *key)
{
	uint64_t hash = hash_of(key->s, key->n);
	struct asked *q = r->bucket[hash % BUCKETS];

	while (q && (q->hash != hash || q->n != key->n || memcmp(q->key, key->s, key->n)))
		q = q->next;
	return q;
}

static struct asked *find_or_add(struct replay *r, const struct text *key)
{
	struct asked *q = find(r, key), **head;

	if (q)
		return q;
	q = arena_alloc(r->arena, sizeof(*q) + key->n + 1);
	memcpy(q->key, key->s, key->n);
	q->n = key->n;
	q->hash = hash_of(key->s, key->n);
	q->last = &q->answer;
	head = &r->bucket[q->hash % BUCKETS];
	q->next = *head;
	*head = q;
	return q;
}

static void key_of_talk(struct text *key, int protocol, const void *request, size_t n)
{
	text_printf(key, "talk %d ", protocol);
	text_addn(key, request, n);
	if (n >= sizeof(struct nlmsghdr))
		memset(key->s + key->n - n + offsetof(struct nlmsghdr, nlmsg_seq), 0, 8);
}

/* The next answer, or one that says that nobody asked. */
static const struct answer *answer_to(struct kernel *k, const struct text *key)
{
	static const struct answer never = { .err = -ENODATA };
	struct asked *q = find(k->self, key);
	const struct answer *a = q ? q->answer : &never;

	if (q && a->next)
		q->answer = a->next;
	return a;
}

static const struct answer *answer_of(struct kernel *k, const char *kind, const char *what)
{
	TEXT_CLEANUP struct text key = { 0 };

	text_printf(&key, "%s %s", kind, what);
	return answer_to(k, &key);
}

/* --- doors ------------------------------------------------------------------------- */

static int replay_bytes(const struct answer *a, struct text *out)
{
	if (a->err == 0)
		text_addn(out, a->bytes, a->n);
	return a->err;
}

static int replay_read(struct kernel *k, const char *path, struct text *out)
{
	return replay_bytes(answer_of(k, "read", path), out);
}

static int replay_read_at(struct kernel *k, const char *path, uint32_t offset, void *to, size_t n)
{
	TEXT_CLEANUP struct text key = { 0 };
	const struct answer *a;

	text_printf(&key, "read_at %s %u", path, offset);
	a = answer_to(k, &key);
	if (a->err < 0)
		return a->err;
	n = n < a->n ? n : a->n;
	if (n)
		memcpy(to, a->bytes, n);
	return (int)n;
}

static int replay_link(struct kernel *k, const char *path, struct text *out)
{
	return replay_bytes(answer_of(k, "link", path), out);
}

static int replay_list(struct kernel *k, const char *path, struct names *out)
{
	const struct answer *a = answer_of(k, "list", path);

	if (a->err == 0)
		*out = a->names;
	return a->err;
}

static int replay_stat(struct kernel *k, const char *path, struct kernel_stat *st)
{
	const struct answer *a = answer_of(k, "stat", path);

	if (a->err == 0)
		*st = a->st;
	return a->err;
}

static int replay_mkdir(struct kernel *k, const char *path)
{
	return answer_of(k, "mkdir", path)->err;
}

static int replay_rmdir(struct kernel *k, const char *path)
{
	return answer_of(k, "rmdir", path)->err;
}

static int replay_talk(struct kernel *k, int protocol, const void *request, size_t n, struct text *reply)
{
	TEXT_CLEANUP struct text key = { 0 };

	key_of_talk(&key, protocol, request, n);
	return replay_bytes(answer_to(k, &key), reply);
}

static int replay_ethtool(struct kernel *k, const char *ifname, void *cmd, size_t n)
{
	TEXT_CLEANUP struct text key = { 0 };
	const struct answer *a;
	uint32_t number = 0;

	memcpy(&number, cmd, n < sizeof(number) ? n : sizeof(number));
	text_printf(&key, "ethtool %s %u", ifname, number);
	a = answer_to(k, &key);
	if (a->err == 0)
		memcpy(cmd, a->bytes, n < a->n ? n : a->n);
	return a->err;
}

static int replay_verbs(struct kernel *k, const char *ibdev, uint32_t port, struct verbs_port *out)
{
	TEXT_CLEANUP struct text key = { 0 };
	const struct answer *a;

	text_printf(&key, "verbs %s %u", ibdev, port);
	a = answer_to(k, &key);
	if (a->err == 0)
		*out = a->verbs;
	return a->err;
}

static int replay_gids(struct kernel *k, const char *ibdev, struct gid_entry *entry, size_t room, size_t *n)
{
	const struct answer *a = answer_of(k, "gids", ibdev);

	if (a->err < 0)
		return a->err;
	*n = a->n < room ? a->n : room;
	if (*n)
		memcpy(entry, a->gid, *n * sizeof(*entry));
	return 0;
}

static int replay_lldp(struct kernel *k, struct lldp *out)
{
	const struct answer *a = answer_of(k, "lldp", "neighbors");

	if (a->err == 0)
		*out = *a->lldp;
	return a->err;
}

static int replay_wait(struct kernel *k, uint32_t ms)
{
	(void)k;
	(void)ms;
	return 0;
}

static const struct kernel_ops replay_ops = {
	.read = replay_read,
	.read_at = replay_read_at,
	.list = replay_list,
	.link = replay_link,
	.stat = replay_stat,
	.mkdir = replay_mkdir,
	.rmdir = replay_rmdir,
	.talk = replay_talk,
	.ethtool = replay_ethtool,
	.verbs = replay_verbs,
	.gids = replay_gids,
	.lldp = replay_lldp,
	.wait = replay_wait,
};

/* --- lines ------------------------------------------------------------------------- */

static bool u32_of(struct json_object *o, const char *key, uint32_t *v)
{
	int64_t wide;

	if (!json_int_at(o, key, 0, UINT32_MAX, &wide))
		return false;
	*v = (uint32_t)wide;
	return true;
}

static int digit_of(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

const char *dump_hex_of(struct arena *a, struct json_object *o, const char *key, size_t *n)
{
	const char *s = json_text_at(o, key);
	size_t len = s ? strlen(s) : 1;
	char *to;

	if (len % 2)
		return NULL;
	to = arena_alloc(a, len / 2 + 1);
	for (size_t i = 0; i < len / 2; i++) {
		int high = digit_of(s[2 * i]), low = digit_of(s[2 * i + 1]);

		if (high < 0 || low < 0)
			return NULL;
		to[i] = (char)(high << 4 | low);
	}
	*n = len / 2;
	return to;
}

static int errno_of(const char *name)
{
	const char *one;

	for (int e = 1; e <= ERRNO_MAX; e++)
		if ((one = strerrorname_np(e)) && !strcmp(one, name))
			return -e;
	return 0;
}

static bool bytes_of(struct replay *r, struct json_object *o, struct answer *a)
{
	const char *s = json_text_at(o, "text");

	if (s) {
		a->n = strlen(s);
		a->bytes = arena_strndup(r->arena, s, a->n);
	} else {
		a->bytes = dump_hex_of(r->arena, o, "hex", &a->n);
	}
	return a->bytes && a->n <= KERNEL_FILE_MAX;
}

static bool reply_of(struct replay *r, struct json_object *o, struct answer *a)
{
	a->bytes = dump_hex_of(r->arena, o, "reply", &a->n);
	return a->bytes != NULL;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool names_of(struct replay *r, struct json_object *o, struct answer *a)
{
	struct json_object *list;
	size_t n;

	list = json_list_at(o, "names", &n);
	if (!list)
		return false;
	a->names.at = arena_array_of(r->arena, const char *, n + 1);
	for (size_t i = 0; i < n; i++) {
		const char *s = json_text_of(json_entry(list, i));

		if (!s || !*s || strchr(s, '/') || !strcmp(s, "..") || !strcmp(s, "."))
			return false;
		a->names.at[i] = arena_strdup(r->arena, s);
	}
	a->names.n = n;
	if (n)
		qsort(a->names.at, n, sizeof(*a->names.at), by_name);
	return true;
}

static bool stat_of(struct replay *r, struct json_object *o, struct answer *a)
{
	int64_t mode, size;

	(void)r;
	if (!json_int_at(o, "mode", 0, UINT32_MAX, &mode) || !json_int_at(o, "size", 0, INT64_MAX, &size) ||
	    !json_int_at(o, "mtime_ns", INT64_MIN, INT64_MAX, &a->st.mtime_ns))
		return false;
	a->st.mode = (uint32_t)mode;
	a->st.size = (uint64_t)size;
	return true;
}

static bool verbs_of(struct replay *r, struct json_object *o, struct answer *a)
{
	(void)r;
	return u32_of(o, "active_mtu", &a->verbs.active_mtu) && u32_of(o, "max_mtu", &a->verbs.max_mtu) &&
	       u32_of(o, "state", &a->verbs.state);
}

static bool gids_of(struct replay *r, struct json_object *o, struct answer *a)
{
	struct json_object *list;
	struct gid_entry *entry;

	list = json_list_at(o, "entries", &a->n);
	if (!list)
		return false;
	a->gid = entry = arena_array_of(r->arena, struct gid_entry, a->n + 1);
	for (size_t i = 0; i < a->n; i++, entry++) {
		struct json_object *v = json_entry(list, i);
		const char *gid;
		size_t n;

		if (!json_is_object(v) || !u32_of(v, "port", &entry->port) ||
		    !u32_of(v, "index", &entry->index) || !u32_of(v, "type", &entry->type) ||
		    !u32_of(v, "ifindex", &entry->ifindex))
			return false;
		gid = dump_hex_of(r->arena, v, "gid", &n);
		if (!gid || n != sizeof(entry->gid))
			return false;
		memcpy(entry->gid, gid, n);
	}
	return true;
}

static bool lldp_of(struct replay *r, struct json_object *o, struct answer *a)
{
	a->lldp = arena_new_of(r->arena, struct lldp);
	return dump_lldp_get(r->arena, o, a->lldp);
}

static bool nothing_of(struct replay *r, struct json_object *o, struct answer *a)
{
	(void)r;
	(void)o;
	(void)a;
	return true;
}

/* Kinds of line; @number: a member that is a part of the question */
static const struct kind {
	const char *name, *number;
	bool (*take)(struct replay *r, struct json_object *o, struct answer *a);
} kinds[] = {
	{ "read", NULL, bytes_of },   { "list", NULL, names_of },    { "link", NULL, bytes_of },
	{ "stat", NULL, stat_of },    { "mkdir", NULL, nothing_of }, { "rmdir", NULL, nothing_of },
	{ "read_at", "offset", bytes_of },
	{ "ethtool", "cmd", reply_of }, { "verbs", "port", verbs_of }, { "gids", NULL, gids_of },
	{ "lldp", NULL, lldp_of },
};

static const char *key_of(struct replay *r, struct json_object *o, const struct kind *kind, struct text *key)
{
	const char *what = json_text_at(o, kind ? kind->name : "request");
	const char *request;
	uint32_t number;
	int64_t protocol;
	size_t n;

	if (!what)
		return "the question is no text";
	if (!kind) {
		request = dump_hex_of(r->arena, o, "request", &n);
		if (!request || !json_int_at(o, "talk", 0, 255, &protocol))
			return "the netlink request is malformed";
		key_of_talk(key, (int)protocol, request, n);
		return NULL;
	}
	text_printf(key, "%s %s", kind->name, what);
	if (!kind->number)
		return NULL;
	if (!u32_of(o, kind->number, &number))
		return "a number is missing in the question";
	text_printf(key, " %u", number);
	return NULL;
}

static const char *take_answer(struct replay *r, struct json_object *o, const struct kind *kind)
{
	TEXT_CLEANUP struct text key = { 0 };
	struct answer *a = arena_new_of(r->arena, struct answer);
	const char *error = json_text_at(o, "error"), *why = key_of(r, o, kind, &key);
	struct asked *q;

	if (why)
		return why;
	if (error) {
		a->err = errno_of(error);
		if (!a->err)
			return "the error has no name that this system knows";
	} else if (!(kind ? kind->take : reply_of)(r, o, a)) {
		return "the answer is malformed";
	}
	q = find_or_add(r, &key);
	*q->last = a;
	q->last = &a->next;
	return NULL;
}

static const char *take_line(struct replay *r, struct json_object *o)
{
	if (json_has(o, "rdmactl-dump"))
		return "another dump begins here: answers of two machines would be mixed; give each its own file";
	if (json_has(o, "talk"))
		return take_answer(r, o, NULL);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (json_has(o, kinds[i].name))
			return take_answer(r, o, &kinds[i]);
	return NULL; /* of a later rdmactl that asks more */
}

static const char *header_text(struct arena *a, struct json_object *o, const char *key)
{
	const char *s = json_text_at(o, key);

	return s ? text_safe(a, s, strlen(s), HEADER_MAX) : "";
}

static const char *take_header(struct arena *a, struct json_object *o, struct dump_header *h)
{
	int64_t format, s;

	if (!json_int_at(o, "rdmactl-dump", 1, INT64_MAX, &format))
		return "this is no dump: its first line has no \"rdmactl-dump\"";
	if (format > FORMAT)
		return "this dump was made by a later rdmactl, in a format that this one does not know";
	if (!json_int_at(o, "observed_s", 0, (int64_t)1 << 40, &s))
		return "the header has no time (observed_s)";
	*h = (struct dump_header){
		.hostname = header_text(a, o, "hostname"),
		.kernel = header_text(a, o, "kernel"),
		.observed_at = header_text(a, o, "observed_at"),
		.boot_id = header_text(a, o, "boot_id"),
		.rdmactl = header_text(a, o, "rdmactl"),
		.observed_s = s,
	};
	return NULL;
}

static const char *take(struct replay *r, const char *s, size_t n, bool first, struct dump_header *h)
{
	const char *why = NULL;
	struct json_object *o;

	if (n > LINE_MAX_)
		return "the line is longer than 16 MiB";
	o = json_parse(s, n, &why);
	if (!o)
		return arena_printf(r->arena, "%s: %s", first ? "this is no dump: no JSON" : "no JSON", why);
	if (!json_is_object(o))
		why = "the line is no JSON object";
	else
		why = first ? take_header(r->arena, o, h) : take_line(r, o);
	json_put(o);
	return why;
}

static bool refuse(struct diags *d, const struct source *source, uint32_t line, const char *why)
{
	struct pos pos = { .source = source, .line = line, .col = 1 };

	diag_error(d, line ? &pos : NULL, "%s", why);
	if (!line)
		diag_object(d, "%s", source->name);
	return false;
}

static bool load(struct replay *r, const struct source *source, const char *text, size_t len, struct dump_header *h,
		 struct diags *d)
{
	uint32_t line = 0;

	if (len > DUMP_MAX)
		return refuse(d, source, 0, "the dump is longer than 256 MiB");
	for (const char *s = text, *end = s + len; s < end;) {
		const char *stop = memchr(s, '\n', (size_t)(end - s));
		size_t n = (size_t)((stop ? stop : end) - s);
		const char *why = "the dump has more than a million lines";

		if (++line <= LINES_MAX)
			why = take(r, s, n, line == 1, h);
		if (why)
			return refuse(d, source, line, why);
		s += n + (stop != NULL);
	}
	return line ? true : refuse(d, source, 0, "the dump is empty");
}

struct kernel *kernel_replay(struct arena *a, const char *name, const char *text, size_t n, struct dump_header *h,
			     struct diags *d)
{
	struct source *source = arena_new_of(a, struct source);
	struct replay *r = arena_new_of(a, struct replay);
	struct dump_header header = { 0 };
	struct kernel *k;

	source->name = arena_strdup(a, name); /* without the text: nobody wants to see such lines beside an error */
	r->arena = a;
	if (!load(r, source, text, n, &header, d))
		return NULL;
	k = arena_new_of(a, struct kernel);
	*k = (struct kernel){
		.ops = &replay_ops,
		.self = r,
		.arena = a,
		.kind = "dump",
		.read_only = true,
		.observed_s = header.observed_s,
	};
	*h = header;
	return k;
}
