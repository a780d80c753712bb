/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What `lockstep kernel build` makes and `--kernel` loads: a shared object that exports
 * lockstep_kernel_plugin. Everything else in it is local to it.
 */
#ifndef SIM_PLUGIN_H
#define SIM_PLUGIN_H

#include "sim/model.h"

#define KERNEL_PLUGIN_ABI 1

struct kernel_plugin {
	unsigned abi;	   /* KERNEL_PLUGIN_ABI */
	const char *name;  /* --name, or "v" and the tree's version */
	const char *tree;  /* the tree's version: "6.1.192" */
	const char *built; /* by which lockstep */
	const struct lock_model *const *models;
	size_t nmodels;
	const char *percpu; /* template of the per-CPU section, never written */
	size_t percpu_bytes;
	/* Before every run, after the statics were restored: CPU 0's copy of the section, and the distance of copies. */
	void (*set_percpu)(char *base, size_t stride);
};

#endif
