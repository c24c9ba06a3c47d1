/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gid.version, gid.family: which entry of the GID table RoCE traffic can use. Verified only: the kernel makes the
 * entries from the addresses of the netdev. Speaks to the uverbs query (one ioctl a device), else to sysfs
 * (ports/N/gids, gid_attrs/types, gid_attrs/ndevs: three files an entry).
 *
 * An index is told, never wanted: 3 is RoCE v2 over IPv4 only on devices that have both versions and one address,
 * and it moves when addresses, VLANs or bonds change. In sysfs an empty entry reads as zeros in gids/ and as EINVAL
 * in gid_attrs/.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "kernel/files.h"
#include "kernel/kernel.h"
#include "model/setting.h"

enum { GID_VERSION, GID_FAMILY };
enum { V1, V2, VERSION_NONE };
enum { IPV4, IPV6, LINK_LOCAL, FAMILY_NONE };

static const char *const versions[] = { "v1", "v2", NULL };
static const char *const families[] = { "ipv4", "ipv6", "link-local", NULL };

/* Only observed: a table without any entry of the port has neither version nor family. */
static void print_word(const struct field *f, const struct value *v, struct text *out)
{
	int64_t n = 0;

	while (f->words[n])
		n++;
	text_add(out, v->num >= 0 && v->num < n ? f->words[v->num] : "none");
}

static const struct field fields[] = {
	[GID_VERSION] = { "gid.version", KIND_WORD, .words = versions, .print = print_word, .verify_only = true,
		      .doc = "RoCE version of a GID that must exist on the port's netdev" },
	[GID_FAMILY] = { "gid.family", KIND_WORD, .words = families, .print = print_word, .verify_only = true,
		     .follows = GID_VERSION + 1,
		     .doc = "address family of that GID; the index is reported, and is no part of a policy" },
	{ 0 },
};

enum { SCORE_FAMILY = 32, SCORE_VERSION = 64 };	/* a wish that is met; all else together is less */

struct search {
	const struct port *port;
	int64_t version, family;	/* wanted, or -1 */
	unsigned score;			/* of the best entry so far; 0: none */
	unsigned best_version, best_family;
	uint32_t index;
	uint8_t gid[16];
	bool others;			/* there are entries, of other netdevs */
	int err;			/* of an entry that could not be read, or 0 */
};

static unsigned gid_family(const uint8_t gid[16])
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

	if (!memcmp(gid, mapped, sizeof(mapped)))
		return IPV4;
	return gid[0] == 0xfe && (gid[1] & 0xc0) == 0x80 ? LINK_LOCAL : IPV6;
}

static bool gid_empty(const uint8_t gid[16])
{
	static const uint8_t zero[16];

	return !memcmp(gid, zero, sizeof(zero));
}

/*
 * The entry that both wishes take, else one that misses only the family: so that one fault is one row. Beyond the
 * wishes v2 is preferred to v1, IPv4 to IPv6 to link-local, and the lower index.
 */
static void search_try(struct search *s, const uint8_t gid[16], uint32_t index, unsigned version, bool ours)
{
	unsigned family = gid_family(gid);
	unsigned score = 1 + (version == V2 ? 3 : 0) + (LINK_LOCAL - family);

	if (gid_empty(gid))
		return;
	if (!ours) {
		s->others = true;
		return;
	}
	score += version == s->version ? SCORE_VERSION : 0;
	score += family == s->family ? SCORE_FAMILY : 0;
	if (score < s->score || (score == s->score && index > s->index))
		return;
	s->score = score;
	s->best_version = version;
	s->best_family = family;
	s->index = index;
	memcpy(s->gid, gid, sizeof(s->gid));
}

/* --- the two ways to the table ---------------------------------------------- */

/* A port without a netdev in this namespace owns whatever its table has. */
static bool ours_by_index(const struct port *p, uint32_t ifindex)
{
	return !p->ifindex || ifindex == p->ifindex || (p->master_ifindex && ifindex == p->master_ifindex);
}

