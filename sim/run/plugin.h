/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Plug-ins: shared objects with lock models made of a kernel tree (sim/plugin.h). They are
 * code, so only the command line loads them, never a scenario. Every name gets a copy of
 * the file of its own: its own statics, its own per-CPU data.
 */
#ifndef SIM_RUN_PLUGIN_H
#define SIM_RUN_PLUGIN_H

#include <stdbool.h>
#include <stdint.h>

/*
 * @spec is PATH or NAME=PATH. Its models are registered as NAME:… (NAME-rt:… for
 * PREEMPT_RT); those of the first plug-in also as kernel:… and kernel-rt:…. False: *@error
 * says why; caller frees. Before anything else asks for models.
 */
bool plugin_load(const char *spec, char **error);

/* After kernel_setup() of every run: statics as they were after loading, fresh per-CPU copies, lines for both. */
void plugin_restore(void);

/* Is @site code of a plug-in? Then *@path is its file, and the result the place in it; else 0. */
uintptr_t plugin_code(const void *site, const char **path);

#endif
