/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lldpd, and the switches at the other ends: frames as they were heard, taken apart when somebody asks. What it cannot
 * read it throws away and counts, as lldpd does; a frame with TTL 0 ends the neighbour that it is from.
 */
#include "state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "kernel/kernel.h"
#include "kernel/lldp.h"
#include "observe.h"

enum { HEADER = 14, TLV_END = 0, TLV_CHASSIS, TLV_PORT, TLV_TTL, TLV_PORT_DESCR, TLV_NAME, TLV_DESCR, TLV_ORG = 127 };
enum { SUBTYPE_MAC = 4, DOT3_MFS = 4 };

static const uint8_t oui_dot3[3] = { 0x00, 0x12, 0x0f };

/* --- frames ------------------------------------------------------------------------ */

struct tlv {
	unsigned type;
	const uint8_t *s;
	size_t n;
};

static bool next_tlv(const struct lldp_frame *f, size_t *at, struct tlv *t)
{
	size_t head;

	if (*at + 2 > f->len)
		return false;
	head = (size_t)f->bytes[*at] << 8 | f->bytes[*at + 1];
	*t = (struct tlv){ (unsigned)(head >> 9), f->bytes + *at + 2, head & 511 };
	*at += 2 + t->n;
	return *at <= f->len;
}

static const char *text_of(struct arena *a, const uint8_t *s, size_t n)
{
	return arena_strndup(a, (const char *)s, strnlen((const char *)s, n < LLDP_TEXT ? n : LLDP_TEXT));
}

/* Subtype, and an id: a MAC address with colons, all else as text. */
static const char *id_of(struct arena *a, const struct tlv *t, uint8_t mac)
{
	TEXT_CLEANUP struct text out = { 0 };

	if (t->s[0] != mac)
		return text_of(a, t->s + 1, t->n - 1);
	for (size_t i = 1; i < t->n; i++)
		text_printf(&out, "%s%02x", i > 1 ? ":" : "", t->s[i]);
	return arena_strdup(a, text_str(&out));
}

static void org(struct arena *a, const struct tlv *t, struct lldp_neighbor *n, struct lldp_tlv *to)
{
	struct lldp_tlv one = { .subtype = t->s[3], .info = t->s + 4, .n = t->n - 4 };

	(void)a;
	memcpy(one.oui, t->s, sizeof(one.oui));
	if (!memcmp(one.oui, oui_dot3, sizeof(one.oui)) && one.subtype == DOT3_MFS && one.n == 2)
		n->mfs = (uint32_t)(one.info[0] << 8 | one.info[1]);
	else if (n->ntlvs < LLDP_TLVS)
		to[n->ntlvs++] = one;
}

static bool take(struct arena *a, const struct tlv *t, struct lldp_neighbor *n, struct lldp_tlv *to)
{
	bool id = t->type == TLV_CHASSIS || t->type == TLV_PORT;

	if ((id && t->n < 2) || (t->type == TLV_TTL && t->n < 2) || (t->type == TLV_ORG && t->n < 4))
		return false;
	if (t->type == TLV_CHASSIS)
		n->chassis_id = id_of(a, t, SUBTYPE_MAC);
	else if (t->type == TLV_PORT)
		n->port_id = id_of(a, t, 3);
	else if (t->type == TLV_TTL)
		n->ttl = (uint16_t)(t->s[0] << 8 | t->s[1]);
	else if (t->type == TLV_PORT_DESCR)
		n->port_descr = text_of(a, t->s, t->n);
	else if (t->type == TLV_NAME)
		n->chassis_name = text_of(a, t->s, t->n);
	else if (t->type == TLV_DESCR)
		n->chassis_descr = text_of(a, t->s, t->n);
	else if (t->type == TLV_ORG)
		org(a, t, n, to);
	return true;
}

/* False: lldpd would throw it away. */
static bool decode(struct arena *a, const struct lldp_frame *f, struct lldp_neighbor *n)
{
	struct lldp_tlv *to = arena_array_of(a, struct lldp_tlv, LLDP_TLVS);
	size_t at = HEADER;
	struct tlv t;

	*n = (struct lldp_neighbor){ .protocol = "LLDP", .chassis_name = "", .chassis_descr = "", .port_descr = "", .tlv = to,
				     .changed_s = 1795957200 };
	while (next_tlv(f, &at, &t)) {
		if (t.type == TLV_END)
			return n->chassis_id && n->port_id;
		if (!take(a, &t, n, to))
			return false;
	}
	return false;
}

/* --- the door ---------------------------------------------------------------------- */

