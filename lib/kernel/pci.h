/* SPDX-License-Identifier: Apache-2.0 */
/* PCIe links from sysfs: each hop from a card to its root port. */
#ifndef KERNEL_PCI_H
#define KERNEL_PCI_H

#include <stddef.h>
#include <stdint.h>

struct kernel;

struct pci_hop {
	const char *bdf;		/* the end that these four belong to */
	uint32_t speed_mts, max_speed_mts;	/* 32000 = 32 GT/s; 0: unknown */
	uint32_t width, max_width;	/* lanes; 0: unknown (also where the kernel says 255) */
	int err;			/* why a file could not be read, or 0 */
};

/**
 * pci_hops - the PCI functions on the path @pci_path ("sys/devices/pci0000:26/0000:26:02.0/0000:27:00.0"), card first,
 *	root port last; hops are read once an observation, also where ports share a switch
 * Return: 0 or -errno if the card itself cannot be read.
 */
int pci_hops(struct kernel *k, const char *pci_path, const struct pci_hop **hop, size_t *n);
/**
 * pci_now - the least speed (MT/s) and width (lanes) on the path now, read at one end of each link: both ends tell the
 *	same, so this is enough to see that nothing is wrong, at a quarter of the files
 * Return: 0; a number is 0 if some link does not tell it. -ENODEV no card on the path; -errno of the first failure.
 */
int pci_now(struct kernel *k, const char *pci_path, uint32_t *speed_mts, uint32_t *width);
/** pci_speed_parse - "16.0 GT/s PCIe", "2.5 GT/s", "Unknown" (0) to MT/s; hostile text is 0 */
uint32_t pci_speed_parse(const char *s);

#endif
