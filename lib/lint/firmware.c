/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is asked for against what the group's ports are. Firmware ranges against the card: where the first number of a version
 * names the family, a range of another family can never hold, and one that reaches over several holds for cards that nobody
 * meant.
 */
#include "settings/firmware.h"

#include <string.h>

#include "base/text.h"
#include "base/units.h"
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

static bool denied(struct lint *l)
{
	const struct cell *version = lint_cell(l, "firmware.version"), *deny = lint_cell(l, "firmware.deny");
	struct diag *one;

	if (!version || !deny)
		return false;
	for (size_t i = 0; deny->value.texts[i]; i++) {
		if (!firmware_denied(version->value.text, deny->value.texts[i]))
			continue;
		one = lint_find(l, &version->pos, "firmware.version is %s, which firmware.deny forbids (line %u)", version->value.text,
				deny->pos.line);
		if (one) {
			one->other = deny->pos;
			one->other_what = "denied here";
		}
		break;
	}
	return true;
}

/* What match leaves over cannot be what is asked for. */
static bool not_of_match(struct lint *l)
{
	const struct port *p = l->group->port;
	const struct cell *speed = lint_cell(l, "link.speed"), *board = lint_cell(l, "firmware.board");
	TEXT_CLEANUP struct text t = { 0 };

	if (!p || !((speed && p->speed_mbps) || (board && *p->board)))
		return false;
	if (speed && p->speed_mbps && speed->value.num != p->speed_mbps) {
		units_print(p->speed_mbps, "Mb/s", &t);
		lint_find(l, &speed->pos, "link.speed differs from the speed that the group matches, %s", text_str(&t));
	}
	if (board && *p->board && strcmp(board->value.text, p->board) != 0)
		lint_find(l, &board->pos, "firmware.board differs from the board that the group matches, %s", p->board);
	return true;
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
	{ { "firmware-denied", SEVERITY_ERROR, "No version could ever be right: each port would be drift for ever.",
	    "the two keys are judged one after the other", "take another version, or take it from firmware.deny",
	    "firmware.version and firmware.deny" },
	  AFTER("firmware-of-other-card"),
	  .group = denied },
	{ { "not-of-match", SEVERITY_ERROR, "No port of the group could ever have it: each would be drift for ever.",
	    "a group's ports are those that meet all of its match",
	    "take it from match, or ask for the same; a link that is down or slow should still be in its group",
	    "match: {speed: …} and link.speed, or match: {board: …} and firmware.board" },
	  AFTER("firmware-spans-families"),
	  .group = not_of_match },
	{ .is.name = NULL },
};
