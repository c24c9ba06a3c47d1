/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The neighbours that this machine's lldpd knows, and what it sends itself. Speaks to lldpd's socket through liblldpctl, which is opened when
 * somebody asks: linking it would cost every run more than all its reads.
 *
 * The library's own input and output wait for ever on a daemon that hangs, and tell why a connection failed to standard
 * error alone. So they are ours: one deadline for the whole conversation, and errno is kept. A field that a neighbour did
 * not send is an error like any other to the library; only those of the conversation count.
 */
#include "kernel/live.h"

#include <dlfcn.h>
#include <errno.h>
#include <lldpctl.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "kernel/kernel.h"
#include "kernel/lldp.h"

#define LIBRARY "liblldpctl.so.4"
#define WAIT_MS 5000			/* for all answers together: lldpd has them in memory */

struct library {
	const char *(*transport)(void);
	void (*log_callback)(void (*cb)(int severity, const char *msg));
	lldpctl_conn_t *(*new)(lldpctl_send_callback send, lldpctl_recv_callback recv, void *user_data);
	int (*release)(lldpctl_conn_t *conn);
	lldpctl_error_t (*last_error)(lldpctl_conn_t *conn);
	lldpctl_atom_t *(*get_interfaces)(lldpctl_conn_t *conn);
	lldpctl_atom_t *(*get_port)(lldpctl_atom_t *port);
	void (*dec_ref)(lldpctl_atom_t *atom);
	lldpctl_atom_iter_t *(*iter)(lldpctl_atom_t *atom);
	lldpctl_atom_iter_t *(*next)(lldpctl_atom_t *atom, lldpctl_atom_iter_t *at);
	lldpctl_atom_t *(*value)(lldpctl_atom_t *atom, lldpctl_atom_iter_t *at);
	lldpctl_atom_t *(*get)(lldpctl_atom_t *atom, lldpctl_key_t key);
	const char *(*get_str)(lldpctl_atom_t *atom, lldpctl_key_t key);
	const uint8_t *(*get_buffer)(lldpctl_atom_t *atom, lldpctl_key_t key, size_t *n);
	long int (*get_int)(lldpctl_atom_t *atom, lldpctl_key_t key);
	lldpctl_atom_t *(*create)(lldpctl_atom_t *list);
	lldpctl_atom_t *(*set)(lldpctl_atom_t *atom, lldpctl_key_t key, lldpctl_atom_t *value);
	lldpctl_atom_t *(*set_str)(lldpctl_atom_t *atom, lldpctl_key_t key, const char *value);
	lldpctl_atom_t *(*set_buffer)(lldpctl_atom_t *atom, lldpctl_key_t key, const uint8_t *value, size_t n);
	lldpctl_atom_t *(*set_int)(lldpctl_atom_t *atom, lldpctl_key_t key, long int value);
};

static const struct {
	const char *name;
	size_t at;
} symbols[] = {
	{ "lldpctl_get_default_transport", offsetof(struct library, transport) },
	{ "lldpctl_log_callback", offsetof(struct library, log_callback) },
	{ "lldpctl_new", offsetof(struct library, new) },
	{ "lldpctl_release", offsetof(struct library, release) },
	{ "lldpctl_last_error", offsetof(struct library, last_error) },
	{ "lldpctl_get_interfaces", offsetof(struct library, get_interfaces) },
	{ "lldpctl_get_port", offsetof(struct library, get_port) },
	{ "lldpctl_atom_dec_ref", offsetof(struct library, dec_ref) },
	{ "lldpctl_atom_iter", offsetof(struct library, iter) },
	{ "lldpctl_atom_iter_next", offsetof(struct library, next) },
	{ "lldpctl_atom_iter_value", offsetof(struct library, value) },
	{ "lldpctl_atom_get", offsetof(struct library, get) },
	{ "lldpctl_atom_get_str", offsetof(struct library, get_str) },
	{ "lldpctl_atom_get_buffer", offsetof(struct library, get_buffer) },
	{ "lldpctl_atom_get_int", offsetof(struct library, get_int) },
	{ "lldpctl_atom_create", offsetof(struct library, create) },
	{ "lldpctl_atom_set", offsetof(struct library, set) },
	{ "lldpctl_atom_set_str", offsetof(struct library, set_str) },
	{ "lldpctl_atom_set_buffer", offsetof(struct library, set_buffer) },
	{ "lldpctl_atom_set_int", offsetof(struct library, set_int) },
};

struct talk {
	struct library lib;
	struct arena *arena;
	lldpctl_conn_t *conn;
	int fd;				/* -1: not connected yet */
	int err;			/* what ended the conversation, -errno; 0: nothing */
	struct timespec until;		/* CLOCK_MONOTONIC */
	struct { struct lldp_port *at; size_t n, room; } ports;
	struct { struct lldp_neighbor *at; size_t n, room; } neighbors;
};