/* What lldpd was told to send there, oldest first. */
static void said_on(struct sim *s, struct arena *a, struct lldp_port *p)
{
	struct lldp_tlv *to = arena_array_of(a, struct lldp_tlv, SIM_SAID);

	p->tlv = to;
	for (unsigned i = 0; i < s->st->nsaid; i++) {
		const struct lldp_said *said = &s->st->said[i];
		struct lldp_tlv one = { .subtype = said->subtype, .n = said->len };

		if (strcmp(s->st->nic[said->nic].name, p->ifname) != 0)
			continue;
		memcpy(one.oui, said->oui, sizeof(one.oui));
		one.info = memcpy(arena_alloc(a, said->len + 1), said->bytes, said->len);
		to[p->ntlvs++] = one;
	}
}

static void unsay(struct sim *s, unsigned nic, const uint8_t oui[3], uint8_t subtype)
{
	unsigned n = 0;

	for (unsigned i = 0; i < s->st->nsaid; i++) {
		const struct lldp_said *said = &s->st->said[i];

		if (said->nic != nic || said->subtype != subtype || memcmp(said->oui, oui, sizeof(said->oui)) != 0)
			s->st->said[n++] = *said;
	}
	s->st->nsaid = n;
}

static int add_said(struct sim *s, unsigned nic, const struct lldp_tlv *t)
{
	struct lldp_said *said = &s->st->said[s->st->nsaid];

	if (s->st->nsaid == SIM_SAID || t->n > sizeof(said->bytes))
		return -ENOSPC;
	*said = (struct lldp_said){ .nic = nic, .len = (uint32_t)t->n, .subtype = t->subtype };
	memcpy(said->oui, t->oui, sizeof(said->oui));
	memcpy(said->bytes, t->info, t->n);
	s->st->nsaid++;
	return 0;
}

/* The simulated ports of a machine whose lldpd is a real one: the ports that it knows have their names. */
static int really(struct arena *a, struct lldp *out, const struct lldp_words *w)
{
	struct kernel *k = kernel_live(a, NULL);
	int r = k ? 0 : -errno;

	if (r == 0)
		r = w ? kernel_lldp_say(k, w) : kernel_lldp(k, out);
	kernel_close(k);
	return r;
}

int lldp_tell(struct sim *s, const struct lldp_words *w)
{
	const struct nic *nic = nic_by_name(s, w->ifname);
	const struct state *st = s->st;
	int r;

	if (st->lldpd_real)
		return really(s->arena, NULL, w);
	if (st->lldpd_err || st->unprivileged)
		return st->lldpd_err ? -st->lldpd_err : -EACCES;
	if (!nic || st->heard[nic_number(s, nic)].deaf)
		return -ENODEV;
	r = sim_set_begin(s, "lldpd %s %02x%02x%02x%02x: %zu", w->ifname, w->oui[0], w->oui[1], w->oui[2], w->subtype, w->n);
	if (r < 0)
		return r;
	unsay(s, nic_number(s, nic), w->oui, w->subtype);
	for (size_t i = 0; r == 0 && i < w->n; i++)
		r = add_said(s, nic_number(s, nic), &w->tlv[i]);
	return r;
}

static int by_kind(const void *pa, const void *pb)
{
	const struct lldp_said *a = *(const struct lldp_said *const *)pa, *b = *(const struct lldp_said *const *)pb;
	int r = memcmp(a->oui, b->oui, sizeof(a->oui) + sizeof(a->subtype));

	return r ? r : a < b ? -1 : 1;
}

/* By OUI and subtype: the order in the frame means nothing. */
void lldp_print_said(struct sim *s, const struct nic *n, struct text *out)
{
	const struct lldp_said *said[SIM_SAID];
	size_t count = 0;

	for (unsigned i = 0; i < s->st->nsaid; i++)
		if (&s->st->nic[s->st->said[i].nic] == n)
			said[count++] = &s->st->said[i];
	qsort(said, count, sizeof(said[0]), by_kind);
	for (size_t i = 0; i < count; i++) {
		text_printf(out, "%s%02x%02x%02x%02x:", i ? " " : "", said[i]->oui[0], said[i]->oui[1], said[i]->oui[2],
			    said[i]->subtype);
		for (unsigned j = 0; j < said[i]->len; j++)
			text_printf(out, "%02x", said[i]->bytes[j]);
	}
}

