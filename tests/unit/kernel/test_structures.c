// SPDX-License-Identifier: GPL-2.0-or-later
/* Lists, trees, atomics and marked accesses as data structures: outside any machine. */
#include <check.h>
#include <stdlib.h>

#include "sim/core/prng.h"

#include "sim/kernel/words.h"

struct item {
	struct list_head list;
	struct rb_node node;
	unsigned key, seq;
	bool in;
};

static struct item item[200];

/* -- lists -- */

static void expect_list(struct list_head *head, const char *keys)
{
	struct list_head *pos, *prev = head;
	struct item *it;
	const char *k = keys;

	list_for_each(pos, head) {
		ck_assert_ptr_eq(pos->prev, prev);
		prev = pos;
	}
	ck_assert_ptr_eq(head->prev, prev);
	list_for_each_entry(it, head, list)
		ck_assert_int_eq(it->key, (unsigned)(*k++ - '0'));
	ck_assert_int_eq(*k, '\0');
	list_for_each_entry_reverse(it, head, list)
		ck_assert_int_eq(it->key, (unsigned)(*--k - '0'));
}

START_TEST(lists)
{
	LIST_HEAD(a);
	LIST_HEAD(b);
	struct item *it, *n;

	ck_assert(list_empty(&a));
	for (unsigned i = 0; i < 6; i++)
		item[i].key = i;
	list_add_tail(&item[1].list, &a);
	ck_assert(list_is_singular(&a));
	list_add_tail(&item[2].list, &a);
	list_add(&item[0].list, &a);
	list_add(&item[3].list, &item[2].list);
	expect_list(&a, "0123");
	ck_assert(list_is_first(&item[0].list, &a) && list_is_last(&item[3].list, &a) && !list_is_singular(&a));
	ck_assert_ptr_eq(list_first_entry(&a, struct item, list), &item[0]);
	ck_assert_ptr_eq(list_last_entry(&a, struct item, list), &item[3]);
	ck_assert_ptr_eq(list_next_entry(&item[1], list), &item[2]);
	ck_assert_ptr_null(list_first_entry_or_null(&b, struct item, list));
	list_move_tail(&item[0].list, &a);
	list_move(&item[3].list, &a);
	expect_list(&a, "3120");
	list_del(&item[1].list);
	ck_assert_ptr_eq(item[1].list.next, LIST_POISON1);
	expect_list(&a, "320");
	list_replace(&item[2].list, &item[4].list);
	expect_list(&a, "340");
	list_add_tail(&item[5].list, &b);
	list_splice_tail_init(&a, &b);
	expect_list(&b, "5340");
	ck_assert(list_empty_careful(&a));
	list_splice_init(&b, &a);
	list_splice(&b, &a); /* an empty list changes nothing */
	expect_list(&a, "5340");
	list_for_each_entry_safe(it, n, &a, list)
		list_del_init(&it->list);
	ck_assert(list_empty(&a) && list_empty(&item[5].list));
}
END_TEST

/* -- trees -- */

static bool less(struct rb_node *a, const struct rb_node *b)
{
	return rb_entry(a, struct item, node)->key < rb_entry(b, struct item, node)->key;
}

/* The black height, with the invariants checked on the way. */
static unsigned check_subtree(const struct rb_node *n, const struct rb_node *parent)
{
	unsigned left;

	if (!n)
		return 1;
	ck_assert_ptr_eq(n->rb_parent, parent);
	ck_assert(n->rb_black || (parent && parent->rb_black));
	left = check_subtree(n->rb_left, n);
	ck_assert_uint_eq(left, check_subtree(n->rb_right, n));
	return left + (unsigned)n->rb_black;
}

static void check_tree(struct rb_root_cached *root)
{
	struct rb_node *n, *prev = NULL;
	unsigned count = 0, in = 0;

	check_subtree(root->rb_root.rb_node, NULL);
	ck_assert_ptr_eq(root->rb_leftmost, rb_first(&root->rb_root));
	for (n = rb_first_cached(root); n; prev = n, n = rb_next(n)) {
		ck_assert_ptr_eq(rb_prev(n), prev);
		if (prev) {
			struct item *a = rb_entry(prev, struct item, node), *b = rb_entry(n, struct item, node);

			ck_assert(a->key < b->key || (a->key == b->key && a->seq < b->seq)); /* FIFO among equals */
		}
		count++;
	}
	ck_assert_ptr_eq(prev, rb_last(&root->rb_root));
	for (unsigned i = 0; i < ARRAY_SIZE(item); i++)
		in += item[i].in;
	ck_assert_uint_eq(count, in);
}

