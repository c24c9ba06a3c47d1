/* SPDX-License-Identifier: Apache-2.0 */
/* A dump gives back what was recorded, in order, and refuses what is none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <linux/netlink.h>

#include "kernel/dump.h"
#include "kernel/files.h"
#include "root.h"

static const struct dump_header header = {
	.hostname = "gpu0001.example", .kernel = "6.12.9", .observed_at = "2026-11-29T13:00:00Z",
	.boot_id = "a93d0e20", .rdmactl = "0.1.0", .observed_s = 1795957200,
};

/* --- a machine to be recorded: files below a root, and doors that answer by rule ----------- */

struct machine {
	struct root *r;
	struct text out;
	struct kernel *k;		/* recording, or replay */
	struct dump_header h;
};

static int talk(struct kernel *k, int protocol, const void *request, size_t n, struct text *reply)
{
	(void)k;
	if (protocol == 20)
		return -EPROTONOSUPPORT;
	if (protocol == 7)
		return -ENODATA;
	text_addn(reply, "\0\1\2\xff", 4);
	text_addn(reply, (const char *)request + n - 1, 1);
	return 0;
}

static int ethtool(struct kernel *k, const char *ifname, void *cmd, size_t n)
{
	(void)k;
	if (strcmp(ifname, "eth0"))
		return -ENODEV;
	memset((char *)cmd + 4, 0xa5, n - 4);
	return 0;
}

static int verbs(struct kernel *k, const char *ibdev, uint32_t port, struct verbs_port *out)
{
	(void)k;
	(void)ibdev;
	*out = (struct verbs_port){ .active_mtu = 1024 * port, .max_mtu = 4096, .state = 4 };
	return 0;
}

static int gids(struct kernel *k, const char *ibdev, struct gid_entry *entry, size_t room, size_t *n)
{
	(void)k;
	(void)room;
	if (strcmp(ibdev, "mlx5_0"))
		return -EOPNOTSUPP;
	entry[0] = (struct gid_entry){ .gid = { 0xfe, 0x80, [15] = 1 }, .port = 1, .type = 2, .ifindex = 7 };
	entry[1] = (struct gid_entry){ .gid = { [10] = 0xff, 0xff, 10 }, .index = 3, .port = 1, .type = 2,
		.ifindex = 7 };
	*n = 2;
	return 0;
}

static int mkdir_once(struct kernel *k, const char *path)
{
	char name[256];

	(void)k;
	if (!strstr(path, "mlx5_0"))
		return -ENODEV;
	snprintf(name, sizeof(name), "%s/value", path);
	root_put(k->self, name, "one\\n");
	return 0;
}

static void machine_open(struct machine *m, bool with_files)
{
	memset(m, 0, sizeof(*m));
	m->r = root_open(NULL);
	m->r->ops.talk = talk;
	m->r->ops.ethtool = ethtool;
	m->r->ops.verbs = verbs;
	m->r->ops.gids = gids;
	if (with_files) {
		root_put(m->r, "sys/class/net/eth0/mtu", "9000\\n");
		root_put(m->r, "sys/class/net/eth1/mtu", "1500\\n");
		root_put(m->r, "sys/class/net/eth0/device", "@../../../devices/0000:03:00.0");
		root_put(m->r, "etc/weird", "quote \" backslash \\\\ tab\\tend");
		root_put(m->r, "etc/bell", "\a\\n");
		root_put(m->r, "etc/latin1", "M\xfcnchen\\n");
		root_put(m->r, "etc/empty", "");
	}
	m->r->k->asks_verbs = true;
	m->k = kernel_recording(m->r->a, m->r->k, &header, &m->out);
}

static void machine_replay(struct machine *m)
{
	m->k = kernel_replay(m->r->a, "node.dump", text_str(&m->out), m->out.n, &m->h, &m->r->d);
	assert_int_equal(m->r->d.n, 0);
	assert_non_null(m->k);
	m->k->asks_verbs = true;
}

static void machine_close(struct machine *m)
{
	text_done(&m->out);
	root_close(m->r);
}