int lldp_query(struct sim *s, struct arena *a, struct lldp *out)
{
	struct { struct lldp_port *at; size_t n, room; } ports = { 0 };
	struct { struct lldp_neighbor *at; size_t n, room; } neighbors = { 0 };
	struct state *st = s->st;

	st->lldpd_asked++;
	if (st->lldpd_real)
		return really(a, out, NULL);
	if (st->lldpd_err || st->unprivileged)
		return st->lldpd_err ? -st->lldpd_err : -EACCES;
	for (unsigned i = 0; i < st->nnics; i++) {
		const struct lldp_count *c = &st->heard[i];

		if (!st->nic[i].present || c->deaf)
			continue;
		list_add(&ports, a) = (struct lldp_port){ .ifname = arena_strdup(a, st->nic[i].name), .received = c->received,
							  .discarded = c->discarded, .inserted = c->inserted,
							  .deleted = c->deleted, .expired = c->expired };
	}
	for (unsigned i = 0; i < SIM_FRAMES; i++) {
		struct lldp_neighbor n;

		if (!st->frame[i].len || !st->nic[st->frame[i].nic].present || st->heard[st->frame[i].nic].deaf ||
		    !decode(a, &st->frame[i], &n))
			continue;
		n.ifname = arena_strdup(a, st->nic[st->frame[i].nic].name);
		list_add(&neighbors, a) = n;
	}
	for (size_t i = 0; i < ports.n; i++)
		said_on(s, a, &ports.at[i]);
	*out = (struct lldp){ .port = ports.at, .nports = ports.n, .neighbor = neighbors.at, .n = neighbors.n };
	return 0;
}

/* --- simctl ------------------------------------------------------------------------ */

static bool same_sender(const struct lldp_neighbor *a, const struct lldp_neighbor *b)
{
	return !strcmp(a->chassis_id, b->chassis_id) && !strcmp(a->port_id, b->port_id);
}

/* The place of the neighbour that has sent a frame before, or a free one; NULL: there is none. */
static struct lldp_frame *place(struct sim *s, struct arena *a, unsigned nic, const struct lldp_neighbor *n)
{
	struct lldp_frame *empty = NULL;
	struct lldp_neighbor other;

	for (struct lldp_frame *f = s->st->frame; f < s->st->frame + SIM_FRAMES; f++) {
		if (!f->len)
			empty = empty ? empty : f;
		else if (f->nic == nic && decode(a, f, &other) && same_sender(n, &other))
			return f;
	}
	return empty;
}

static int hear(struct sim *s, unsigned nic, const struct lldp_frame *f)
{
	struct lldp_count *c = &s->st->heard[nic];
	struct lldp_neighbor n;
	struct lldp_frame *to;

	c->received++;
	if (!decode(s->arena, f, &n)) {
		c->discarded++;
		return 0;
	}
	to = place(s, s->arena, nic, &n);
	if (!to)
		return sim_refuse(s, -ENOSPC, "neighbor: no more than %d", SIM_FRAMES);
	c->inserted += !to->len;
	*to = *f;
	to->nic = nic;
	if (n.ttl)
		return 0;
	to->len = 0;
	c->deleted++;
	return 0;
}

static void put_tlv(struct lldp_frame *f, unsigned type, int subtype, const char *s, size_t n)
{
	size_t len = n + (subtype >= 0);

	if (f->len + 2 + len > sizeof(f->bytes) || len > 511)
		return;
	f->bytes[f->len++] = (uint8_t)(type << 1 | len >> 8);
	f->bytes[f->len++] = (uint8_t)len;
	if (subtype >= 0)
		f->bytes[f->len++] = (uint8_t)subtype;
	memcpy(f->bytes + f->len, s, n);
	f->len += (uint32_t)n;
}

/* Hexadecimal digits, blanks and newlines between them; -1: something else. */
static long bytes_of(const char *s, uint8_t *to, size_t room)
{
	long n = 0;
	char two[3] = "";

	for (; *s; s += strspn(s, " \n\t,")) {
		if (strspn(s, "0123456789abcdefABCDEF") < 2 || (size_t)n == room)
			return -1;
		memcpy(two, s, 2);
		to[n++] = (uint8_t)strtoul(two, NULL, 16);
		s += 2;
	}
	return n;
}

/* KEY=VALUE of `say` */
static int say_word(struct sim *s, const char *word, struct lldp_frame *f)
{
	const char *value = strchr(word, '=');
	uint8_t bytes[512];
	long n;

	value = value ? value + 1 : "";
	if (!strncmp(word, "descr=", 6)) {
		put_tlv(f, TLV_PORT_DESCR, -1, value, strlen(value));
	} else if (!strncmp(word, "mfs=", 4) && word_number(s, value, 0, UINT16_MAX, &n) == 0) {
		put_tlv(f, TLV_ORG, -1, (const char[]){ 0x00, 0x12, 0x0f, DOT3_MFS, (char)(n >> 8), (char)n }, 6);
	} else if (!strncmp(word, "tlv=", 4) && (n = bytes_of(value, bytes, sizeof(bytes))) >= 4) {
		put_tlv(f, TLV_ORG, -1, (const char *)bytes, (size_t)n);
	} else {
		return sim_refuse(s, -EINVAL, "neighbor: '%s' is neither descr=TEXT, mfs=BYTES nor tlv=OUI-SUBTYPE-BYTES", word);
	}
	return 0;
}

