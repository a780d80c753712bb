/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sim/core/prng.h"
#include "sim/core/trace.h"
#include "tests/unit/core/run.h"

static char path[64];

static void set_up(void)
{
	int fd;

	/* thousands of short files: in memory where that is possible */
	strcpy(path, access("/dev/shm", W_OK) ? "lstrace-test-XXXXXX" : "/dev/shm/lstrace-test-XXXXXX");
	fd = mkstemp(path);
	ck_assert_int_ge(fd, 0);
	close(fd);
}

static void tear_down(void)
{
	unlink(path);
}

static const char *const tasks[] = {"meteo", "worker[3]", NULL, ""};
static const char *const locks[] = {"mm", "bus", "third"};
static const char *const models[] = {"rwsem", NULL, "mutex"};
static const char *const strings[] = {"half time", "Übergabe"};
static const char *const facts[] = {"scenario=pathfinder.lks", "seed=1", "version=0.1.0", "marks=1"};
static const char *const mm_events[] = {"rwsem_rlock_steal", "rwsem_wlock_handoff", NULL};
static const char *const no_events[] = {NULL};
static const char *const *const events[] = {mm_events, NULL, no_events};
static const struct sim_names names = {
	.ncpus = 8,
	.ntasks = 4,
	.nlocks = 3,
	.nstrings = 2,
	.nfacts = 4,
	.task = tasks,
	.lock = locks,
	.string = strings,
	.lock_model = models,
	.lock_events = events,
	.facts = facts,
};

/* Records of all types; values of all lengths; times that mostly rise. */
static struct sim_rec record(unsigned i)
{
	static const struct sim_rec extreme = {
		UINT64_MAX, SIM_REC_TYPE_COUNT - 1, UINT16_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX,
		UINT64_MAX};
	uint64_t u = sim_draw(1, i, 0);

	if (i % 50 == 7)
		return extreme;
	return (struct sim_rec){
		.time = i % 50 == 9 ? 0 : i * UINT64_C(1000003) + u % 1000,
		.type = (uint16_t)(i % SIM_REC_TYPE_COUNT),
		.cpu = (uint16_t)(u >> 8) & 7,
		.task = (uint32_t)(u >> 16) & 3,
		.obj = (uint32_t)(u >> 24) & 3,
		.arg = u >> 32 & 1 ? (uint32_t)sim_draw(1, i, 1) >> (u >> 40 & 31) : 0,
		.val = u >> 33 & 1 ? sim_draw(1, i, 2) >> (u >> 48 & 63) : 0,
	};
}

static void write_trace(const struct sim_names *n, unsigned count)
{
	struct sim_trace_writer *w = sim_trace_writer_open(path, n);

	ck_assert_ptr_nonnull(w);
	for (unsigned i = 0; i < count; i++) {
		struct sim_rec rec = record(i);

		sim_trace_writer_take(w, &rec);
	}
	ck_assert_int_eq(sim_trace_writer_close(w), 0);
}

static bool same(const struct sim_rec *a, const struct sim_rec *b)
{
	return a->time == b->time && a->type == b->type && a->cpu == b->cpu && a->task == b->task &&
	       a->obj == b->obj && a->arg == b->arg && a->val == b->val;
}

static void read_back(unsigned count)
{
	const char *error;
	struct sim_trace_reader *r = sim_trace_reader_open(path, &error);
	struct sim_rec rec;

	ck_assert_msg(r, "%s", error);
	for (unsigned i = 0; i < count; i++) {
		struct sim_rec expected = record(i);

		if (sim_trace_reader_next(r, &rec, &error) != 1)
			ck_abort_msg("record %u: %s", i, error);
		if (!same(&rec, &expected))
			ck_abort_msg("record %u came back changed", i);
	}
	for (unsigned i = 0; i < 2; i++)
		ck_assert_msg(sim_trace_reader_next(r, &rec, &error) == 0, "%s", error);
	sim_trace_reader_close(r);
}

/* @_i: counts around none, few, and many times the buffer */
static const unsigned counts[] = {0, 1, 2, 1000, 300000};

START_TEST(test_round_trip)
{
	write_trace(&names, counts[_i]);
	read_back(counts[_i]);
}
END_TEST

