/* SPDX-License-Identifier: Apache-2.0 */
/* Tools of the card's firmware: flashing, resetting, registers, cables. rdmactl judges versions and flashes nothing. */
#include <string.h>

#include "explain/tool.h"

static const struct fact device[] = { { "-d --device --dev", .value = "DEVICE" }, { 0 } };

static bool has(const struct answer *a, const char *word, const char *other)
{
	for (size_t i = 1; i < a->command->n; i++)
		if (!strcmp(a->command->word[i], word) || !strcmp(a->command->word[i], other))
			return true;
	return false;
}

static void find_device(struct answer *a)
{
	for (size_t i = 1; i + 1 < a->command->n; i++)
		if (fact_named(device, a->command->word[i]))
			a->device = a->command->word[i + 1];
}

static void flash(struct answer *a, const struct tool *t)
{
	(void)t;
	find_device(a);
	if (!has(a, "burn", "b") && !has(a, "-u", "--online")) {
		answer_does(a, "shows the firmware that is stored and runs, and the board (PSID)");
		answer_no_policy(a, "firmware: {version: …, board: …} verifies what it shows");
		return;
	}
	answer_does(a, "writes another firmware into the card");
	answer_effect(a, &effect_flash);
	answer_no_policy(a, "out of scope: rdmactl does not flash; firmware: {version: …} verifies what runs and what "
			    "is stored");
}

static void reset(struct answer *a, const struct tool *t)
{
	(void)t;
	find_device(a);
	if (has(a, "query", "q")) {
		answer_does(a, "shows which resets the card takes");
		return;
	}
	answer_does(a, "resets the firmware, so that what was stored or configured runs");
	answer_effect(a, &effect_flash_reset);
}

static void registers(struct answer *a, const struct tool *t)
{
	(void)t;
	find_device(a);
	if (!has(a, "--set", "-s")) {
		answer_does(a, "shows a register of the card");
		return;
	}
	answer_does(a, "writes a register of the running firmware, beside the driver, which does not learn of it");
	answer_effect(a, &effect_reload);
	answer_beware(a, "it lasts until the firmware is reset, or the driver writes the register itself");
}

static void link_tool(struct answer *a, const struct tool *t)
{
	(void)t;
	find_device(a);
	if (has(a, "-a", "--port_state") || has(a, "-k", "--fec")) {
		answer_does(a, "changes the state or the error correction of the link");
		answer_effect(a, &effect_link);
		return;
	}
	answer_does(a, "shows the link of a port: speed, FEC, bit error rates (-c), module (-m), eye");
	answer_no_policy(a, "link: {state: up, speed: …} verifies state and speed");
}

static void mst(struct answer *a, const struct tool *t)
{
	(void)t;
	answer_does(a, "makes files below /dev/mst for the firmware tools; a PCI address works without them");
}

static void cables(struct answer *a, const struct tool *t)
{
	(void)t;
	answer_does(a, "shows or updates cables and modules");
}

#define MFT "of the vendor's firmware tools (MFT, mstflint)"
const struct tool tools_firmware[] = {
	{ .names = "flint mstflint mlxfwmanager mstfwmanager mlxup mlxburn", .is = MFT, .explain = flash },
	{ .names = "mlxfwreset mstfwreset", .is = MFT, .explain = reset,
	  .no_policy = "rdmactl resets no firmware; what waits for a "
										      "reset is told as pending" },
	{ .names = "mlxreg mstreg", .is = MFT, .explain = registers,
	  .no_policy = "rdmactl writes what the driver offers, never registers" },
	{ .names = "mlxlink mstlink", .is = MFT, .explain = link_tool,
	  .no_policy = "link.state and link.speed are verified, not set" },
	{ .names = "mst", .is = MFT, .explain = mst, .no_policy = "it is no setting" },
	{ .names = "mlxcables", .is = MFT, .explain = cables, .no_policy = "it is no setting of rdmactl" },
	{ 0 },
};
