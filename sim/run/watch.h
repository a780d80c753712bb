/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The watch: everything that looks at a run while it goes. It listens to the records,
 * folds them into statistics, lets the oracles look at the moments they care about, cuts
 * waits into pieces where somebody asks, and judges the expectations at the end.
 *
 *	records ─> watch ─┬─ fold_lock, fold_task, fold_cpu ─> struct run_result
 *	                  ├─ oracle_*  ─> findings
 *	                  ├─ account   ─> pieces of waits
 *	                  └─ expect    ─> verdicts
 *
 * Order of calls: create, start, (the run: finding, quiet), finish, free.
 */
#ifndef SIM_RUN_WATCH_H
#define SIM_RUN_WATCH_H

#include "sim/core/trace.h"
#include "sim/run/result.h"
#include "sim/run/run.h"

struct run_bound; /* sim/run/bind.h */
struct watch;

/*
 * A watch over @bound, whose tasks and locks exist already. Nothing is subscribed yet.
 * @options may be NULL. The watch borrows @bound, the scenario and the names in it until
 * watch_free().
 */
struct watch *watch_create(struct run_bound *bound, const struct run_options *options);

/* Subscribes to @trace (SIM_CLASS_REPORT). Before the first record of the run. */
void watch_start(struct watch *w, struct sim_trace *trace);

/*
 * Something was found out outside the oracles: WARN_ON and lockdep_assert_* of a model,
 * 10^6 accesses at one instant. @task and @lock as in records: 1 + index, 0 is none.
 * @text is copied. The first finding stops the run unless the scenario expects findings.
 */
void watch_finding(struct watch *w, enum run_finding_kind kind, uint32_t task, uint32_t lock, const char *text);

/*
 * machine->on_quiet: no event is left though tasks are alive. Lost wake-ups, deadlocks and stuck spinners show here.
 * The time of the last record: after that nothing happened but turns of spins.
 */
sim_time watch_quiet(struct watch *w);

/*
 * Everything before @at was processed. For oracles about what lasts: it must come at instants that the scenario
 * alone decides, since a finding may end the run.
 */
void watch_piece(struct watch *w, sim_time at);

/*
 * The run is over at @end (the end of the window, also when it ended early), and
 * sim_machine_sum_lines() was called. Last checks; then fills of @r: from, until, accounted,
 * lock, task, cpu, finding, verdict, done, throughput, done_name and done_count, oracle,
 * digest, records. All else of @r (names, seed, why it ended) is the caller's. The verdicts are those of
 * the scenario's own expectations; watch_judge_compare() makes those of a compare block.
 * @complete: the run was not cut short (by a limit, a signal or a finding): only then do
 * expectations about the end mean anything; a cut run misses those that it left open.
 */
void watch_finish(struct watch *w, sim_time end, bool complete, struct run_result *r);
void watch_free(struct watch *w);

/* Has a finding been made that ends the run? */
bool watch_stopped(const struct watch *w);

/*
 * The verdicts of compare block number @block: @w watched the run under the other model and was
 * finished into @cmp->result; @own is the result under the scenario's own model.
 */
void watch_judge_compare(struct watch *w, unsigned block, const struct run_result *own, struct run_compare *cmp);

/* Frees what watch_finish() and watch_judge_compare() filled. */
void watch_result_clear(struct run_result *r);
void watch_verdicts_free(struct run_verdict *v, unsigned n);

#endif
