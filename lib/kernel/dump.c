/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writing a dump: a kernel that passes every question on to another one and writes question and answer down, a JSON
 * object a line. Text stays readable; what is no text becomes hexadecimal. Nothing is set through it. Of the
 * kernel's command line only module parameters are taken, also in the answer, so that both sides judge the same.
 *
 *	{"rdmactl-dump":1,"rdmactl":"0.1.0","hostname":"gpu0001",…}
 *	{"read":"sys/class/net/eth0/mtu","text":"9000\n"}
 *	{"read_at":"sys/devices/pci0000:26/0000:26:02.0/config","offset":52,"hex":"4000…"}
 *	{"stat":"sys/module/ib_core","error":"ENOENT"}
 *	{"talk":0,"request":"3400…","reply":"b805…"}
 *	{"lldp":"neighbors","ports":[{"ifname":"eth0","received":12,…}],"neighbors":[{"ifname":"eth0","chassis_name":"leaf1",…}]}
 */
#include "kernel/dump.h"

#include <errno.h>
#include <linux/netlink.h>
#include <string.h>

#include "base/arena.h"
#include "base/json.h"
#include "base/text.h"
#include "kernel/dump_parts.h"
#include "kernel/kernel.h"

struct recording {
	struct kernel *inner;
	struct text *out;
};

static void hex_of(struct text *to, const void *bytes, size_t n)
{
	static const char digits[] = "0123456789abcdef";
	const unsigned char *s = bytes;
	char *at = text_room(to, n * 2);

	for (size_t i = 0; i < n; i++) {
		at[2 * i] = digits[s[i] >> 4];
		at[2 * i + 1] = digits[s[i] & 15];
	}
	text_used(to, n * 2);
}

void dump_add_hex(struct json *j, const char *key, const void *bytes, size_t n)
{
	TEXT_CLEANUP struct text hex = { 0 };

	hex_of(&hex, bytes, n);
	json_string(j, key, text_str(&hex));
}

/* Text as it is, if a line of JSON can show it so that people can read it. */
static bool is_readable(const char *s, size_t n)
{
	if (!text_is_utf8(s, n))
		return false;
	for (size_t i = 0; i < n; i++)
		if (((unsigned char)s[i] < 0x20 && s[i] != '\n' && s[i] != '\t') || s[i] == 0x7f)
			return false;
	return true;
}

static void add_bytes(struct json *j, const char *s, size_t n)
{
	if (!n)
		json_string(j, "text", "");
	else if (is_readable(s, n))
		json_string(j, "text", s);
	else
		dump_add_hex(j, "hex", s, n);
}

static void add_error(struct json *j, int r)
{
	const char *name = strerrorname_np(-r);

	json_string(j, "error", name ? name : "EIO");
}

static void begin(struct json *j, const struct recording *rec)
{
	json_init(j, rec->out, false);
	json_object_open(j, NULL);
}

static void end(struct json *j)
{
	json_object_close(j);
	text_char(j->out, '\n');
}

/* -ENODATA is the same as never asked, and needs no line. */
static bool question(struct json *j, const struct recording *rec, const char *kind, const char *path, int r)
{
	if (r == -ENODATA)
		return false;
	begin(j, rec);
	json_string(j, kind, path);
	if (r < 0)
		add_error(j, r);
	return true;
}

/* --- the command line ------------------------------------------------------------ */

/* Words of systemd and its kin that look like a module's parameter, and may hold secrets. */
static bool is_module(const char *s, size_t n)
{
	static const char *const others[] = { "systemd", "rd", "luks", "udev", "net", "fsck", "quotacheck", "locale",
					      "vconsole", "plymouth", "mem_encrypt", "ima", "evm" };

	for (size_t i = 0; i < n; i++)
		if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-", s[i]))
			return false;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (n == strlen(others[i]) && !memcmp(s, others[i], n))
			return false;
	return n > 0;
}

/* "module.param", "module.param=value", "modprobe.blacklist=a,b", "module_blacklist=a,b" */
static bool is_parameter(const char *word, size_t n)
{
	static const char blacklist[] = "module_blacklist=";
	const char *name = word, *dot, *equals;
	size_t len;

	if (n && *name == '"') {
		name++;
		n--;
	}
	if (n >= sizeof(blacklist) - 1 && !memcmp(name, blacklist, sizeof(blacklist) - 1))
		return true;
	equals = memchr(name, '=', n);
	len = equals ? (size_t)(equals - name) : n;
	dot = memchr(name, '.', len);
	return dot && is_module(name, (size_t)(dot - name)) && !memchr(dot + 1, '.', len - (size_t)(dot + 1 - name));
}

static void keep_parameters(struct text *t, size_t from)
{
	char *s, *stop, *to;

	text_room(t, 1); /* the last word may get a newline that it had not */
	s = to = t->s + from;
	stop = t->s + t->n;
	while (s < stop) {
		char *word = s;
		bool quoted = false;

		for (; s < stop && (quoted || !strchr(" \t\n", *s)); s++)
			quoted ^= *s == '"';
		if (is_parameter(word, (size_t)(s - word))) {
			memmove(to, word, (size_t)(s - word));
			to += s - word;
			*to++ = s < stop ? *s : '\n';
		}
		s++;
	}
	t->n = (size_t)(to - t->s);
	t->s[t->n] = '\0';
}