/* Everything that is asked, in one text: recorded and replayed it must be the same. */
static void ask(struct kernel *k, struct text *said)
{
	static const char *const files[] = { "sys/class/net/eth0/mtu", "etc/weird", "etc/bell", "etc/latin1",
		"etc/empty",
					     "etc/none", "sys/class/net/eth0/mtu" };
	static const char *const dirs[] = { "sys/class/net", "etc/empty" };
	static const char *const links[] = { "sys/class/net/eth0/device", "etc/empty" };
	struct gid_entry entry[8];
	struct kernel_stat st;
	struct verbs_port v;
	struct names names;
	struct nlmsghdr request = { .nlmsg_len = 16, .nlmsg_type = 18, .nlmsg_seq = 5, .nlmsg_pid = 9 };
	char cmd[16] = { 3 };
	size_t n;
	int r;

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		r = kernel_read(k, files[i], said);
		text_printf(said, "|%d\n", r);
	}
	for (uint32_t offset = 0; offset <= 12; offset += 6) {
		char piece[6] = "";

		r = kernel_read_at(k, "etc/weird", offset, piece, sizeof(piece));
		text_addn(said, piece, sizeof(piece));
		text_printf(said, "|%d\n", r);
	}
	text_printf(said, "|%d\n", kernel_read_at(k, "etc/none", 0, cmd, sizeof(cmd)));
	for (size_t i = 0; i < 2; i++) {
		r = kernel_list(k, dirs[i], &names);
		for (size_t e = 0; r == 0 && e < names.n; e++)
			text_printf(said, "%s ", names.at[e]);
		text_printf(said, "|%d\n", r);
		r = kernel_link(k, links[i], said);
		text_printf(said, "|%d\n", r);
		r = kernel_stat(k, links[i], &st);
		text_printf(said, "%o|%d\n", r == 0 ? st.mode : 0, r);
	}
	for (int protocol = 0; protocol <= 20; protocol += 10) {
		r = kernel_talk(k, protocol, &request, sizeof(request), false, said);
		text_printf(said, "|%d\n", r);
	}
	for (size_t i = 0; i < 2; i++) {
		cmd[0] = (char)(3 + i);
		r = kernel_ethtool(k, "eth0", cmd, sizeof(cmd), false);
		text_addn(said, cmd, sizeof(cmd));
		text_printf(said, "|%d\n", r);
	}
	text_printf(said, "%d\n", kernel_ethtool(k, "eth9", cmd, sizeof(cmd), false));
	for (uint32_t port = 1; port < 3; port++) {
		r = kernel_verbs(k, "mlx5_0", port, &v);
		text_printf(said, "%u %u %u|%d\n", v.active_mtu, v.max_mtu, v.state, r);
	}
	r = kernel_gids(k, "mlx5_0", entry, 8, &n);
	text_printf(said, "%d %zu\n", r, n);
	for (size_t i = 0; i < n; i++)
		text_addn(said, &entry[i], sizeof(entry[i]));
	text_printf(said, "%d\n", kernel_gids(k, "mlx5_9", entry, 8, &n));
}

static void what_was_recorded_comes_back(void **state)
{
	struct text live = { 0 }, again = { 0 };
	struct machine m;

	(void)state;
	machine_open(&m, true);
	ask(m.k, &live);
	machine_replay(&m);
	ask(m.k, &again);
	assert_int_equal(live.n, again.n);
	assert_memory_equal(live.s, again.s, live.n);
	assert_string_equal(m.k->kind, "dump");
	assert_int_equal(m.k->observed_s, header.observed_s);
	assert_string_equal(m.h.hostname, header.hostname);
	assert_string_equal(m.h.boot_id, header.boot_id);
	assert_string_equal(m.h.observed_at, header.observed_at);
	text_done(&live);
	text_done(&again);
	machine_close(&m);
}

static void lines_are_readable(void **state)
{
	struct machine m;
	struct text t = { 0 };

	(void)state;
	machine_open(&m, true);
	kernel_read(m.k, "sys/class/net/eth0/mtu", &t);
	kernel_read(m.k, "etc/bell", &t);
	kernel_read(m.k, "etc/none", &t);
	assert_non_null(strstr(text_str(&m.out), "\n{\"read\":\"sys/class/net/eth0/mtu\",\"text\":\"9000\\n\"}\n"));
	assert_non_null(strstr(text_str(&m.out), "\n{\"read\":\"etc/bell\",\"hex\":\"070a\"}\n"));
	assert_non_null(strstr(text_str(&m.out), "\n{\"read\":\"etc/none\",\"error\":\"ENOENT\"}\n"));
	text_done(&t);
	machine_close(&m);
}

