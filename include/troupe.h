/*
 * troupe.h - the Troupe plugin ABI, version 1.1
 *
 * A plugin is a shared library in a directory of plugins. The host reads its manifest without running its code, loads it, and
 * calls its entry, which registers factories. A plugin needs this header alone; there is no library to link.
 *
 *     #include <troupe.h>
 *
 *     TROUPE_PLUGIN("org.example.geometry", "Geometry", "1.0.0")
 *
 *     static double area(double width, double height) { return width * height; }
 *
 *     TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
 *       static const char *const tags[] = {"geometry"};
 *       static const troupe_factory factory = TROUPE_FACTORY(
 *         "2f0c1c9e-8a53-4d6e-9a4d-0d6c3f6c7a10", "area", tags, double, area, (double width, double height));
 *       return registrar->register_factory(registrar, &factory);
 *     }
 *
 * Who implements what
 *     The plugin defines troupe_plugin_main and writes the manifest with TROUPE_PLUGIN. The host implements troupe_registrar,
 *     troupe_host, troupe_resolver and troupe_output. A contract's table of functions, such as troupe_transform, is implemented
 *     by the side that made the instance: by the plugin for its own factories, by the host for instances made in Swift.
 *
 * Text
 *     Every string is UTF-8 and ends with a NUL.
 *
 * Memory
 *     Unless a function's comment differs, arguments are borrowed for the call, and the callee copies the parts that it keeps. An
 *     object owns the memory that its functions return. Memory that changes its owner is allocated with troupe_host.allocate
 *     and released with troupe_host.free. Tables of functions and the functions themselves must stay valid for as long as the
 *     plugin is loaded.
 *
 * Threads
 *     Each function carries a tag:
 *       [entry]       only on the thread that runs troupe_plugin_main, and only until it returns
 *       [any thread]  on any thread, also on several at once
 *       [one caller]  on any thread, but never on two at once for the same instance
 *
 * Versions
 *     The ABI version is MAJOR.MINOR. A host loads plugins of its own major version and of no newer minor version than
 *     its own. Minor versions add functions and macros, and append members to structs that begin with struct_size; the comment
 *     of each names its version. troupe_value, troupe_metadata and troupe_instance have no struct_size, and their layout never
 *     changes.
 *
 *     The side that fills in a struct sets struct_size to its own sizeof. The other side reads no byte beyond it:
 *       - The host takes members beyond the struct_size of a plugin as zero, and ignores members that it does not know. It refuses a
 *         struct that is smaller than in the ABI version of the plugin's manifest.
 *       - A plugin reads the members of its own ABI version without a check. Before it reads a member of a later version, or a member
 *         of another plugin's table, it checks that struct_size covers the member.
 *
 * Signals
 *     The handlers and the mask of signals belong to the program. A runtime in the plugin may install handlers of SIGSEGV, SIGBUS,
 *     SIGFPE, SIGILL and SIGTRAP that have SA_ONSTACK and forward a fault of other code to the handler before, and of SIGPIPE and
 *     SIGURG with SA_ONSTACK. A host loads a plugin that changes others only into a worker, a process of its own.
 *
 * Loading
 *     The constructors and the entry leave the rest of the process as it is. A host warns of variables set in the environment, of
 *     setlocale, of limits raised and of a thread bound to processors, and restores how floating-point numbers are calculated.
 *     It refuses a plugin that clears the environment, changes the working directory, the umask, users or timers, or closes
 *     descriptors of others.
 *
 * Leaving
 *     The library stays in memory until the process ends, also once the last instance and the last function of the plugin have been
 *     released. A program in Swift may ask its host to unmap such libraries (PluginHost.Options.unloadsImages). The host then leaves
 *     those that import functions which start threads, make thread keys, install signal handlers or open libraries. A plugin whose
 *     code may run for other reasons, such as a callback that another library keeps, is linked with -Wl,-z,nodelete.
 *
 * Trust
 *     A plugin runs in the host's process with all the rights of the host. It is trusted code: the host's checks find faults, not
 *     attacks.
 *
 * Headers
 *     Include this one. It includes troupe/types.h, the statuses and common types; troupe/plugin.h, the factories, the entry, the
 *     manifest and the registrar; troupe/host.h, the services and the resolver; troupe/transform.h, the contract of streaming
 *     stages; and troupe/signature.h, the macros that write signatures and factories.
 *
 * Each header compiles by itself as C11 and later and as C++11 and later.
 */
#ifndef TROUPE_H
#define TROUPE_H

#include "troupe/types.h"
#include "troupe/plugin.h"
#include "troupe/host.h"
#include "troupe/transform.h"
#include "troupe/signature.h"

#endif /* TROUPE_H */