/* Does the next line belong to the one that ends at @end? */
static bool goes_on(const char *s, const char *end, bool open)
{
	while (s < end && strchr(" \t", *s))
		s++;
	if (s < end && *s == '#')
		return open;
	while (s < end && end[-1] == '\r')
		end--;
	return s < end && end[-1] == '\\';
}

static size_t line_of(const char *s, const char *stop, bool joined)
{
	bool open = false;

	for (const char *at = s;;) {
		const char *end = memchr(at, '\n', (size_t)(stop - at));

		end = end ? end : stop;
		open = joined && goes_on(at, end, open);
		if (!open || end == stop)
			return (size_t)(end - s);
		at = end + 1;
	}
}

/* Lines that are not kept become empty ones: numbers of lines stay true. */
static void keep_lines(struct text *t, size_t from, const struct kernel *k)
{
	char *to = t->s + from, *s = to, *stop = t->s + t->n;

	while (s < stop) {
		char *end = s + line_of(s, stop, k->keep_joined);
		bool kept = k->keep(s, (size_t)(end - s));

		for (; s < stop && s <= end; s++)
			if (kept || *s == '\n')
				*to++ = *s;
	}
	t->n = (size_t)(to - t->s);
	t->s[t->n] = '\0';
}

/* --- doors ------------------------------------------------------------------------- */

static int record_read(struct kernel *k, const char *path, struct text *out)
{
	struct recording *rec = k->self;
	size_t from = out->n;
	struct json j;
	int r = kernel_read(rec->inner, path, out);

	if (r == 0 && out->n > from && !strcmp(path, "proc/cmdline"))
		keep_parameters(out, from);
	if (r == 0 && out->n > from && k->keep)
		keep_lines(out, from, k);
	if (!question(&j, rec, "read", path, r))
		return r;
	if (r == 0)
		add_bytes(&j, out->s + from, out->n - from);
	end(&j);
	return r;
}

static int record_read_at(struct kernel *k, const char *path, uint32_t offset, void *to, size_t n)
{
	struct recording *rec = k->self;
	struct json j;
	int r = kernel_read_at(rec->inner, path, offset, to, n);

	if (r == -EOPNOTSUPP || !question(&j, rec, "read_at", path, r))
		return r;
	json_int(&j, "offset", offset);
	if (r >= 0)
		dump_add_hex(&j, "hex", to, (size_t)r);
	end(&j);
	return r;
}

static int record_list(struct kernel *k, const char *path, struct names *out)
{
	struct recording *rec = k->self;
	struct json j;
	size_t n = 0;
	int r = kernel_list(rec->inner, path, out);

	if (!question(&j, rec, "list", path, r))
		return r;
	if (r == 0) {
		json_array_open(&j, "names");
		for (size_t i = 0; i < out->n; i++) {
			if (!text_is_utf8(out->at[i], strlen(out->at[i])))
				continue; /* JSON cannot hold it, and nothing of ours has such a name */
			json_string(&j, NULL, out->at[i]);
			out->at[n++] = out->at[i];
		}
		json_array_close(&j);
		out->n = n;
	}
	end(&j);
	return r;
}

static int record_link(struct kernel *k, const char *path, struct text *out)
{
	struct recording *rec = k->self;
	size_t from = out->n;
	struct json j;
	int r = kernel_link(rec->inner, path, out);

	if (!question(&j, rec, "link", path, r))
		return r;
	if (r == 0)
		add_bytes(&j, out->s + from, out->n - from);
	end(&j);
	return r;
}

static int record_stat(struct kernel *k, const char *path, struct kernel_stat *st)
{
	struct recording *rec = k->self;
	struct json j;
	int r = kernel_stat(rec->inner, path, st);

	if (!question(&j, rec, "stat", path, r))
		return r;
	if (r == 0) {
		json_int(&j, "mode", st->mode);
		json_int(&j, "size", (int64_t)st->size);
		json_int(&j, "mtime_ns", st->mtime_ns);
	}
	end(&j);
	return r;
}

static int record_mkdir(struct kernel *k, const char *path)
{
	struct recording *rec = k->self;
	struct json j;
	int r = kernel_mkdir(rec->inner, path);

	if (question(&j, rec, "mkdir", path, r))
		end(&j);
	return r;
}

static int record_rmdir(struct kernel *k, const char *path)
{
	struct recording *rec = k->self;
	struct json j;
	int r = kernel_rmdir(rec->inner, path);

	if (question(&j, rec, "rmdir", path, r))
		end(&j);
	return r;
}

/* Sequence and port number are the door's business and no part of the question. */
static void add_request(struct json *j, const void *request, size_t n)
{
	TEXT_CLEANUP struct text copy = { 0 };

	text_addn(&copy, request, n);
	if (n >= sizeof(struct nlmsghdr))
		memset(copy.s + offsetof(struct nlmsghdr, nlmsg_seq), 0, 8);
	dump_add_hex(j, "request", copy.s, n);
}

