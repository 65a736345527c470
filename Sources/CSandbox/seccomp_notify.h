/*
 * Protects foreign processes from a plugin in a probe or a check: from its signals, and from changes of their memory, limits and scheduling.
 *
 * A filter of system calls, seccomp(2), allows nearly all calls. It cannot decide about those that name another process, since it knows
 * neither the parents of processes nor the memory that an argument points to. So the kernel asks the watching process, the parent of the
 * plugin's process, which owns every process that descends from it:
 *
 *    plugin's process ──kill(4711, SIGTERM)──► filter ──► kernel ──► watching process: does 4711 descend from me?
 *                     ◄──── the call runs ────────────────────────── yes, or there is no such process
 *                     ◄──── EPERM, and SIGSYS with the cause ─────── no
 *
 * The handler of SIGSYS reports the location of the call and ends the process. The guard also refuses what would blind it, such as another
 * filter. It needs no privilege, and Linux 5.5 on x86-64, AArch64 or 64-bit RISC-V. Elsewhere a probe is not guarded.
 */
#ifndef TROUPE_SECCOMP_NOTIFY_H
#define TROUPE_SECCOMP_NOTIFY_H

#include <stdint.h>
#include <sys/types.h>

/*
 * Guards the calling process and its descendants. Returns the descriptor on which the kernel asks, or -1 if the system has no such filters.
 * In C since a filter is a BPF program.
 */
int troupe_probe_filter_calls(void);

/*
 * Answers a question on such a descriptor. Returns the cause of a refusal, see probe.h, or 0; -1 if no question can be read or answered.
 *
 * watched: the process in which the plugin runs.
 */
int32_t troupe_probe_answer(int listener, pid_t watched);

#endif