START_TEST(trees)
{
	struct rb_root_cached root = RB_ROOT_CACHED;
	uint64_t key = sim_stream((uint64_t)_i, "trees", 0);
	unsigned seq = 0;

	for (unsigned i = 0; i < ARRAY_SIZE(item); i++)
		item[i].in = false;
	for (unsigned step = 0; step < 3000; step++) {
		uint64_t u = sim_draw(key, 0, step);
		struct item *it = &item[u % ARRAY_SIZE(item)];
		bool first = rb_first_cached(&root) == &it->node;

		if (it->in) {
			struct rb_node *leftmost = rb_erase_cached(&it->node, &root);

			ck_assert_ptr_eq(leftmost, first ? root.rb_leftmost : NULL);
			RB_CLEAR_NODE(&it->node);
			ck_assert(RB_EMPTY_NODE(&it->node));
		} else {
			it->key = (unsigned)(u >> 20) % (_i ? 50 : 1000000);
			it->seq = seq++;
			struct rb_node *leftmost = rb_add_cached(&it->node, &root, less);

			ck_assert_ptr_eq(leftmost, rb_first_cached(&root) == &it->node ? &it->node : NULL);
			ck_assert(!RB_EMPTY_NODE(&it->node));
		}
		it->in = !it->in;
		if (step % 16 == 0)
			check_tree(&root);
	}
	check_tree(&root);
}
END_TEST

/* -- atomics -- */