/* --- the conversation ------------------------------------------------------------ */

static int left_ms(const struct talk *t)
{
	struct timespec now;
	int64_t ms;

	clock_gettime(CLOCK_MONOTONIC, &now);
	ms = (t->until.tv_sec - now.tv_sec) * INT64_C(1000) + (t->until.tv_nsec - now.tv_nsec) / 1000000;
	return ms > 0 ? (int)ms : 0;
}

static ssize_t fail(struct talk *t, int err)
{
	if (!t->err)
		t->err = err;
	return LLDPCTL_ERR_CALLBACK_FAILURE;
}

/* A socket of this kind connects at once, or with a full queue of a daemon that takes nobody: EAGAIN. */
static int dial(struct talk *t)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	const char *path = t->lib.transport();

	if (!path || strlen(path) >= sizeof(to.sun_path))
		return -ENAMETOOLONG;
	strcpy(to.sun_path, path);
	t->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (t->fd < 0)
		return -errno;
	if (connect(t->fd, (void *)&to, sizeof(to)) < 0)
		return errno == EAGAIN ? -ETIMEDOUT : -errno;
	return 0;
}

static int await(struct talk *t, short events)
{
	struct pollfd p = { .fd = t->fd, .events = events };
	int r;

	do
		r = poll(&p, 1, left_ms(t));
	while (r < 0 && errno == EINTR);
	return r < 0 ? -errno : r == 0 ? -ETIMEDOUT : 0;
}

static ssize_t talk_send(lldpctl_conn_t *conn, const uint8_t *data, size_t length, void *user_data)
{
	struct talk *t = user_data;
	size_t sent = 0;

	(void)conn;
	while (sent < length) {
		ssize_t n = send(t->fd, data + sent, length - sent, MSG_NOSIGNAL);
		int r = n >= 0 ? 0 : errno == EAGAIN ? await(t, POLLOUT) : errno == EINTR ? 0 : -errno;

		if (r < 0)
			return fail(t, r == -EPIPE ? -ECONNRESET : r);
		sent += n > 0 ? (size_t)n : 0;
	}
	return (ssize_t)sent;
}

/* What the library declares const is where it wants the bytes. */
static ssize_t talk_recv(lldpctl_conn_t *conn, const uint8_t *data, size_t length, void *user_data)
{
	struct talk *t = user_data;
	int r = await(t, POLLIN);
	ssize_t n;

	(void)conn;
	if (r < 0)
		return fail(t, r);
	do
		n = recv(t->fd, (void *)(uintptr_t)data, length, 0);
	while (n < 0 && errno == EINTR);
	if (n > 0)
		return n;
	return fail(t, n < 0 ? -errno : -ECONNRESET);
}

/* Why the library gave nothing: our own words first. */
static int why(const struct talk *t)
{
	if (t->err)
		return t->err;
	switch ((int)t->lib.last_error(t->conn)) {
	case LLDPCTL_ERR_NOMEM:
		return -ENOMEM;
	case LLDPCTL_ERR_EOF:
		return -ECONNRESET;
	case LLDPCTL_ERR_SERIALIZATION:
		return -EPROTO;
	default:
		return -EIO;
	}
}

/* --- what is in the answers -------------------------------------------------------- */

static const char *text_of(struct talk *t, lldpctl_atom_t *atom, lldpctl_key_t key)
{
	const char *s = t->lib.get_str(atom, key);

	return s ? arena_strndup(t->arena, s, strnlen(s, LLDP_TEXT)) : "";
}

static uint64_t number_of(struct talk *t, lldpctl_atom_t *atom, lldpctl_key_t key)
{
	long int v = t->lib.get_int(atom, key);

	return v > 0 ? (uint64_t)v : 0;
}

static bool tlv_of(struct talk *t, lldpctl_atom_t *atom, struct lldp_tlv *tlv)
{
	size_t oui = 0, n = 0;
	const uint8_t *o = t->lib.get_buffer(atom, lldpctl_k_custom_tlv_oui, &oui);
	const uint8_t *info = t->lib.get_buffer(atom, lldpctl_k_custom_tlv_oui_info_string, &n);
	uint8_t *copy;

	if (!o || oui != sizeof(tlv->oui) || n > LLDP_INFO)
		return false;
	memcpy(tlv->oui, o, oui);
	tlv->subtype = (uint8_t)number_of(t, atom, lldpctl_k_custom_tlv_oui_subtype);
	tlv->n = info ? n : 0;
	tlv->info = copy = arena_alloc(t->arena, tlv->n + 1);
	if (tlv->n)
		memcpy(copy, info, tlv->n);
	return true;
}

