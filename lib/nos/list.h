/* SPDX-License-Identifier: Apache-2.0 */
/* The switch systems, a line each, read twice: to declare and to list. The order is that of enum fabric_nos. */
NOS(sonic)
NOS(cumulus)
NOS(eos)
NOS(nxos)
NOS(junos)
NOS(os10)