/* Twice asked, two answers; the last one stays. Sequence and port number make no other question. */
static void answers_come_in_order(void **state)
{
	struct nlmsghdr request = { .nlmsg_len = 16, .nlmsg_type = 18 };
	struct text t = { 0 };
	struct machine m;
	const char *s;

	(void)state;
	machine_open(&m, true);
	assert_int_equal(files_text(m.k, &s, "sys/class/net/eth0/mtu"), 0);
	root_put(m.r, "sys/class/net/eth0/mtu", "4200\\n");
	kernel_renew(m.k);
	assert_int_equal(files_text(m.k, &s, "sys/class/net/eth0/mtu"), 0);
	assert_int_equal(kernel_talk(m.k, 0, &request, sizeof(request), false, &t), 0);
	machine_replay(&m);
	for (int i = 0; i < 3; i++) {
		kernel_renew(m.k);
		assert_int_equal(files_text(m.k, &s, "sys/class/net/eth0/mtu"), 0);
		assert_string_equal(s, i ? "4200" : "9000");
	}
	request.nlmsg_seq = 77;
	request.nlmsg_pid = 12;
	assert_int_equal(kernel_talk(m.k, 0, &request, sizeof(request), false, &t), 0);
	request.nlmsg_type = 19;
	assert_int_equal(kernel_talk(m.k, 0, &request, sizeof(request), false, &t), -ENODATA);
	text_done(&t);
	machine_close(&m);
}

static void never_asked_is_no_answer(void **state)
{
	struct gid_entry entry;
	struct kernel_stat st;
	struct verbs_port v;
	struct names names;
	struct text t = { 0 };
	struct machine m;
	char cmd[8] = { 0 };
	size_t n;

	(void)state;
	machine_open(&m, true);
	assert_int_equal(kernel_talk(m.k, 7, cmd, sizeof(cmd), false, &t), -ENODATA);
	machine_replay(&m);
	assert_int_equal(kernel_read(m.k, "etc/weird", &t), -ENODATA);
	assert_int_equal(kernel_read_at(m.k, "etc/weird", 0, cmd, sizeof(cmd)), -ENODATA);
	assert_int_equal(kernel_list(m.k, "etc", &names), -ENODATA);
	assert_int_equal(kernel_link(m.k, "etc", &t), -ENODATA);
	assert_int_equal(kernel_stat(m.k, "etc", &st), -ENODATA);
	assert_int_equal(kernel_mkdir(m.k, "etc/x"), -ENODATA);
	assert_int_equal(kernel_rmdir(m.k, "etc/x"), -ENODATA);
	assert_int_equal(kernel_talk(m.k, 7, cmd, sizeof(cmd), false, &t), -ENODATA);
	assert_int_equal(kernel_ethtool(m.k, "eth0", cmd, sizeof(cmd), false), -ENODATA);
	assert_int_equal(kernel_verbs(m.k, "mlx5_0", 1, &v), -ENODATA);
	assert_int_equal(kernel_gids(m.k, "mlx5_0", &entry, 1, &n), -ENODATA);
	assert_int_equal(t.n, 0);
	machine_close(&m);
}

static void nothing_is_set(void **state)
{
	struct machine m;

	(void)state;
	machine_open(&m, true);
	for (int i = 0; i < 2; i++) {
		char cmd[8] = { 0 };
		struct text t = { 0 };

		assert_int_equal(kernel_write(m.k, "etc/weird", "x", 1), -EROFS);
		assert_int_equal(kernel_replace(m.k, "etc/weird", "x", 1, 0644), -EROFS);
		assert_int_equal(kernel_remove(m.k, "etc/weird"), -EROFS);
		assert_int_equal(kernel_talk(m.k, 0, cmd, sizeof(cmd), true, &t), -EROFS);
		assert_int_equal(kernel_ethtool(m.k, "eth0", cmd, sizeof(cmd), true), -EROFS);
		assert_int_equal(m.k->writes, 0);
		machine_replay(&m);
	}
	machine_close(&m);
}

/* The view of a configfs directory: absent, made, read, taken away; the replay goes the same way. */
static void a_directory_that_is_made(void **state)
{
	struct text t = { 0 };
	struct machine m;

	(void)state;
	machine_open(&m, false);
	m.r->ops.mkdir = mkdir_once;
	m.r->k->files_only = false;
	m.k->files_only = false;
	for (int replay = 0; replay < 2; replay++) {
		void *live = m.r->k->self;

		assert_int_equal(kernel_read(m.k, "config/mlx5_0/value", &t), -ENOENT);
		if (!replay)
			m.r->k->self = m.r;	/* mkdir_once wants the root */
		assert_int_equal(kernel_mkdir(m.k, "config/mlx5_0"), 0);
		assert_int_equal(kernel_mkdir(m.k, "config/mlx5_9"), -ENODEV);
		m.r->k->self = live;
		assert_int_equal(kernel_read(m.k, "config/mlx5_0/value", &t), 0);
		assert_string_equal(text_str(&t), "one\n");
		text_reset(&t);
		machine_replay(&m);
	}
	text_done(&t);
	machine_close(&m);
}

