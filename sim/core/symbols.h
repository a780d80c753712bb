/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of functions of this process by address: of the executable and of loaded plug-ins,
 * static ones included, from the symbol tables of their files. Same program, same names,
 * wherever it is loaded: a name is all that may come out of an address.
 */
#ifndef SIM_CORE_SYMBOLS_H
#define SIM_CORE_SYMBOLS_H

/*
 * The function that a call returns into at @addr, without what a compiler appends to the names of
 * its copies (".part.0"). NULL where the file has no symbols. The string lives until the process ends.
 */
const char *sim_symbol(const void *addr);

#endif
