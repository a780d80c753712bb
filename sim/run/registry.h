/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lock models of this build. LOCK_MODEL() puts a pointer to each into a linker
 * section; here they are sorted by name and validated, once.
 */
#ifndef SIM_RUN_REGISTRY_H
#define SIM_RUN_REGISTRY_H

#include "sim/model.h"

/* NULL if @m is fit to be used, else what is wrong with it (static text). */
const char *registry_complaint(const struct lock_model *m);

/* Adds a model of a plug-in; lives from here on. NULL, or what is wrong with it. Before anybody asked for all. */
const char *registry_add(const struct lock_model *m);

/* All models, sorted by name; *@n is their number. A model with a complaint is an assertion. */
const struct lock_model *const *registry_all(unsigned *n);

/* By name, or NULL. */
const struct lock_model *registry_find(const char *name);

/* The names, sorted, NULL-terminated. */
const char *const *registry_names(void);

/* The known name nearest to @word, or NULL if none is near. */
const char *registry_nearest(const char *word);

#endif
