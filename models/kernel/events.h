/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lock events of the tree, by their names in its lock_events_list.h. They are counted by
 * the engine, per lock, so the tree's own counters (its lock_events.h) are left out.
 */
#ifndef MODELS_KERNEL_EVENTS_H
#define MODELS_KERNEL_EVENTS_H

#define __LOCKING_LOCK_EVENTS_H

enum lock_events {
#ifdef TREE_LOCK_EVENTS_LIST
#define LOCK_EVENT(word) LOCKEVENT_##word,
#include TREE_LOCK_EVENTS_LIST
#undef LOCK_EVENT
#endif
	lockevent_num,
};

/* For struct lock_model.events; defined once, in plugin.c. */
extern const char *const kw_plugin_events[];

#endif
