// SPDX-License-Identifier: GPL-2.0-or-later
/* The plug-in's entry: its models, its per-CPU section, the names of its events. */
#include "models/kernel/glue.h"
#include "sim/plugin.h"

extern const struct lock_model *const models_start[] __asm__("__start_kw_plugin_models")
	__attribute__((visibility("hidden")));
extern const struct lock_model *const models_stop[] __asm__("__stop_kw_plugin_models")
	__attribute__((visibility("hidden")));
extern char percpu_stop[] __asm__("__stop_kw_plugin_percpu") __attribute__((visibility("hidden")));

const char *const kw_plugin_events[] = {
#ifdef TREE_LOCK_EVENTS_LIST
#define LOCK_EVENT(word) #word,
#include TREE_LOCK_EVENTS_LIST
#endif
	NULL
};

static void set_percpu(char *base, size_t stride)
{
	kw_plugin_percpu_base = base;
	kw_plugin_percpu_stride = stride;
}

/* Filled at load time: the sections' ends are known to the linker, their number of models is not. */
struct kernel_plugin lockstep_kernel_plugin __attribute__((visibility("default"))) = {
	.abi = KERNEL_PLUGIN_ABI,
	.name = PLUGIN_NAME,
	.tree = TREE_VERSION,
	.built = LOCKSTEP_VERSION,
	.models = models_start,
	.percpu = kw_plugin_percpu_start,
	.set_percpu = set_percpu,
};

__attribute__((constructor)) static void measure(void)
{
	lockstep_kernel_plugin.nmodels = (size_t)(models_stop - models_start);
	lockstep_kernel_plugin.percpu_bytes = (size_t)(percpu_stop - kw_plugin_percpu_start);
}
