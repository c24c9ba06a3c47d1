/* SPDX-License-Identifier: Apache-2.0 */
/* The limit for whoever reads a policy: libyaml's bare event loop over one file. events FILE */
#include <stdio.h>
#include <stdlib.h>
#include <yaml.h>

int main(int argc, char **argv)
{
	FILE *f = argc == 2 ? fopen(argv[1], "r") : NULL;
	yaml_event_t e;
	yaml_parser_t p;
	unsigned long n = 0;
	int end = 0;

	if (!f || !yaml_parser_initialize(&p))
		return 1;
	yaml_parser_set_input_file(&p, f);
	while (!end) {
		if (!yaml_parser_parse(&p, &e))
			return 1;
		end = e.type == YAML_STREAM_END_EVENT;
		yaml_event_delete(&e);
		n++;
	}
	printf("%lu events\n", n);
	return 0;
}
