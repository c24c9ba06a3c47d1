/* SPDX-License-Identifier: Apache-2.0 */
/* Which ports a group means. */
#ifndef POLICY_MATCH_H
#define POLICY_MATCH_H

#include "policy/layer.h"

/** match_any - does the group name any criterion at all */
bool match_any(const struct part_of_layer *group);
/** match_port - does the port meet all criteria of the group */
bool match_port(const struct part_of_layer *group, const struct port *port);
/** match_imagine - a port that would, for a policy that is judged without a machine */
void match_imagine(const struct part_of_layer *group, struct port *port);

#endif
