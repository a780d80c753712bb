/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>
#include <string.h>

#include "sim/core/check.h"
#include "sim/core/diag.h"

#define ID_CHARS 48

/* Ids as C identifiers; underscores become dashes before main(). */
static char ids[][ID_CHARS] = {
#define D(code, id, severity, meaning, more) #id,
#include "sim/core/diag.def"
#undef D
};

#define INFOS (sizeof(ids) / sizeof(ids[0]))

enum { /* place in the tables */
#define D(code, id, severity, meaning, more) PLACE_##id,
#include "sim/core/diag.def"
#undef D
};

static const struct sim_diag_info infos[] = {
#define D(code, id, severity, meaning, more) {code, ids[PLACE_##id], severity, meaning, more},
#include "sim/core/diag.def"
#undef D
};

static void __attribute__((constructor)) dash_ids(void)
{
	for (unsigned i = 0; i < INFOS; i++)
		for (char *c = ids[i]; *c; c++)
			if (*c == '_')
				*c = '-';
}

const struct sim_diag_info *sim_diag_info(unsigned code)
{
	for (unsigned i = 0; i < INFOS; i++)
		if (infos[i].code == code)
			return &infos[i];
	return NULL;
}

const struct sim_diag_info *sim_diag_all(unsigned *n)
{
	*n = INFOS;
	return infos;
}

void sim_diag_add(struct sim_diags *d, enum sim_diag_code code, struct sim_pos pos, const char *fmt, ...)
{
	const struct sim_diag_info *info = sim_diag_info(code);
	struct sim_diag *diag;
	va_list args;

	sim_assert(info);
	if (info->severity == SIM_ERROR)
		d->errors++;
	d->dropped = d->count == SIM_DIAG_MAX;
	if (d->dropped)
		return;
	diag = &d->list[d->count++];
	*diag = (struct sim_diag){.code = code, .pos = pos};
	va_start(args, fmt);
	vsnprintf(diag->text, sizeof(diag->text), fmt, args);
	va_end(args);
	d->stopped = d->count == SIM_DIAG_MAX;
}

void sim_diag_note(struct sim_diags *d, const char *fmt, ...)
{
	struct sim_diag *diag;
	va_list args;

	if (!d->count || d->dropped)
		return;
	diag = &d->list[d->count - 1];
	va_start(args, fmt);
	vsnprintf(diag->note, sizeof(diag->note), fmt, args);
	va_end(args);
}
