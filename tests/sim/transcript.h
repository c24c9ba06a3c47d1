/* SPDX-License-Identifier: Apache-2.0 */
/* One conversation for two kernels: the simulated one, and a real one in the virtual machine of tests/vm. */
#ifndef TESTS_SIM_TRANSCRIPT_H
#define TESTS_SIM_TRANSCRIPT_H

struct kernel;
struct text;

/**
 * transcript - questions and orders to the machine behind @k, with nic0 and nic1 in their first state, and what it
 *	answered, as text. It leaves other values behind.
 */
void transcript(struct kernel *k, struct text *out);

/* Its parts that are about files. */
void transcript_reads(struct kernel *k, struct text *out);
void transcript_writes(struct kernel *k, struct text *out);

#endif
