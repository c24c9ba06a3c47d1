/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of rules, one per subject, read twice: to declare and to list. */
LINT(lossless)
LINT(marking)
LINT(mtu)
LINT(host)
