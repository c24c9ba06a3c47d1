/* SPDX-License-Identifier: Apache-2.0 */
/* lib/base/file and sha256: bounds, replacing in one step, links not followed, a lock that names its holder. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/file.h"
#include "base/sha256.h"
#include "base/text.h"

struct fixture {
	char dir[64];
	struct arena *a;
	struct diags d;
	int home;
};

static int enter(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	strcpy(f->dir, "/tmp/rdmactl-file-XXXXXX");
	f->a = arena_new();
	diags_init(&f->d, f->a);
	f->home = open(".", O_RDONLY | O_DIRECTORY);
	if (!mkdtemp(f->dir) || chdir(f->dir) < 0)
		return -1;
	*state = f;
	return 0;
}

static int leave(void **state)
{
	struct fixture *f = *state;
	static const char *const names[] = { "f", "link", "lock", "d/f", "fifo" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		unlink(names[i]);
	rmdir("d");
	if (fchdir(f->home) < 0 || rmdir(f->dir) < 0)	/* fails if a temporary file was left */
		return -1;
	close(f->home);
	arena_free(f->a);
	free(f);
	return 0;
}

static void put(const char *path, const char *s, size_t n)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_int_equal(write(fd, s, n), n);
	close(fd);
}

static const char *printed(struct fixture *f, struct text *t)
{
	text_reset(t);
	diags_print(&f->d, false, t);
	return text_str(t);
}

static void loads(void **state)
{
	struct fixture *f = *state;
	const struct source *s = NULL;

	put("f", "hello\n", 6);
	assert_int_equal(file_load(f->a, "f", 6, &s, &f->d), 0);
	assert_string_equal(s->name, "f");
	assert_string_equal(s->text, "hello\n");
	assert_int_equal(s->len, 6);
	put("f", "", 0);
	assert_int_equal(file_load(f->a, "f", 6, &s, &f->d), 0);
	assert_int_equal(s->len, 0);
	assert_string_equal(s->text, "");
	assert_int_equal(f->d.errors, 0);
}

static void refuses_to_load(void **state)
{
	struct fixture *f = *state;
	const struct source *s = NULL;
	TEXT_CLEANUP struct text t = { 0 };

	put("f", "hello\n", 6);
	assert_int_equal(file_load(f->a, "f", 5, &s, &f->d), -EFBIG);
	assert_int_equal(file_load(f->a, "missing", 5, &s, &f->d), -ENOENT);
	assert_int_equal(file_load(f->a, ".", 5, &s, &f->d), -EISDIR);
	assert_int_equal(file_load(f->a, "/dev/zero", 100000, &s, &f->d), -EFBIG);
	assert_null(s);
	assert_string_equal(printed(f, &t), "f: error: is longer than 5 bytes, the most that is taken\n"
					    "missing: error: cannot be read: No such file or directory\n"
					    ".: error: cannot be read: Is a directory\n"
					    "/dev/zero: error: is longer than 100000 bytes, the most that is taken\n");
}

/* A pipe of @n bytes as standard input; the writer is a child, since a pipe holds less. */
static void loads_standard_input(void **state)
{
	struct fixture *f = *state;
	const struct source *s = NULL;
	enum { N = 300000 };
	int pipefd[2], saved = dup(0), status;
	pid_t child;

	assert_int_equal(pipe(pipefd), 0);
	child = fork();
	if (child == 0) {
		close(pipefd[0]);
		for (int i = 0; i < N / 10; i++)
			if (write(pipefd[1], "0123456789", 10) != 10)
				_exit(1);
		_exit(0);
	}
	close(pipefd[1]);
	dup2(pipefd[0], 0);
	close(pipefd[0]);
	assert_int_equal(file_load(f->a, "-", N, &s, &f->d), 0);
	dup2(saved, 0);
	close(saved);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_string_equal(s->name, "<stdin>");
	assert_int_equal(s->len, N);
	assert_memory_equal(s->text + N - 10, "0123456789", 11);
}

static void assert_content(struct fixture *f, const char *path, const char *expected, mode_t mode)
{
	const struct source *s = NULL;
	struct stat st;

	assert_int_equal(file_load(f->a, path, 1000, &s, &f->d), 0);
	assert_string_equal(s->text, expected);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, mode);
}

