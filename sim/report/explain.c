// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/core/diag.h"
#include "sim/report/report.h"

bool report_explain(GString *out, unsigned code)
{
	const struct sim_diag_info *info = sim_diag_info(code);

	if (!info)
		return false;
	g_string_append_printf(out, "LS-%03u %s (%s)\n\n%s\n", info->code, info->id,
			       info->severity == SIM_ERROR ? "error" : "warning", info->meaning);
	if (info->more && *info->more)
		g_string_append_printf(out, "\n%s\n", info->more);
	return true;
}