START_TEST(test_names)
{
	const char *error;
	struct sim_trace_reader *r;
	const struct sim_names *n;

	write_trace(&names, 3);
	r = sim_trace_reader_open(path, &error);
	ck_assert_ptr_nonnull(r);
	n = sim_trace_reader_names(r);
	ck_assert_uint_eq(n->ncpus, 8);
	ck_assert(n->ntasks == 4 && n->nlocks == 3 && n->nstrings == 2 && n->nmarks == 1 && n->nfacts == 4);
	for (unsigned i = 0; i < 4; i++)
		ck_assert_pstr_eq(n->task[i], tasks[i]);
	for (unsigned i = 0; i < 3; i++) {
		ck_assert_str_eq(n->lock[i], locks[i]);
		ck_assert_pstr_eq(n->lock_model[i], models[i]);
	}
	for (unsigned i = 0; i < 4; i++)
		ck_assert_str_eq(n->facts[i], facts[i]);
	for (unsigned i = 0; i < 2; i++)
		ck_assert_str_eq(n->string[i], strings[i]);
	for (unsigned i = 0; i < 3; i++)
		ck_assert_pstr_eq(n->lock_events[0][i], mm_events[i]);
	ck_assert_ptr_null(n->lock_events[1]);
	ck_assert_ptr_null(n->lock_events[2]); /* an empty list and none are the same */
	sim_trace_reader_close(r);
}
END_TEST

/* Names longer than the buffer, and many. */
START_TEST(test_large_names)
{
	static char big[700000];
	static const char *many[100000];
	struct sim_names n = {.ncpus = 1, .ntasks = 100000, .task = many};
	const char *error;
	struct sim_trace_reader *r;

	memset(big, 'x', sizeof(big) - 1);
	for (unsigned i = 0; i < 100000; i++)
		many[i] = i == 50 ? big : "task";
	write_trace(&n, 10);
	read_back(10);
	r = sim_trace_reader_open(path, &error);
	ck_assert_str_eq(sim_trace_reader_names(r)->task[50], big);
	ck_assert_str_eq(sim_trace_reader_names(r)->task[99999], "task");
	sim_trace_reader_close(r);
}
END_TEST

static uint8_t bytes[1 << 16];

static size_t load(void)
{
	FILE *f = fopen(path, "rb");
	size_t n = fread(bytes, 1, sizeof(bytes), f);

	fclose(f);
	ck_assert_uint_lt(n, sizeof(bytes));
	return n;
}

static void store(size_t n)
{
	FILE *f = fopen(path, "wb");

	ck_assert_uint_eq(fwrite(bytes, 1, n, f), n);
	ck_assert_int_eq(fclose(f), 0);
}

/* Reads all there is: 0 complete, -1 not, with a reason in words. */
static int read_all(void)
{
	const char *error;
	struct sim_trace_reader *r = sim_trace_reader_open(path, &error);
	struct sim_rec rec;
	int status;

	if (!r) {
		ck_assert_ptr_nonnull(error);
		return -1;
	}
	while ((status = sim_trace_reader_next(r, &rec, &error)) == 1)
		;
	ck_assert((status == 0) == (error == NULL));
	sim_trace_reader_close(r);
	return status;
}

START_TEST(test_truncation_at_every_byte)
{
	size_t n;

	write_trace(&names, 100);
	n = load();
	for (size_t cut = 0; cut < n; cut++) {
		store(cut);
		ck_assert_msg(read_all() == -1, "a file cut to %zu of %zu bytes was taken", cut, n);
	}
	store(n);
	ck_assert_int_eq(read_all(), 0);
}
END_TEST

START_TEST(test_every_flipped_bit_is_noticed)
{
	size_t n;

	write_trace(&names, 40);
	n = load();
	for (size_t i = 0; i < n; i++)
		for (unsigned bit = 0; bit < 8; bit++) {
			bytes[i] ^= (uint8_t)(1 << bit);
			store(n);
			ck_assert_msg(read_all() == -1, "bit %u of byte %zu does not matter", bit, i);
			bytes[i] ^= (uint8_t)(1 << bit);
		}
}
END_TEST

/* Random garbage behind a good head; what is tested is that nothing breaks. */
START_TEST(test_garbage)
{
	size_t n;

	write_trace(&names, 40);
	n = load();
	for (unsigned round = 0; round < 1000; round++) {
		size_t from = 8 + sim_draw(5, round, 0) % (n - 8);

		for (size_t i = from; i < n; i++)
			bytes[i] = (uint8_t)sim_draw(5, round, i);
		store(n);
		ck_assert_int_eq(read_all(), -1);
	}
}
END_TEST

START_TEST(test_something_follows)
{
	size_t n;

	write_trace(&names, 5);
	n = load();
	bytes[n] = 0;
	store(n + 1);
	ck_assert_int_eq(read_all(), -1);
}
END_TEST

static void check_open_error(const char *what)
{
	const char *error;

	ck_assert_ptr_null(sim_trace_reader_open(path, &error));
	ck_assert_ptr_nonnull(error);
	ck_assert_msg(strstr(error, what), "\"%s\"", error);
}

