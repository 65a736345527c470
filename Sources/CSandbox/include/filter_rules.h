/*
 * Builds the program of a seccomp(2) filter from rules. For the filters in C of probes and workers.
 */
#ifndef TROUPE_FILTER_RULES_H
#define TROUPE_FILTER_RULES_H

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>

/* The architecture whose calls a filter knows; not defined for others. */
#if defined(__x86_64__)
#define TROUPE_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define TROUPE_ARCHITECTURE AUDIT_ARCH_AARCH64
#elif defined(__riscv) && __riscv_xlen == 64
#define TROUPE_ARCHITECTURE AUDIT_ARCH_RISCV64
#endif

struct troupe_rules {
  struct sock_filter all[1024];
  unsigned short count;
};

static inline void troupe_rule(struct troupe_rules *rules, struct sock_filter rule) { rules->all[rules->count++] = rule; }

static inline void troupe_rule_load(struct troupe_rules *rules, size_t offset) {
  troupe_rule(rules, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset));
}

/* The lower half of an argument: process numbers, signals and commands are ints. */
static inline void troupe_rule_load_argument(struct troupe_rules *rules, int index) {
  troupe_rule_load(rules, offsetof(struct seccomp_data, args) + sizeof(uint64_t) * (size_t)index);
}

static inline void troupe_rule_return(struct troupe_rules *rules, uint32_t verdict) {
  troupe_rule(rules, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, verdict));
}

/* Begins rules for a loaded number, up to troupe_rule_end_if. Returns the argument of troupe_rule_end_if. */
static inline int troupe_rule_if_equal(struct troupe_rules *rules, long number) {
  troupe_rule(rules, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 0, 0));
  return rules->count - 1;
}

static inline void troupe_rule_end_if(struct troupe_rules *rules, int place) {
  rules->all[place].jf = (unsigned char)(rules->count - place - 1);
}

static inline void troupe_rule_return_if(struct troupe_rules *rules, long number, uint32_t verdict) {
  int place = troupe_rule_if_equal(rules, number);
  troupe_rule_return(rules, verdict);
  troupe_rule_end_if(rules, place);
}

#endif