/* Of a neighbour what it sends; of a port of ours what lldpd was told to send there. */
static int tlvs_of(struct talk *t, lldpctl_atom_t *atom, const struct lldp_tlv **to, size_t *n)
{
	lldpctl_atom_t *list = t->lib.get(atom, lldpctl_k_custom_tlvs);
	struct { struct lldp_tlv *at; size_t n, room; } tlvs = { 0 };
	struct lldp_tlv tlv;

	if (!list)			/* an empty list is one, too: this library has none */
		return -ENOSYS;
	for (lldpctl_atom_iter_t *i = t->lib.iter(list); i && tlvs.n < LLDP_TLVS; i = t->lib.next(list, i)) {
		lldpctl_atom_t *one = t->lib.value(list, i);

		if (one && tlv_of(t, one, &tlv))
			list_add(&tlvs, t->arena) = tlv;
		if (one)
			t->lib.dec_ref(one);
	}
	t->lib.dec_ref(list);
	*to = tlvs.at;
	*n = tlvs.n;
	return 0;
}

static int take_neighbor(struct talk *t, lldpctl_atom_t *atom, const char *ifname)
{
	uint64_t ttl = number_of(t, atom, lldpctl_k_port_ttl);
	struct lldp_neighbor n = {
		.ifname = ifname,
		.protocol = text_of(t, atom, lldpctl_k_port_protocol),
		.chassis_id = text_of(t, atom, lldpctl_k_chassis_id),
		.chassis_name = text_of(t, atom, lldpctl_k_chassis_name),
		.chassis_descr = text_of(t, atom, lldpctl_k_chassis_descr),
		.port_id = text_of(t, atom, lldpctl_k_port_id),
		.port_descr = text_of(t, atom, lldpctl_k_port_descr),
		.ttl = ttl < UINT16_MAX ? (uint16_t)ttl : UINT16_MAX,
		.changed_s = (int64_t)number_of(t, atom, lldpctl_k_port_age),
		.mfs = (uint32_t)number_of(t, atom, lldpctl_k_port_dot3_mfs),
	};
	int r = tlvs_of(t, atom, &n.tlv, &n.ntlvs);

	if (r == 0)
		list_add(&t->neighbors, t->arena) = n;
	return r;
}

static int take_port(struct talk *t, lldpctl_atom_t *port)
{
	struct lldp_port p = {
		.ifname = text_of(t, port, lldpctl_k_port_name),
		.received = number_of(t, port, lldpctl_k_rx_cnt),
		.discarded = number_of(t, port, lldpctl_k_rx_discarded_cnt),
		.inserted = number_of(t, port, lldpctl_k_insert_cnt),
		.deleted = number_of(t, port, lldpctl_k_delete_cnt),
		.expired = number_of(t, port, lldpctl_k_ageout_cnt),
	};
	lldpctl_atom_t *list = t->lib.get(port, lldpctl_k_port_neighbors);
	unsigned n = 0;
	int r;

	if (!list)
		return why(t);
	r = tlvs_of(t, port, &p.tlv, &p.ntlvs);
	list_add(&t->ports, t->arena) = p;
	for (lldpctl_atom_iter_t *i = t->lib.iter(list); i && r == 0; i = t->lib.next(list, i)) {
		lldpctl_atom_t *one = t->lib.value(list, i);

		if (!one)
			continue;
		r = ++n > LLDP_NEIGHBORS ? -EOVERFLOW : take_neighbor(t, one, p.ifname);
		t->lib.dec_ref(one);
	}
	t->lib.dec_ref(list);
	return r;
}

/* An interface that went since the list was made is no error of the whole. */
static int take_interface(struct talk *t, lldpctl_atom_t *interface)
{
	lldpctl_atom_t *port = t->lib.get_port(interface);
	int r;

	if (!port)
		return t->err || t->lib.last_error(t->conn) != LLDPCTL_ERR_NOT_EXIST ? why(t) : 0;
	r = take_port(t, port);
	t->lib.dec_ref(port);
	return r;
}

static int take_all(struct talk *t, const void *what)
{
	lldpctl_atom_t *list = t->lib.get_interfaces(t->conn);
	unsigned n = 0;
	int r = 0;

	(void)what;
	if (!list)
		return why(t);
	for (lldpctl_atom_iter_t *i = t->lib.iter(list); i && r == 0; i = t->lib.next(list, i)) {
		lldpctl_atom_t *one = t->lib.value(list, i);

		if (!one)
			continue;
		r = ++n > LLDP_PORTS ? -EOVERFLOW : take_interface(t, one);
		t->lib.dec_ref(one);
	}
	t->lib.dec_ref(list);
	return r;
}