/* The chassis id is made of the name, so that one name is one switch. */
static int say(struct sim *s, unsigned nic, int argc, char *const *argv)
{
	struct lldp_frame f = { .len = HEADER };
	int r = 0;

	put_tlv(&f, TLV_CHASSIS, 7, argv[0], strlen(argv[0]));
	put_tlv(&f, TLV_PORT, 7, argv[1], strlen(argv[1]));
	put_tlv(&f, TLV_TTL, -1, "\0x", 2);
	put_tlv(&f, TLV_NAME, -1, argv[0], strlen(argv[0]));
	for (int i = 2; i < argc && r == 0; i++)
		r = say_word(s, argv[i], &f);
	put_tlv(&f, TLV_END, -1, "", 0);
	return r < 0 ? r : hear(s, nic, &f);
}

static void forget(struct sim *s, unsigned nic, bool expired)
{
	for (struct lldp_frame *f = s->st->frame; f < s->st->frame + SIM_FRAMES; f++) {
		if (!f->len || f->nic != nic)
			continue;
		f->len = 0;
		s->st->heard[nic].deleted++;
		s->st->heard[nic].expired += expired;
	}
}

/* Somebody else tells lldpd what to send on this NIC. */
static int tell(struct sim *s, unsigned nic, const char *hex)
{
	uint8_t bytes[511];
	long n = bytes_of(hex, bytes, sizeof(bytes));
	struct lldp_tlv t = { .info = bytes + 4, .n = n > 4 ? (size_t)n - 4 : 0 };

	if (n < 4)
		return sim_refuse(s, -EINVAL, "neighbor: tell OUI-SUBTYPE-BYTES, in hexadecimal");
	memcpy(t.oui, bytes, sizeof(t.oui));
	t.subtype = bytes[3];
	return add_said(s, nic, &t);
}

int order_neighbor(struct sim *s, int argc, char *const *argv, struct text *out)
{
	const struct nic *n = nic_by_name(s, argv[0]);
	struct lldp_frame f = { 0 };
	unsigned nic;
	long len;

	(void)out;
	if (!n)
		return sim_refuse(s, -ENODEV, "no NIC %s", argv[0]);
	nic = nic_number(s, n);
	s->st->lldpd_err = 0;
	if (!strcmp(argv[1], "say") && argc >= 4)
		return say(s, nic, argc - 2, argv + 2);
	if (!strcmp(argv[1], "frame") && argc == 3) {
		len = bytes_of(argv[2], f.bytes, sizeof(f.bytes));
		f.len = len > 0 ? (uint32_t)len : 0;
		return len > 0 ? hear(s, nic, &f) : sim_refuse(s, -EINVAL, "neighbor: the frame is no hexadecimal");
	}
	if (!strcmp(argv[1], "tell") && argc == 3)
		return tell(s, nic, argv[2]);
	if (argc != 2)
		return sim_refuse(s, -EINVAL, "neighbor IF: say NAME PORT …, frame HEX, expire, leave, deaf, tell HEX, none");
	if (!strcmp(argv[1], "expire") || !strcmp(argv[1], "leave"))
		forget(s, nic, argv[1][0] == 'e');
	else if (!strcmp(argv[1], "deaf"))
		s->st->heard[nic].deaf = true;
	else if (strcmp(argv[1], "none") != 0)
		return sim_refuse(s, -EINVAL, "neighbor: nothing is called %s", argv[1]);
	if (!strcmp(argv[1], "none")) {
		forget(s, nic, false);
		s->st->heard[nic] = (struct lldp_count){ 0 };
	}
	return 0;
}

int order_lldpd(struct sim *s, int argc, char *const *argv, struct text *out)
{
	static const struct { const char *word; int err; } words[] = {
		{ "runs", 0 }, { "absent", ENOENT }, { "ended", ECONNREFUSED }, { "denies", EACCES }, { "hangs", ETIMEDOUT },
		{ "leaves", ECONNRESET }, { "no-library", ELIBACC }, { "old", ENOSYS }, { "other-version", EPROTO },
	};

	(void)argc;
	(void)out;
	s->st->lldpd_real = !strcmp(argv[0], "real");
	if (s->st->lldpd_real)
		return 0;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(argv[0], words[i].word)) {
			s->st->lldpd_err = words[i].err;
			return 0;
		}
	return sim_refuse(s, -EINVAL, "lldpd: runs, real, absent, ended, denies, hangs, leaves, no-library, old, other-version");
}
