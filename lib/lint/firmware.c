/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Firmware ranges against the card: where the first number of a version names the family, a range of another family can
 * never hold, and one that reaches over several holds for cards that nobody meant.
 */
#include "settings/firmware.h"

#include "lint/lint.h"
#include "model/facts.h"
#include "model/record.h"
#include "model/vendor.h"

/* PCI device of Mellanox (15b3) to the first number of its firmware. */
static const struct {
	uint16_t device;
	uint32_t family;
	const char *name;
} cards[] = {
	{ 0x1013, 12, "ConnectX-4" },	 { 0x1015, 14, "ConnectX-4 Lx" }, { 0x1017, 16, "ConnectX-5" },
	{ 0x1019, 16, "ConnectX-5 Ex" }, { 0x101b, 20, "ConnectX-6" },	  { 0x101d, 22, "ConnectX-6 Dx" },
	{ 0x101f, 26, "ConnectX-6 Lx" }, { 0x1021, 28, "ConnectX-7" },	  { 0x1023, 40, "ConnectX-8" },
	{ 0xa2d2, 18, "BlueField" },	 { 0xa2d6, 24, "BlueField-2" },	  { 0xa2dc, 32, "BlueField-3" },
};

enum { MELLANOX = 0x15b3, CARDS = sizeof(cards) / sizeof(cards[0]) };

static bool families_of(const struct lint *l, const struct cell **version, uint32_t *low, uint32_t *high)
{
	*version = lint_cell(l, "firmware.version");
	return *version && l->group->port && catalog_vendor(l->catalog, l->group->driver)->firmware_family &&
	       firmware_families((*version)->value.text, low, high);
}

static bool spans(struct lint *l)
{
	const struct cell *version;
	uint32_t low, high;

	if (!families_of(l, &version, &low, &high))
		return false;
	if (low != high)
		lint_find(l, &version->pos,
			  "the range reaches from family %u to %u, and the first number names the card", low, high);
	return true;
}

static bool wrong_card(struct lint *l)
{
	const struct port *p = l->group->port;
	const struct cell *version;
	uint32_t low, high;

	if (!families_of(l, &version, &low, &high) || p->pci_vendor != MELLANOX)
		return false;
	for (size_t i = 0; i < CARDS; i++) {
		if (cards[i].device != p->pci_device)
			continue;
		if (low != cards[i].family)
			lint_find(l, &version->pos,
				  "the range is of family %u, but %04x:%04x is a %s, whose firmware is %u.x", low,
				  p->pci_vendor, p->pci_device, cards[i].name, cards[i].family);
		return true;
	}
	return false;
}

const struct lint_rule lint_firmware[] = {
	{ { "firmware-spans-families", SEVERITY_WARNING,
	    "A card of the higher family meets the lower bound with any firmware, so that nothing is checked.",
	    "mlx5: 16 is ConnectX-5, 22 ConnectX-6 Dx, 28 ConnectX-7, …",
	    "make a group for each family, by match: {id: …} or board",
	    "firmware.version of a driver whose versions begin with the family (match: {driver: mlx5_core})" },
	  .group = spans },
	{ { "firmware-of-other-card", SEVERITY_ERROR,
	    "The range can never hold, or holds for every firmware of this card.",
	    "mlx5: 16 is ConnectX-5, 22 ConnectX-6 Dx, 28 ConnectX-7, …",
	    "take the versions of this card's release notes",
	    "firmware.version, and match: {driver: mlx5_core, id: …}" },
	  AFTER("firmware-spans-families"),
	  .group = wrong_card },
	{ .is.name = NULL },
};
