/* SPDX-License-Identifier: Apache-2.0 */
/* One RTM_GETDCB answer. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "kernel/dcbnl.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct dcb dcb;
	char ifname[16];
	int r = dcbnl_decode(data, n, &dcb, ifname);

	if (r > 0 || (r == 0 && (dcb.napps > 512 || strnlen(ifname, sizeof(ifname)) == sizeof(ifname))))
		abort();
	return 0;
}
