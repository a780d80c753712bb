# SPDX-License-Identifier: GPL-2.0-or-later
# The first fenced block of language `lang` on a page.
$0 == "```" lang { inside = 1; next }
inside && $0 == "```" { exit }
inside { print }