START_TEST(test_bad_files)
{
	const char *error = "";

	check_open_error("not a trace file"); /* empty */
	memcpy(bytes, "LSTRACF\1", 8);
	store(8);
	check_open_error("not a trace file");
	memcpy(bytes, "LSTRACE\2", 8);
	store(8);
	check_open_error("version");
	memcpy(bytes, "LSTRACE\1", 8);
	store(8);
	check_open_error("ends within the names");
	memset(bytes + 8, 0xff, 12); /* a number without end */
	store(20);
	check_open_error("malformed");
	unlink(path);
	ck_assert_ptr_null(sim_trace_reader_open(path, &error));
	ck_assert_ptr_null(error);
	ck_assert_int_eq(errno, ENOENT);
	ck_assert_ptr_null(sim_trace_reader_open("/", &error));
	ck_assert_ptr_null(error);
	ck_assert_int_eq(errno, EISDIR);
	sim_trace_reader_close(NULL);
}
END_TEST

/* Announces 4 billion tasks, or a name of 2^60 bytes, in a few bytes: no memory may be spent on the word of a
 * file. */
START_TEST(test_big_words)
{
	static const uint8_t heads[][20] = {
		{'L', 'S', 'T', 'R', 'A', 'C', 'E', 1, 1, 0xff, 0xff, 0xff, 0xff, 0x0f, 2, 'a'},
		{'L',  'S',  'T',  'R',  'A',  'C',  'E',  1,    1,    1,
		 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f, 'a'},
	};

	for (unsigned i = 0; i < 2; i++) {
		memcpy(bytes, heads[i], 20);
		if (i == 0)
			memset(bytes + 16, 'a', 4);
		store(i ? 20 : 16);
		check_open_error("ends within the names");
	}
}
END_TEST

START_TEST(test_unwritable)
{
	struct sim_trace_writer *w;
	struct sim_rec rec;

	ck_assert_ptr_null(sim_trace_writer_open("/nowhere/at/all", &names));
	ck_assert_int_eq(errno, ENOENT);
	if (access("/dev/full", W_OK) != 0)
		return;
	for (unsigned count = 0; count <= 200000; count += 200000) {
		w = sim_trace_writer_open("/dev/full", &names);
		ck_assert_ptr_nonnull(w);
		for (unsigned i = 0; i < count; i++) {
			rec = record(i);
			sim_trace_writer_take(w, &rec);
		}
		ck_assert_int_eq(sim_trace_writer_close(w), -1);
		ck_assert_int_eq(errno, ENOSPC);
	}
}
END_TEST

/* Golden: the bytes of a small file. A change is a new version. */
START_TEST(test_form)
{
	static const char *const one_task[] = {"a"};
	static const struct sim_names n = {.ncpus = 2, .ntasks = 1, .task = one_task};
	static const struct sim_rec rec[] = {
		{.time = 300, .type = SIM_REC_WAKEUP, .cpu = 1, .task = 1, .val = 5},
		{.time = 200, .type = SIM_REC_SWITCH, .cpu = 1, .task = 1, .obj = 1, .arg = 2},
	};
	static const uint8_t expected[] = {
		'L', 'S',  'T',  'R',  'A', 'C', 'E', 1, /* head */
		2,   1,    2,    'a',  0,   0,   0,      /* cpus, tasks; no locks, strings, facts */
		2,   0x27, 0xd8, 0x04, 1,   1,   5,      /* wakeup: time +300, cpu, task, val */
		1,   0x19, 0xc7, 0x01, 1,   2,           /* switch: time -100, obj, arg */
		0,   2,                                  /* end, two records */
	};
	struct sim_trace_writer *w = sim_trace_writer_open(path, &n);

	sim_trace_writer_take(w, &rec[0]);
	sim_trace_writer_take(w, &rec[1]);
	ck_assert_int_eq(sim_trace_writer_close(w), 0);
	ck_assert_uint_eq(load(), sizeof(expected) + 16);
	ck_assert_mem_eq(bytes, expected, sizeof(expected));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("tracefile");
	TCase *tc = tcase_create("file");

	tcase_set_timeout(tc, 60);
	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_loop_test(tc, test_round_trip, 0, sizeof(counts) / sizeof(counts[0]));
	tcase_add_test(tc, test_names);
	tcase_add_test(tc, test_large_names);
	tcase_add_test(tc, test_truncation_at_every_byte);
	tcase_add_test(tc, test_every_flipped_bit_is_noticed);
	tcase_add_test(tc, test_garbage);
	tcase_add_test(tc, test_something_follows);
	tcase_add_test(tc, test_bad_files);
	tcase_add_test(tc, test_big_words);
	tcase_add_test(tc, test_unwritable);
	tcase_add_test(tc, test_form);
	suite_add_tcase(suite, tc);
	return run_suite(suite);
}