#define check_width(p, A, T, one_high)                                                             \
	do {                                                                                       \
		struct {                                                                           \
			A before, v, after;                                                        \
		} s = { .v = { 5 } };                                                              \
		T old;                                                                             \
                                                                                                   \
		ck_assert(p##_read(&s.v) == 5);                                                    \
		ck_assert(p##_fetch_add_acquire(3, &s.v) == 5 && p##_add_return_release(-10, &s.v) == -2); \
		ck_assert(p##_read_acquire(&s.v) == -2 && p##_fetch_sub_relaxed(-2, &s.v) == -2);  \
		ck_assert(p##_sub_return(1, &s.v) == -1 && p##_add_negative(0, &s.v));             \
		ck_assert(p##_inc_return(&s.v) == 0 && p##_fetch_dec(&s.v) == 0 && p##_inc_and_test(&s.v)); \
		p##_set(&s.v, 0xf0);                                                               \
		ck_assert(p##_fetch_or_acquire(0xf, &s.v) == 0xf0 && p##_fetch_andnot_release(0x3, &s.v) == 0xff); \
		ck_assert(p##_fetch_and(0x0c, &s.v) == 0xfc && p##_fetch_xor(0xff, &s.v) == 0x0c);  \
		ck_assert(p##_read(&s.v) == 0xf3);                                                 \
		p##_or(one_high, &s.v);                                                            \
		ck_assert(p##_read(&s.v) < 0); /* the sign bit arrived */                          \
		p##_andnot(one_high, &s.v);                                                        \
		old = 1;                                                                           \
		ck_assert(!p##_try_cmpxchg(&s.v, &old, 7) && old == 0xf3);                         \
		ck_assert(p##_try_cmpxchg_acquire(&s.v, &old, -7) && p##_read(&s.v) == -7);        \
		ck_assert(p##_cmpxchg_release(&s.v, 1, 2) == -7 && p##_cmpxchg_relaxed(&s.v, -7, 2) == -7); \
		ck_assert(p##_xchg(&s.v, 1) == 2 && p##_sub_and_test(1, &s.v));                    \
		ck_assert(!p##_inc_not_zero(&s.v) && p##_add_unless(&s.v, 2, 1));                  \
		ck_assert(p##_dec_if_positive(&s.v) == 1 && p##_dec_and_test(&s.v));               \
		ck_assert(p##_dec_if_positive(&s.v) == -1 && p##_read(&s.v) == 0);                 \
		p##_set_release(&s.v, ~(one_high));                                                 \
		ck_assert(p##_inc_return_relaxed(&s.v) < 0); /* wraps */                           \
		ck_assert(p##_read(&s.before) == 0 && p##_read(&s.after) == 0);                    \
	} while (0)

START_TEST(atomics)
{
	check_width(atomic, atomic_t, int, (int)0x80000000u);
	check_width(atomic64, atomic64_t, s64, (s64)0x8000000000000000ull);
	check_width(atomic_long, atomic_long_t, long, (long)0x8000000000000000ull);
}
END_TEST

START_TEST(plain_words)
{
	struct {
		u8 a, b, c;
		s8 s;
		u16 h[2];
		u32 w[2];
		u64 d;
		bool f;
		const char *p;
	} m = { .b = 0x7f };
	const typeof(m) *view = &m;
	u8 old8 = 0x7f;
	u16 old16 = 1;
	const char *text = "x";

	ck_assert(READ_ONCE(view->b) == 0x7f && READ_ONCE(view->p) == NULL);
	ck_assert(cmpxchg(&m.b, 0x7f, 0x80) == 0x7f && !try_cmpxchg(&m.b, &old8, 1) && old8 == 0x80);
	ck_assert(m.a == 0 && m.c == 0); /* the neighbours are untouched */
	WRITE_ONCE(m.s, -3);
	ck_assert(READ_ONCE(m.s) == -3 && cmpxchg(&m.s, -3, -4) == -3 && m.s == -4);
	WRITE_ONCE(m.h[0], 0x12345);
	ck_assert(m.h[0] == 0x2345 && m.h[1] == 0 && !try_cmpxchg_acquire(&m.h[0], &old16, 3) && old16 == 0x2345);
	ck_assert(xchg(&m.w[0], 0xffffffffu) == 0 && m.w[1] == 0 && xchg_release(&m.w[0], 1u) == 0xffffffffu);
	smp_store_mb(m.d, 0x123456789abcdef0ull);
	ck_assert(smp_load_acquire(&m.d) == 0x123456789abcdef0ull);
	smp_store_release(&m.f, 2);
	ck_assert(m.f == true);
	ck_assert(cmpxchg(&m.p, NULL, text) == NULL && xchg(&m.p, NULL) == text);
	ck_assert(smp_cond_load_relaxed(&m.d, VAL != 0) == m.d);
}
END_TEST

START_TEST(small_macros)
{
	int a = 1, b = 2;
	static const char *const names[] = { "ONE", "TWO", "FOUR", NULL };
	char buf[12];

	swap(a, b);
	ck_assert(a == 2 && b == 1 && min(a, max(b, 5)) == 2 && clamp(7, 1, 3) == 3 && min_t(unsigned, 3, -1) == 3);
	ck_assert(IS_ERR(ERR_PTR(-EINTR)) && PTR_ERR(ERR_PTR(-EINTR)) == -EINTR && !IS_ERR(&a) && IS_ERR_OR_NULL(NULL));
	ck_assert(time_after(1UL, ULONG_MAX) && !time_after(5UL, 5UL) && time_before_eq(5UL, 5UL));
	ck_assert(DIV_ROUND_UP(5, 4) == 2 && BIT(3) == 8);
	kw_flags(buf, sizeof(buf), 5, names);
	ck_assert_str_eq(buf, "ONE|FOUR");
	kw_flags(buf, 8, 7, names); /* what does not fit is left out */
	ck_assert_str_eq(buf, "ONE|TWO");
	kw_flags(buf, sizeof(buf), 0, names);
	ck_assert_str_eq(buf, "");
}
END_TEST

int main(void)
{
	Suite *s = suite_create("structures");
	TCase *t = tcase_create("all");
	SRunner *r;
	int failed;

	tcase_add_test(t, lists);
	tcase_add_loop_test(t, trees, 0, 4);
	tcase_add_test(t, atomics);
	tcase_add_test(t, plain_words);
	tcase_add_test(t, small_macros);
	suite_add_tcase(s, t);
	r = srunner_create(s);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
