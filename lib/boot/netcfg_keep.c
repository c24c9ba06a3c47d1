/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a dump may hold of network managers' files. They have passwords in them (Wi-Fi, 802.1X, WireGuard), so of each
 * line only what netcfg looks at goes into a dump: sections, names of YAML mappings, and the keys listed here. The other
 * lines become empty ones, so that numbers stay true.
 */
#include <string.h>

#include "base/text.h"
#include "boot/netcfg_parts.h"

static const char *const keys[] = {
	/* systemd */
	"Name", "OriginalName", "MACAddress", "PermanentMACAddress", "Path", "Driver", "Type", "Kind", "Property",
	"WLANInterfaceType", "SSID", "BSSID", "Host", "Virtualization", "KernelCommandLine", "KernelVersion", "Version",
	"Credential", "Architecture", "Firmware", "MTUBytes", "UseMTU",
	/* NetworkManager */
	"uuid", "type", "interface-name", "autoconnect", "autoconnect-priority", "mtu", "mac-address", "unmanaged-devices",
	"unmanaged-devices+", "match-device", "managed", "ethernet.mtu", "infiniband.mtu",
	/* netplan */
	"set-name", "name", "macaddress", "driver",
	/* ifupdown */
	"iface", "auto", "mapping", "template", "rename", "no-auto-down", "no-scripts", "source", "source-directory",
	/* ifcfg, openib.conf */
	"DEVICE", "HWADDR", "MTU", "SET_IPOIB_CM", "IPOIB_MTU",
};

static bool word_is(const char *s, size_t n, const char *word)
{
	return strlen(word) == n && !memcmp(s, word, n);
}

static bool is_key(const char *s, size_t n)
{
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (word_is(s, n, keys[i]))
			return true;
	return n > 6 && !memcmp(s, "allow-", 6);
}

static bool holds(const char *s, size_t n, const char *word)
{
	return memmem(s, n, word, strlen(word)) != NULL;
}

/* A flow mapping in one line: whole, unless it may have a password in it. */
static bool may_keep_flow(const char *s, size_t n)
{
	static const char *const not[] = { "auth", "pass", "key", "secret", "psk", "private", "shared", "identity", "token", "pin",
					   "access-points" };

	for (size_t i = 0; i < sizeof(not) / sizeof(not[0]); i++)
		if (holds(s, n, not[i]))
			return false;
	return true;
}

static bool is_number(const char *s, size_t n)	/* the end of a joined line */
{
	while (n && s[n - 1] >= '0' && s[n - 1] <= '9')
		n--;
	return !n;
}

bool netcfg_keep(const char *s, size_t n)
{
	size_t key;

	for (; n && strchr(" \t", *s); s++)
		n--;
	n = text_trim(s, n);
	if (!n || *s == '[')
		return true;
	if (*s == '#' || *s == ';')
		return false;
	for (key = 0; key < n && !strchr(" \t=:", s[key]); key++)
		;
	if (is_key(s, key) || is_number(s, n))
		return may_keep_flow(s + key, holds(s, n, "{") ? n - key : 0);
	if (word_is(s, key, "up") || word_is(s, key, "post-up") || word_is(s, key, "pre-up"))
		return holds(s, n, "mtu");
	if (s[n - 1] == ':')
		return true;
	return holds(s, n, "{") && may_keep_flow(s, n);
}