static void replaces(void **state)
{
	struct fixture *f = *state;
	struct stat before, after;

	assert_int_equal(file_replace("f", "one", 3, 0640, &f->d), 0);
	assert_content(f, "f", "one", 0640);
	assert_int_equal(chmod("f", 0604), 0);
	assert_int_equal(stat("f", &before), 0);
	assert_int_equal(file_replace("f", "two", 3, 0640, &f->d), 0);
	assert_content(f, "f", "two", 0604);		/* mode of the old one */
	assert_int_equal(stat("f", &after), 0);
	assert_int_not_equal(before.st_ino, after.st_ino);
	assert_int_equal(mkdir("d", 0700), 0);
	assert_int_equal(file_replace("d/f", "", 0, 0600, &f->d), 0);
	assert_content(f, "d/f", "", 0600);
	assert_int_equal(f->d.errors, 0);
}

static void does_not_follow_links(void **state)
{
	struct fixture *f = *state;
	TEXT_CLEANUP struct text t = { 0 };

	put("f", "mine", 4);
	assert_int_equal(symlink("f", "link"), 0);
	assert_int_equal(file_replace("link", "two", 3, 0600, &f->d), -ELOOP);
	assert_content(f, "f", "mine", 0600);
	assert_string_equal(printed(f, &t),
			    "rdmactl: error: cannot write link: Too many levels of symbolic links\n"
			    "  hint: it is a symbolic link, which is not followed; name the file itself\n");
}

static void replaces_nothing_else(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(mkdir("d", 0700), 0);
	assert_int_equal(mkfifo("fifo", 0600), 0);
	assert_int_equal(file_replace("d", "x", 1, 0600, &f->d), -EEXIST);
	assert_int_equal(file_replace("fifo", "x", 1, 0600, &f->d), -EEXIST);
	assert_int_equal(file_replace("no/f", "x", 1, 0600, &f->d), -ENOENT);
	assert_int_equal(file_replace("d/", "x", 1, 0600, &f->d), -EISDIR);
	assert_int_equal(f->d.errors, 4);
}

static void locks(void **state)
{
	struct fixture *f = *state;
	TEXT_CLEANUP struct text t = { 0 };
	char expected[100];
	int fd = -1, other = -1;

	assert_int_equal(file_lock("lock", "apply", 0, &fd, &f->d), 0);
	assert_int_equal(file_lock("lock", "apply", 0, &other, &f->d), -EWOULDBLOCK);
	assert_int_equal(other, -1);
	snprintf(expected, sizeof(expected), "hint: held by process %ld, rdmactl apply, since 20", (long)getpid());
	printed(f, &t);
	assert_non_null(strstr(t.s, "rdmactl: error: another rdmactl holds the lock lock\n"));
	assert_non_null(strstr(t.s, expected));
	file_unlock(fd);
	assert_int_equal(file_lock("lock", "apply", 0, &other, &f->d), 0);
	file_unlock(other);
	assert_int_equal(symlink("f", "link"), 0);
	assert_int_equal(file_lock("link", "apply", 0, &other, &f->d), -ELOOP);
	assert_int_equal(access("f", F_OK), -1);
}

static void digests(void **state)
{
	static const struct {
		const char *in, *digest;
	} cases[] = {		/* FIPS 180-4 examples, and lengths around a block's end */
		{ "", "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
		{ "abc", "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
		{ "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
		  "sha256:248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1" },
		{ "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
		  "sha256:9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318" },
		{ "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
		  "sha256:ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb" },
	};
	char text[SHA256_TEXT], million[1000];
	struct sha256 s;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		sha256_text(cases[i].in, strlen(cases[i].in), text);
		assert_string_equal(text, cases[i].digest);
		sha256_init(&s);
		for (const char *p = cases[i].in; *p; p++)
			sha256_add(&s, p, 1);
		sha256_done_text(&s, text);
		assert_string_equal(text, cases[i].digest);
	}
	memset(million, 'a', sizeof(million));
	sha256_init(&s);
	for (int i = 0; i < 1000; i++)
		sha256_add(&s, million, sizeof(million));
	sha256_done_text(&s, text);
	assert_string_equal(text, "sha256:cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

#define IN_A_DIRECTORY(test) cmocka_unit_test_setup_teardown(test, enter, leave)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_A_DIRECTORY(loads),
		IN_A_DIRECTORY(refuses_to_load),
		IN_A_DIRECTORY(loads_standard_input),
		IN_A_DIRECTORY(replaces),
		IN_A_DIRECTORY(does_not_follow_links),
		IN_A_DIRECTORY(replaces_nothing_else),
		IN_A_DIRECTORY(locks),
		cmocka_unit_test(digests),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
