/* SPDX-License-Identifier: Apache-2.0 */
/*
 * templates/switch in the program, so that it needs no folder of its own. The assembler takes the files in as they are;
 * the Makefile says that this object depends on them.
 */
#include "nos/templates.h"

#include <string.h>

#include "base/arena.h"

#define NOS(name) \
	__asm__(".pushsection .rodata\n" \
		"template_" #name ": .incbin \"templates/switch/" #name "\"\n" \
		"template_" #name "_end: .byte 0\n" \
		".global template_" #name ", template_" #name "_end\n" \
		".popsection\n"); \
	extern const char template_##name[], template_##name##_end[];
#include "nos/list.h"
#undef NOS

static const struct {
	const char *name, *path, *text, *end;
} built_in[] = {
#define NOS(name) { #name, "templates/switch/" #name, template_##name, template_##name##_end },
#include "nos/list.h"
#undef NOS
};

const struct source *templates_find(const char *name, struct arena *a)
{
	for (size_t i = 0; i < sizeof(built_in) / sizeof(built_in[0]); i++) {
		struct source *s;

		if (strcmp(built_in[i].name, name) != 0)
			continue;
		s = arena_new_of(a, struct source);
		*s = (struct source){ built_in[i].path, built_in[i].text, (size_t)(built_in[i].end - built_in[i].text) };
		return s;
	}
	return NULL;
}
