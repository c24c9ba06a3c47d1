/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs an entry point over a corpus, and then, for as long as it is told, over inputs made from it by bending,
 * cutting and joining. Built with sanitizers it finds what libFuzzer finds, only without its sense of direction;
 * with clang, -fsanitize=fuzzer takes its place.
 *
 *	fuzz_NAME [-s SECONDS] [-r SEED] FILE|FOLDER...
 *
 * The input that brings a program down is left in ./crash-NAME.
 */
#include "fuzz.h"

#include <dirent.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define INPUT_MAX (1u << 18)
#define INPUTS	  512

struct input {
	uint8_t *at;
	size_t n;
};

static struct input inputs[INPUTS];
static size_t ninputs;

/* For whoever has to say what it was when nothing else works any more. */
static const uint8_t *now;
static size_t now_n;
static char crash_file[256];

void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

static void leave_crash(void)
{
	FILE *f = fopen(crash_file, "w");

	if (f) {
		fwrite(now, 1, now_n, f);
		fclose(f);
	}
	fprintf(stderr, "input left in %s (%zu bytes)\n", crash_file, now_n);
}

static void on_signal(int number)
{
	leave_crash();
	signal(number, SIG_DFL);
	raise(number);
}

/* A copy of exactly that size, so that a sanitizer sees every step beyond. */
static void run(const uint8_t *data, size_t n)
{
	uint8_t *copy = malloc(n ? n : 1);

	if (!copy)
		abort();
	if (n)
		memcpy(copy, data, n);
	now = copy;
	now_n = n;
	LLVMFuzzerTestOneInput(copy, n);
	free(copy);
}

static void load_file(const char *path)
{
	FILE *f = fopen(path, "r");
	uint8_t *buf = malloc(INPUT_MAX);

	if (!f || !buf || ninputs == INPUTS) {
		fprintf(stderr, "%s: cannot be taken\n", path);
		exit(1);
	}
	inputs[ninputs].n = fread(buf, 1, INPUT_MAX, f);
	inputs[ninputs++].at = buf;
	fclose(f);
}

static void load(const char *path)
{
	struct stat st;
	char file[4096];
	struct dirent *e;
	DIR *d;

	if (stat(path, &st) < 0 || !S_ISDIR(st.st_mode)) {
		load_file(path);
		return;
	}
	d = opendir(path);
	while (d && (e = readdir(d))) {
		snprintf(file, sizeof(file), "%s/%s", path, e->d_name);
		if (e->d_name[0] != '.')
			load_file(file);
	}
	if (d)
		closedir(d);
}

static uint64_t next(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

/* Numbers where lengths and signs turn over. */
static const uint32_t edges[] = { 0, 1, 2, 3, 4, 7, 8, 15, 16, 17, 20, 127, 128, 255, 256, 4095, 4096, 32767, 32768,
				  65535, 65536, 0x7fffffff, 0x80000000, 0xfffffffb, 0xffffffff };

static size_t bend_number(uint8_t *s, size_t n, uint64_t *seed)
{
	static const size_t sizes[] = { 1, 2, 4 };
	size_t size = sizes[next(seed) % 3], at;
	uint32_t v = edges[next(seed) % (sizeof(edges) / sizeof(edges[0]))];

	if (n < size)
		return n;
	at = next(seed) % (n - size + 1);
	if (next(seed) % 2)
		at -= at % size;
	memcpy(s + at, &v, size);
	return n;
}

static size_t cut_out(uint8_t *s, size_t n, uint64_t *seed)
{
	size_t at = n ? next(seed) % n : 0, len = n ? 1 + next(seed) % (n - at) : 0;

	if (next(seed) % 2 && len > 8)
		len = 1 + next(seed) % 8;
	memmove(s + at, s + at + len, n - at - len);
	return n - len;
}

/* A piece of any input goes in anywhere. */
static size_t put_in(uint8_t *s, size_t n, uint64_t *seed)
{
	const struct input *from = &inputs[next(seed) % ninputs];
	size_t at = next(seed) % (n + 1), start, len;

	if (!from->n)
		return n;
	start = next(seed) % from->n;
	len = 1 + next(seed) % (from->n - start);
	if (next(seed) % 2 && len > 16)
		len = 1 + next(seed) % 16;
	if (n + len > INPUT_MAX)
		return n;
	memmove(s + at + len, s + at, n - at);
	memcpy(s + at, from->at + start, len);
	return n + len;
}

static size_t mutate(uint8_t *s, size_t n, uint64_t *seed)
{
	for (uint64_t times = 1 + next(seed) % 6; times; times--)
		switch (next(seed) % 6) {
		case 0:
			n = cut_out(s, n, seed);
			break;
		case 1:
			n = put_in(s, n, seed);
			break;
		case 2:
			if (n)
				s[next(seed) % n] ^= (uint8_t)(1u << next(seed) % 8);
			break;
		case 3:
			if (n)
				s[next(seed) % n] = (uint8_t)next(seed);
			break;
		default:
			n = bend_number(s, n, seed);
		}
	return n;
}

static unsigned long explore(unsigned seconds, uint64_t seed)
{
	time_t stop = time(NULL) + seconds;
	uint8_t *buf = malloc(INPUT_MAX);
	unsigned long count = 0;

	if (!buf)
		abort();
	for (; count % 64 || time(NULL) < stop; count++) {
		const struct input *from = &inputs[next(&seed) % ninputs];
		size_t n = from->n;

		memcpy(buf, from->at, n);
		run(buf, mutate(buf, n, &seed));
	}
	free(buf);
	return count;
}

int main(int argc, char **argv)
{
	static const int signals[] = { SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL };
	const char *name = strrchr(argv[0], '/') ? strrchr(argv[0], '/') + 1 : argv[0];
	unsigned seconds = 0;
	uint64_t seed = 88172645463325252u;
	unsigned long count = 0;
	int c;

	while ((c = getopt(argc, argv, "s:r:")) != -1) {
		if (c == 's')
			seconds = (unsigned)atoi(optarg);
		else if (c == 'r')
			seed = strtoull(optarg, NULL, 0) | 1;
		else
			return 64;
	}
	for (int i = optind; i < argc; i++)
		load(argv[i]);
	if (!ninputs) {
		fprintf(stderr, "usage: %s [-s SECONDS] [-r SEED] FILE|FOLDER...\n", name);
		return 64;
	}
	snprintf(crash_file, sizeof(crash_file), "crash-%s", name);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		signal(signals[i], on_signal);
	if (__sanitizer_set_death_callback)
		__sanitizer_set_death_callback(leave_crash);
	for (size_t i = 0; i < ninputs; i++)
		run(inputs[i].at, inputs[i].n);
	if (seconds)
		count = explore(seconds, seed);
	for (size_t i = 0; i < ninputs; i++)
		free(inputs[i].at);
	printf("%s: %zu inputs, %lu made of them\n", name, ninputs, count);
	return 0;
}
