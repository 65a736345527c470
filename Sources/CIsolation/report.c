#define _GNU_SOURCE
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "channel.h"
#include "filter_rules.h"
#include "instruction.h"

#if !defined(TROUPE_ARCHITECTURE)
#define TROUPE_ARCHITECTURE 0
#endif

static struct troupe_report *report;

/* The seconds after which the process ends if its calls cannot be found, for example because the signal interrupted the loader. */
enum { search_time = 1 };

/* Ends the process by the reported signal, whose handler is gone. */
static void end_search(int signal) {
  (void)signal;
  raise(report->signal);
}

static void report_signal(int signal, siginfo_t *information, void *context) {
  static atomic_flag is_reported = ATOMIC_FLAG_INIT;
  /* The first signal of the process counts. */
  if (!atomic_flag_test_and_set(&is_reported)) {
    /* SYS_SECCOMP, which the C library does not define: the filter has refused a call. */
    const int by_filter = 1;
    int is_refusal = signal == SIGSYS && information->si_code == by_filter;
    /* The numbers of another architecture have other names. */
    report->system_call = is_refusal && information->si_arch == TROUPE_ARCHITECTURE ? information->si_syscall : -1;
    report->address = (uint64_t)(uintptr_t)information->si_addr;
    report->instruction = troupe_instruction(context);
    __atomic_store_n(&report->signal, signal, __ATOMIC_RELEASE);
    struct sigaction ending = {.sa_handler = end_search};
    sigaction(SIGALRM, &ending, NULL);
    alarm(search_time);
    report->call_count = troupe_calls(context, report->calls);
  }
  /* The handler is gone (SA_RESETHAND), so that the signal ends the process. */
  raise(signal);
}

void troupe_report_signals(void *memory) {
  report = memory;
  troupe_prepare_calls();
  struct sigaction action = {.sa_sigaction = report_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESETHAND | SA_NODEFER};
  const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS};
  for (size_t index = 0; index < sizeof signals / sizeof *signals; index++) sigaction(signals[index], &action, NULL);
}

struct troupe_report troupe_report_read(const void *memory) {
  /* A copy, since the memory may still change. */
  struct troupe_report copy;
  memcpy(&copy, memory, sizeof copy);
  return copy;
}
