/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of rules, one per subject, read twice: to declare and to list. What explains another stands before it. */
LINT(marking)
LINT(lossless)
LINT(cnp)
LINT(classes)
LINT(bandwidth)
LINT(mtu)
LINT(thresholds)
LINT(switches)
LINT(headroom)
LINT(firmware)
LINT(host)
LINT(comments)
