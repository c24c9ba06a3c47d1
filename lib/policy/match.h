/* SPDX-License-Identifier: Apache-2.0 */
/* Which ports a group means. */
#ifndef POLICY_MATCH_H
#define POLICY_MATCH_H

#include "policy/layer.h"

struct facts;

/** match_any - does the group name any criterion at all */
bool match_any(const struct part_of_layer *group);
/** match_within - does @narrow have a criterion at least as narrow for each of @wide's, so that what meets these meets those */
bool match_within(const struct item *const *narrow, const struct item *const *wide);
/** match_excluded - the first criterion of @wanted that no port of @group can meet; NULL: there is none */
const struct item *match_excluded(const struct part_of_layer *group, const struct item *const *wanted);
/**
 * match_port - does the port meet all criteria; those of a group or of an exception, by field
 * @rail: the port's number in its group; -1: it has none, and a criterion of it is not looked at
 */
bool match_port(const struct item *const *criteria, const struct port *port, int rail);
/**
 * match_rails - numbers for those ports of the facts that @in marks, from 0 in the order that the group asks for
 * @rail: set by port; -1 for others, and for all if the group asks for none
 * Return: 0; -EINVAL if the machine does not say what the order needs, told.
 */
int match_rails(const struct part_of_layer *group, const struct facts *f, const bool *in, int *rail, struct diags *d);
/** match_imagine - a port that would, for a policy that is judged without a machine */
void match_imagine(const struct part_of_layer *group, struct port *port);

#endif
