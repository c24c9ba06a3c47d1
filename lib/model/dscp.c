/* SPDX-License-Identifier: Apache-2.0 */
/* Names of RFC 2474, 2597 and 3246. */
#include "model/dscp.h"

#include <ctype.h>
#include <strings.h>

bool dscp_named(const char *s, size_t n, unsigned *dscp)
{
	if (n == 2 && (!strncasecmp(s, "ef", 2) || !strncasecmp(s, "be", 2))) {
		*dscp = tolower((unsigned char)*s) == 'e' ? 46 : 0;
		return true;
	}
	if (n == 3 && !strncasecmp(s, "cs", 2) && s[2] >= '0' && s[2] <= '7') {
		*dscp = (unsigned)(s[2] - '0') * 8;
		return true;
	}
	if (n == 4 && !strncasecmp(s, "af", 2) && s[2] >= '1' && s[2] <= '4' && s[3] >= '1' && s[3] <= '3') {
		*dscp = (unsigned)(s[2] - '0') * 8 + (unsigned)(s[3] - '0') * 2;
		return true;
	}
	return false;
}
