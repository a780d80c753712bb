/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between story.c, which listens, and story_keep.c, which chooses. */
#ifndef SIM_RUN_STORY_IMPL_H
#define SIM_RUN_STORY_IMPL_H

#include "sim/run/story.h"

/* Is @wait among the worst so far? */
bool story_worth(const struct story *s, const struct story_wait *wait);
/* Takes @wait over: keeps it, and forgets another, or frees it. */
void story_keep(struct story *s, struct story_wait *wait);
void story_wait_free(struct story_wait *wait);
void story_pieces_free(struct story_piece *piece, unsigned n);
void story_book_free(struct story_book *b, uint32_t ntask);

#endif