static int record_talk(struct kernel *k, int protocol, const void *request, size_t n, struct text *reply)
{
	struct recording *rec = k->self;
	size_t from = reply->n;
	struct json j;
	int r = kernel_talk(rec->inner, protocol, request, n, false, reply);

	if (r == -ENODATA)
		return r;
	begin(&j, rec);
	json_int(&j, "talk", protocol);
	add_request(&j, request, n);
	if (r < 0)
		add_error(&j, r);
	else
		dump_add_hex(&j, "reply", text_str(reply) + from, reply->n - from);
	end(&j);
	return r;
}

static int record_ethtool(struct kernel *k, const char *ifname, void *cmd, size_t n)
{
	struct recording *rec = k->self;
	uint32_t number = 0;
	struct json j;
	int r;

	memcpy(&number, cmd, n < sizeof(number) ? n : sizeof(number));
	r = kernel_ethtool(rec->inner, ifname, cmd, n, false);
	if (!question(&j, rec, "ethtool", ifname, r))
		return r;
	json_int(&j, "cmd", number);
	if (r == 0)
		dump_add_hex(&j, "reply", cmd, n);
	end(&j);
	return r;
}

static int record_verbs(struct kernel *k, const char *ibdev, uint32_t port, struct verbs_port *out)
{
	struct recording *rec = k->self;
	struct json j;
	int r = kernel_verbs(rec->inner, ibdev, port, out);

	if (!question(&j, rec, "verbs", ibdev, r))
		return r;
	json_int(&j, "port", port);
	if (r == 0) {
		json_int(&j, "active_mtu", out->active_mtu);
		json_int(&j, "max_mtu", out->max_mtu);
		json_int(&j, "state", out->state);
	}
	end(&j);
	return r;
}

static int record_gids(struct kernel *k, const char *ibdev, struct gid_entry *entry, size_t room, size_t *n)
{
	struct recording *rec = k->self;
	struct json j;
	int r = kernel_gids(rec->inner, ibdev, entry, room, n);

	if (!question(&j, rec, "gids", ibdev, r))
		return r;
	if (r == 0) {
		json_array_open(&j, "entries");
		for (size_t i = 0; i < *n; i++) {
			json_object_open(&j, NULL);
			json_int(&j, "port", entry[i].port);
			json_int(&j, "index", entry[i].index);
			json_int(&j, "type", entry[i].type);
			json_int(&j, "ifindex", entry[i].ifindex);
			dump_add_hex(&j, "gid", entry[i].gid, sizeof(entry[i].gid));
			json_object_close(&j);
		}
		json_array_close(&j);
	}
	end(&j);
	return r;
}

static int record_lldp(struct kernel *k, struct lldp *out)
{
	struct recording *rec = k->self;
	struct json j;
	int r = kernel_lldp(rec->inner, out);

	if (!question(&j, rec, "lldp", "neighbors", r))
		return r;
	if (r == 0)
		dump_lldp_put(&j, out);
	end(&j);
	return r;
}

static int record_wait(struct kernel *k, uint32_t ms)
{
	struct recording *rec = k->self;

	return kernel_wait(rec->inner, ms);
}

static void record_close(struct kernel *k)
{
	struct recording *rec = k->self;

	kernel_close(rec->inner);
}

/* The wrappers refuse write, replace and remove before they come here. */
static const struct kernel_ops recording_ops = {
	.read = record_read,
	.read_at = record_read_at,
	.list = record_list,
	.link = record_link,
	.stat = record_stat,
	.mkdir = record_mkdir,
	.rmdir = record_rmdir,
	.talk = record_talk,
	.ethtool = record_ethtool,
	.verbs = record_verbs,
	.gids = record_gids,
	.lldp = record_lldp,
	.wait = record_wait,
	.close = record_close,
};

struct kernel *kernel_recording(struct arena *a, struct kernel *inner, const struct dump_header *h, struct text *out)
{
	struct recording *rec = arena_new_of(a, struct recording);
	struct kernel *k = arena_new_of(a, struct kernel);
	struct json j;

	*rec = (struct recording){ .inner = inner, .out = out };
	*k = (struct kernel){
		.ops = &recording_ops,
		.self = rec,
		.arena = a,
		.kind = inner->kind,
		.files_only = inner->files_only,
		.asks_verbs = inner->asks_verbs,
		.read_only = true,
		.observed_s = h->observed_s,
	};
	begin(&j, rec);
	json_int(&j, "rdmactl-dump", 1);
	json_string(&j, "rdmactl", h->rdmactl);
	json_string(&j, "hostname", h->hostname);
	json_string(&j, "kernel", h->kernel);
	json_string(&j, "observed_at", h->observed_at);
	json_int(&j, "observed_s", h->observed_s);
	json_string(&j, "boot_id", h->boot_id);
	end(&j);
	return k;
}