static bool ours_by_name(const struct port *p, const char *ifname)
{
	return !*p->ifname || !strcmp(ifname, p->ifname) || (*p->master && !strcmp(ifname, p->master));
}

static int search_verbs(struct kernel *k, struct search *s)
{
	struct gid_entry entry[1024];	/* larger than any table of today: of 256 entries mlx5 fills a few */
	size_t n = 0;
	int r = kernel_gids(k, s->port->ibdev, entry, sizeof(entry) / sizeof(entry[0]), &n);

	if (r < 0)
		return r;
	for (size_t i = 0; i < n; i++)
		if (entry[i].port == s->port->ibport)
			search_try(s, entry[i].gid, entry[i].index, entry[i].type == 2 ? V2 : V1,
				   ours_by_index(s->port, entry[i].ifindex));
	return 0;
}

/* Return: 0, also for an empty entry; -errno: it could not be read */
static int search_file(struct kernel *k, struct search *s, const char *index)
{
	const struct port *p = s->port;
	const char *text, *type, *ndev;
	uint8_t gid[16];
	uint64_t number;
	int r = files_text(k, &text, "sys/class/infiniband/%s/ports/%u/gids/%s", p->ibdev, p->ibport, index);

	if (r < 0)
		return r;
	if (!text_u64(index, &number) || number > UINT32_MAX || inet_pton(AF_INET6, text, gid) != 1)
		return -EBADMSG;
	if (gid_empty(gid))
		return 0;
	r = files_text(k, &type, "sys/class/infiniband/%s/ports/%u/gid_attrs/types/%s", p->ibdev, p->ibport, index);
	if (r == 0)
		r = files_text(k, &ndev, "sys/class/infiniband/%s/ports/%u/gid_attrs/ndevs/%s", p->ibdev, p->ibport,
			       index);
	if (r < 0)
		return r == -EINVAL ? 0 : r;	/* the entry went between the reads */
	search_try(s, gid, (uint32_t)number, strcmp(type, "RoCE v2") == 0 ? V2 : V1, ours_by_name(p, ndev));
	return 0;
}

static int search_sysfs(struct kernel *k, struct search *s)
{
	struct names names = { 0 };
	char path[256];
	int r;

	if (!files_component(s->port->ibdev))
		return -EBADMSG;
	snprintf(path, sizeof(path), "sys/class/infiniband/%s/ports/%u/gids", s->port->ibdev, s->port->ibport);
	r = kernel_list(k, path, &names);
	if (r < 0)
		return r == -ENOENT ? -ENODEV : r;	/* the inventory had the device: it went since */
	for (size_t i = 0; i < names.n; i++) {
		r = search_file(k, s, names.at[i]);
		if (r < 0)
			s->err = r;
	}
	return 0;
}

/* --- the answer ------------------------------------------------------------- */

static void tell_cell(struct part *p, unsigned i, int64_t num, const char *via, const char *because, const char *remedy)
{
	if (!part_open(p, i))
		return;
	part_num(p, i, num, via);
	p->have->at[i].because = because;
	p->have->at[i].remedy = remedy;
}

static void tell_none(struct part *p, const char *via, const char *because, const char *remedy)
{
	tell_cell(p, GID_VERSION, VERSION_NONE, via, because, remedy);
	tell_cell(p, GID_FAMILY, FAMILY_NONE, via, because, remedy);
}

static const char *gid_text(struct arena *a, const struct search *s)
{
	char text[INET6_ADDRSTRLEN] = "";

	if (s->best_family == IPV4)
		inet_ntop(AF_INET, s->gid + 12, text, sizeof(text));
	else
		inet_ntop(AF_INET6, s->gid, text, sizeof(text));
	return arena_strdup(a, text);
}