/* --- what lldpd is to send ----------------------------------------------------------- */

/* The port of that interface; NULL with *err. */
static lldpctl_atom_t *port_named(struct talk *t, const char *ifname, int *err)
{
	lldpctl_atom_t *list = t->lib.get_interfaces(t->conn), *port = NULL;

	*err = list ? -ENODEV : why(t);
	if (!list)
		return NULL;
	for (lldpctl_atom_iter_t *i = t->lib.iter(list); i && !port; i = t->lib.next(list, i)) {
		lldpctl_atom_t *one = t->lib.value(list, i);
		const char *name = one ? t->lib.get_str(one, lldpctl_k_interface_name) : NULL;

		if (name && !strcmp(name, ifname)) {
			port = t->lib.get_port(one);
			*err = port ? 0 : why(t);
		}
		if (one)
			t->lib.dec_ref(one);
	}
	t->lib.dec_ref(list);
	return port;
}

/* @op: "add", "replace": in place of all of its kind, "remove": all of its kind */
static int say_one(struct talk *t, lldpctl_atom_t *port, const struct lldp_words *w, const char *op, const struct lldp_tlv *tlv)
{
	lldpctl_atom_t *list = t->lib.get(port, lldpctl_k_custom_tlvs);
	lldpctl_atom_t *one = list ? t->lib.create(list) : NULL;
	int r = -ENOSYS;

	if (one && t->lib.set_buffer(one, lldpctl_k_custom_tlv_oui, w->oui, sizeof(w->oui)) &&
	    t->lib.set_int(one, lldpctl_k_custom_tlv_oui_subtype, w->subtype) &&
	    t->lib.set_str(one, lldpctl_k_custom_tlv_op, op) &&
	    (!tlv || !tlv->n || t->lib.set_buffer(one, lldpctl_k_custom_tlv_oui_info_string, tlv->info, tlv->n)))
		r = t->lib.set(port, lldpctl_k_custom_tlv, one) ? 0 : why(t);
	if (one)
		t->lib.dec_ref(one);
	if (list)
		t->lib.dec_ref(list);
	return r;
}

static int say_all(struct talk *t, const void *what)
{
	const struct lldp_words *w = what;
	int r;
	lldpctl_atom_t *port = port_named(t, w->ifname, &r);

	if (!port)
		return r;
	if (!w->n)
		r = say_one(t, port, w, "remove", NULL);
	for (size_t i = 0; r == 0 && i < w->n; i++)
		r = say_one(t, port, w, i ? "add" : "replace", &w->tlv[i]);
	t->lib.dec_ref(port);
	return r;
}

/* --- the door -------------------------------------------------------------------- */

/* POSIX lets dlsym's pointer be a function's; ISO C has no cast for it. */
static bool library_symbols(void *handle, struct library *lib)
{
	for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++) {
		void *at = dlsym(handle, symbols[i].name);

		if (!at)
			return false;
		memcpy((char *)lib + symbols[i].at, &at, sizeof(at));
	}
	return true;
}

static void quiet(int severity, const char *msg)
{
	(void)severity;
	(void)msg;
}

static int ask(struct talk *t, int (*about)(struct talk *t, const void *what), const void *what)
{
	int r = dial(t);

	if (r < 0)
		return r;
	clock_gettime(CLOCK_MONOTONIC, &t->until);
	t->until.tv_sec += WAIT_MS / 1000;
	t->lib.log_callback(quiet);
	t->conn = t->lib.new(talk_send, talk_recv, t);
	if (!t->conn)
		return -ENOMEM;
	r = about(t, what);
	t->lib.release(t->conn);
	return r;
}

/* One conversation, from opening the library to closing it. */
static int converse(struct kernel *k, struct talk *t, int (*about)(struct talk *t, const void *what), const void *what)
{
	struct live *l = k->self;
	void *handle;
	int r = -ENOSYS;

	if (!l->whole)
		return -ENODATA;
	handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	if (!handle)
		return -ELIBACC;
	if (library_symbols(handle, &t->lib))
		r = ask(t, about, what);
	if (t->fd >= 0)
		close(t->fd);
	dlclose(handle);
	return r;
}

int live_lldp(struct kernel *k, struct lldp *out)
{
	struct talk t = { .arena = k->arena, .fd = -1 };
	int r = converse(k, &t, take_all, NULL);

	if (r == 0)
		*out = (struct lldp){ .port = t.ports.at, .nports = t.ports.n, .neighbor = t.neighbors.at, .n = t.neighbors.n };
	return r;
}

int live_lldp_say(struct kernel *k, const struct lldp_words *w)
{
	struct talk t = { .arena = k->arena, .fd = -1 };

	return converse(k, &t, say_all, w);
}
