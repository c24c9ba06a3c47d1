/* SPDX-License-Identifier: Apache-2.0 */
/* What advertise.c (a port, as lldpd sends it now) and advertise_conf.c (the file that lldpd reads at its start) share. */
#ifndef SETTINGS_ADVERTISE_H
#define SETTINGS_ADVERTISE_H

#include "kernel/dcbx.h"
#include "kernel/lldp.h"
#include "model/change.h"

struct diags;
struct kernel;
struct text;

enum { DCBX_ADVERTISE };

extern const struct setting setting_advertise;

/* What a port is to say by DCBX. */
struct advertised {
	struct lldp_tlv tlv[DCBX_PARTS];	/* by part; n 0: this part is not said */
	uint8_t bytes[DCBX_PARTS][LLDP_INFO];
};

/**
 * advertise_due - PFC, ETS and APP as the port has them, and will have them once the policy is applied
 * @des: the policy's wishes; NULL: as the port is
 * Return: 0; -errno of dcbnl_get(); -EIO the device does not know what it has.
 */
int advertise_due(struct kernel *k, const struct target *t, const struct desired *des, struct advertised *out);
/** advertise_asked - the wish of a port, by the name of its netdev, that asks for it; NULL: none does */
const struct wish *advertise_asked(const struct desired *des, const char *ifname);
/**
 * advertise_obstacle - refuses a change, as owners_dcb() does and where another agent speaks DCBX on the port: a TLV that
 *	is neither ours nor what is due or is so. Return: was it refused
 */
bool advertise_obstacle(struct kernel *k, struct change *c, const struct advertised *due);
/** advertise_nobody - of lldp_get(): no lldpd runs here, and so nothing is sent */
bool advertise_nobody(int err);
/** advertise_end - what our file has lldpd send on this port, it sends no more; the rest is kept. Return: 0 or -errno */
int advertise_end(struct kernel *k, struct arena *a, const struct lldp_port *port);
/** advertise_said - "11:0808 12:00…": all that the port says by 802.1Qaz, by subtype, for an undo; in @a */
const char *advertise_said(struct arena *a, const struct lldp_port *port);
/** advertise_is - is @said what advertise_said() gives of this port */
bool advertise_is(struct arena *a, const struct lldp_port *port, const char *said);
/** advertise_back - has it said again, and nothing else by 802.1Qaz; @before may come from a journal. Return: 0; -EINVAL; -errno */
int advertise_back(struct kernel *k, struct arena *a, const char *ifname, const char *before);
/** advertise_line - "configure ports IF lldp custom-tlv …", with its newline; nothing if a line cannot hold that name */
void advertise_line(struct text *out, const char *ifname, const struct lldp_tlv *tlv);
/** advertise_bytes - as lldpcli spells them: "08,0a" */
void advertise_bytes(struct text *out, const uint8_t *s, size_t n);
/** advertise_ours - did we have lldpd send it: our file has it, or has others of the port and it says what the port has */
bool advertise_ours(struct kernel *k, const char *ifname, const struct lldp_tlv *tlv);

#endif