static void the_command_line_keeps_module_parameters(void **state)
{
	static const struct { const char *line, *want; } cases[] = {
		{ "BOOT_IMAGE=/vmlinuz root=UUID=1 quiet\\n", "" },
		{ "quiet ib_core.netns_mode=0 ro mlx5_core.debug_mask=1\\n",
		  "ib_core.netns_mode=0 mlx5_core.debug_mask=1\n" },
		{ "modprobe.blacklist=irdma,siw module_blacklist=rdma_rxe x\\n",
		  "modprobe.blacklist=irdma,siw module_blacklist=rdma_rxe " },
		{ "systemd.set_credential=pw:secret rd.luks.key=/k net.ifnames=0", "" },
		{ "a.b=\"two words\" password=x.y=z", "a.b=\"two words\" " },
		{ "\"c.d=1 2\"\\n", "\"c.d=1 2\"\n" },
		{ "e.f", "e.f\n" },
		{ ".x=1 y.=2 =3.4", "y.=2 " },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct text t = { 0 };
		struct machine m;

		machine_open(&m, false);
		root_put(m.r, "proc/cmdline", cases[i].line);
		print_message("%s\n", cases[i].line);
		assert_int_equal(kernel_read(m.k, "proc/cmdline", &t), 0);
		assert_string_equal(text_str(&t), cases[i].want);
		assert_null(strstr(text_str(&m.out), "secret"));
		text_done(&t);
		machine_close(&m);
	}
}

/* --- files that are no dumps ------------------------------------------------------------------ */

#define HEAD "{\"rdmactl-dump\":1,\"observed_s\":1}\n"
#define NEIGHBOR(tlvs)                                                                                                  \
	"{\"lldp\":\"neighbors\",\"ports\":[],\"neighbors\":[{\"ifname\":\"a\",\"protocol\":\"LLDP\",\"chassis_id\":\"c\"," \
	"\"chassis_name\":\"\",\"chassis_descr\":\"\",\"port_id\":\"p\",\"port_descr\":\"\",\"ttl\":1,\"changed_s\":0," \
	"\"mfs\":0,\"tlvs\":[" tlvs "]}]}\n"