static const char *version_remedy(const struct search *s)
{
	if (s->version < 0 || s->version == s->best_version)
		return NULL;
	return "the device offers no other version: ask for the one that it has";
}

static const char *family_remedy(const struct part *p, const struct search *s)
{
	static const char *const address[] = { "an IPv4", "a global IPv6", "a link-local IPv6" };

	if (s->family < 0 || s->family >= FAMILY_NONE || s->family == s->best_family)
		return NULL;
	return arena_printf(p->arena, "give %s %s address: the GID follows at once", s->port->name, address[s->family]);
}

static void tell_found(struct part *p, const struct search *s, bool met, const char *via)
{
	const char *because = arena_printf(p->arena, "%sindex %u, %s; an index differs between nodes and moves when "
						     "addresses change",
					   met ? "" : "there is none of this kind: the nearest is ", s->index,
					   gid_text(p->arena, s));

	tell_cell(p, GID_VERSION, s->best_version, via, because, version_remedy(s));
	tell_cell(p, GID_FAMILY, s->best_family, via, because, family_remedy(p, s));
}

static void tell(struct part *p, const struct search *s, const char *via)
{
	unsigned needed = (s->version >= 0 ? SCORE_VERSION : 0) + (s->family >= 0 ? SCORE_FAMILY : 0);
	bool met = s->score > needed;

	if (s->err && !met)		/* what was not read might be what is looked for */
		part_reasons(p, reason_of(s->err), via, "an entry of the GID table could not be read: %s",
			     strerror(-s->err));
	else if (s->score)
		tell_found(p, s, met, via);
	else if (s->others)
		tell_none(p, via, "all entries of the GID table belong to other netdevs, such as a VLAN of the port",
			  "give the port's own netdev an address");
	else
		tell_none(p, via, "the GID table is empty: RoCE is off on this function",
			  "roce: {enabled: true} and a reload; a VF's RoCE is switched on from its host");
}

/* What can be said without looking: leaves the cells open if there is a table to look at. */
static void tell_no_table(struct part *p)
{
	const struct port *port = p->target->port;

	if (!p->facts->rdma)
		part_reasons(p, part_no_rdma(p), NULL, "%s",
			     p->facts->rdma_why ? p->facts->rdma_why : "ib_core is not loaded");
	else if (port->link_layer == LINK_LAYER_INFINIBAND)
		part_reasons(p, REASON_DRIVER_LACKS, NULL, "an InfiniBand port: its GIDs have no RoCE version");
	else if (!strcmp(port->protocol, "iw"))
		part_reasons(p, REASON_DRIVER_LACKS, NULL, "an iWARP port: it has no RoCE GIDs");
	else if (!*port->ibdev)
		tell_none(p, "rdma netlink", "no RDMA device on this function, so no GID table",
			  "load the driver's RDMA module, or roce: {enabled: true} and a reload");
}

static int gid_read(struct kernel *k, struct part *p, struct diags *d)
{
	struct search s = { .port = p->target->port };
	const char *via = "uverbs QUERY_GID_TABLE";
	int r;

	(void)d;
	tell_no_table(p);
	if (!part_open(p, GID_VERSION) && !part_open(p, GID_FAMILY))
		return 0;
	s.version = record_num(p->want, GID_VERSION, -1);
	s.family = record_num(p->want, GID_FAMILY, -1);
	r = search_verbs(k, &s);
	if (r < 0) {
		via = "sysfs gid_attrs";
		r = search_sysfs(k, &s);
	}
	if (r < 0)
		return r;
	tell(p, &s, via);
	return 0;
}

const struct setting setting_gid = {
	.name = "gid",
	.why = "A job that pins an index, or finds no GID of its kind, fails to connect or uses the wrong version.",
	.scope = SCOPE_RDMA_PORT,
	.fields = fields,
	.live = { .read = gid_read, .interface = "GID table: uverbs QUERY_GID_TABLE, else sysfs gids and gid_attrs" },
};