static void files_that_are_no_dumps(void **state)
{
	static const struct { const char *text; uint32_t line; const char *says; } cases[] = {
		{ "", 0, "empty" },
		{ "hello\n", 1, "no dump" },
		{ "[]\n", 1, "no JSON object" },
		{ "{}\n", 1, "no dump" },
		{ "{\"rdmactl-dump\":\"1\"}\n", 1, "no dump" },
		{ "{\"rdmactl-dump\":2,\"observed_s\":1}\n", 1, "later rdmactl" },
		{ "{\"rdmactl-dump\":1}\n", 1, "no time" },
		{ HEAD "\n", 2, "no JSON" },
		{ HEAD "{\"read\":\"a\",\"text\":\"1\"}\n{\"read\":\"b\"", 3, "no JSON" },
		{ HEAD "{\"read\":\"a\"}\n", 2, "malformed" },
		{ HEAD "{\"read\":5,\"text\":\"1\"}\n", 2, "no text" },
		{ HEAD "{\"read\":\"a\\u0000b\",\"text\":\"1\"}\n", 2, "no text" },
		{ HEAD "{\"read\":\"a\",\"hex\":\"0\"}\n", 2, "malformed" },
		{ HEAD "{\"read\":\"a\",\"hex\":\"0G\"}\n", 2, "malformed" },
		{ HEAD "{\"read\":\"a\",\"error\":\"ENOSUCH\"}\n", 2, "no name" },
		{ HEAD "{\"read_at\":\"a\",\"hex\":\"00\"}\n", 2, "number is missing" },
		{ HEAD "{\"list\":\"a\",\"names\":\"b\"}\n", 2, "malformed" },
		{ HEAD "{\"list\":\"a\",\"names\":[\"..\"]}\n", 2, "malformed" },
		{ HEAD "{\"list\":\"a\",\"names\":[\"a/b\"]}\n", 2, "malformed" },
		{ HEAD "{\"list\":\"a\",\"names\":[null]}\n", 2, "malformed" },
		{ HEAD "{\"stat\":\"a\",\"mode\":-1,\"size\":0,\"mtime_ns\":0}\n", 2, "malformed" },
		{ HEAD "{\"talk\":0,\"request\":\"zz\",\"reply\":\"\"}\n", 2, "netlink request" },
		{ HEAD "{\"talk\":900,\"request\":\"00\",\"reply\":\"\"}\n", 2, "netlink request" },
		{ HEAD "{\"talk\":0,\"request\":\"00\"}\n", 2, "malformed" },
		{ HEAD "{\"ethtool\":\"a\",\"reply\":\"00\"}\n", 2, "number is missing" },
		{ HEAD "{\"verbs\":\"a\",\"port\":1,\"active_mtu\":1.5,\"max_mtu\":1,\"state\":1}\n", 2, "malformed" },
		{ HEAD "{\"gids\":\"a\",\"entries\":[1]}\n", 2, "malformed" },
		{ HEAD "{\"lldp\":\"neighbors\",\"ports\":[]}\n", 2, "malformed" },
		{ HEAD "{\"lldp\":\"neighbors\",\"ports\":[1],\"neighbors\":[]}\n", 2, "malformed" },
		{ HEAD "{\"lldp\":\"neighbors\",\"ports\":[{\"ifname\":\"a\"}],\"neighbors\":[]}\n", 2, "malformed" },
		{ HEAD "{\"lldp\":\"neighbors\",\"ports\":[],\"neighbors\":[{}]}\n", 2, "malformed" },
		{ HEAD NEIGHBOR("1"), 2, "malformed" },
		{ HEAD NEIGHBOR("{\"oui\":\"0080\",\"subtype\":11,\"info\":\"0808\"}"), 2, "malformed" },
		{ HEAD NEIGHBOR("{\"oui\":\"0080c2\",\"subtype\":256,\"info\":\"0808\"}"), 2, "malformed" },
		{ HEAD NEIGHBOR("{\"oui\":\"0080c2\",\"subtype\":11,\"info\":\"080\"}"), 2, "malformed" },
		{ HEAD "{\"gids\":\"a\",\"entries\":[{\"port\":1,\"index\":0,\"type\":2,\"ifindex\":1,\"gid\":\"00\"}]}\n", 2, "malformed" },
		{ HEAD "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[", 2, "no JSON" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct arena *a = arena_new();
		struct dump_header h = { .hostname = "untouched" };
		struct diags d;

		diags_init(&d, a);
		print_message("%s\n", cases[i].text);
		assert_null(kernel_replay(a, "x.dump", cases[i].text, strlen(cases[i].text), &h, &d));
		assert_int_equal(d.errors, 1);
		assert_non_null(strstr(d.at[0].what, cases[i].says));
		assert_int_equal(d.at[0].pos.source ? d.at[0].pos.line : 0, cases[i].line);
		assert_string_equal(h.hostname, "untouched");
		arena_free(a);
	}
}

/* A later rdmactl may ask more; what it asked besides is no concern of ours. */
static void lines_of_a_later_rdmactl(void **state)
{
	static const char text[] = HEAD "{\"lldpd\":\"neighbors\",\"xml\":\"\"}\n{\"read\":\"a\",\"text\":\"1\",\"more\":[]}";
	struct arena *a = arena_new();
	struct text t = { 0 };
	struct dump_header h;
	struct kernel *k;
	struct diags d;

	(void)state;
	diags_init(&d, a);
	k = kernel_replay(a, "x.dump", text, strlen(text), &h, &d);
	assert_non_null(k);
	assert_int_equal(kernel_read(k, "a", &t), 0);
	assert_string_equal(text_str(&t), "1");
	text_done(&t);
	arena_free(a);
}

static void a_line_too_long(void **state)
{
	size_t n = strlen(HEAD), room = n + (16u << 20) + 64;
	struct arena *a = arena_new();
	struct dump_header h;
	struct diags d;
	char *text = malloc(room);

	(void)state;
	assert_non_null(text);
	memcpy(text, HEAD, n);
	memset(text + n, ' ', room - n);
	diags_init(&d, a);
	assert_null(kernel_replay(a, "x.dump", text, room, &h, &d));
	assert_non_null(strstr(d.at[0].what, "16 MiB"));
	free(text);
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_recorded_comes_back),
		cmocka_unit_test(lines_are_readable),
		cmocka_unit_test(answers_come_in_order),
		cmocka_unit_test(never_asked_is_no_answer),
		cmocka_unit_test(nothing_is_set),
		cmocka_unit_test(a_directory_that_is_made),
		cmocka_unit_test(the_command_line_keeps_module_parameters),
		cmocka_unit_test(files_that_are_no_dumps),
		cmocka_unit_test(lines_of_a_later_rdmactl),
		cmocka_unit_test(a_line_too_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
