// troupe_call of calls.h. The frame pointer makes unwinding independent of the number of stack words. Pairs of words are copied from the
// last to the first, in the order in which the stack grows.
#include "calls.h"

  .text
  .p2align 4
  .globl troupe_call
  .hidden troupe_call
  .type troupe_call, %function
troupe_call:
  .cfi_startproc
#if defined(__x86_64__)
#define FEATURES 0xc0000002, 4, 3  // GNU_PROPERTY_X86_FEATURE_1_AND: IBT, SHSTK
  endbr64
  pushq %rbp
  .cfi_def_cfa %rsp, 16
  .cfi_offset %rbp, -16
  movq %rsp, %rbp
  .cfi_def_cfa_register %rbp
  pushq %rbx
  .cfi_offset %rbx, -24
  pushq $0  // aligns the stack to 16 bytes
  movq %rdi, %r11
  movq %rsi, %rbx
  incq %rdx
  andq $-2, %rdx
  leaq TROUPE_STACK(%rbx), %rcx
  leaq (%rcx, %rdx, 8), %rax
  jmp 2f
1:
  subq $16, %rax
  movups (%rax), %xmm0
  subq $16, %rsp
  movaps %xmm0, (%rsp)
2:
  cmpq %rcx, %rax
  jne 1b
  .irp register, 0, 1, 2, 3, 4, 5, 6, 7
  movsd TROUPE_FLOATS + 8 * \register(%rbx), %xmm\register
  .endr
  movq (%rbx), %rdi
  movq 8(%rbx), %rsi
  movq 16(%rbx), %rdx
  movq 24(%rbx), %rcx
  movq 32(%rbx), %r8
  movq 40(%rbx), %r9
  // A function with variable arguments reads the number of floating-point registers.
  movl $8, %eax
  callq *%r11
  movsd %xmm0, TROUPE_RESULTS(%rbx)
  movq %rax, TROUPE_RESULTS+8(%rbx)
  movq %rdx, TROUPE_RESULTS+16(%rbx)
  movq %rax, TROUPE_RESULTS+24(%rbx)
  movsd %xmm0, TROUPE_FLOAT_RESULTS(%rbx)
  movsd %xmm1, TROUPE_FLOAT_RESULTS+8(%rbx)
  cmpb $1, TROUPE_RESULTS-16(%rbx)
  jb 3f
  fstpt TROUPE_RESULTS(%rbx)
  je 3f
  fstpt TROUPE_RESULTS+16(%rbx)
3:
  movq -8(%rbp), %rbx
  leave
  .cfi_def_cfa %rsp, 8
  retq
#elif defined(__aarch64__)
#define FEATURES 0xc0000000, 4, 1  // GNU_PROPERTY_AARCH64_FEATURE_1_AND: BTI
  hint #34  // bti c
  stp x29, x30, [sp, #-32]!
  .cfi_def_cfa sp, 32
  .cfi_offset x29, -32
  .cfi_offset x30, -24
  mov x29, sp
  .cfi_def_cfa_register x29
  str x19, [sp, #16]
  .cfi_offset x19, -16
  mov x16, x0
  mov x19, x1
  add x2, x2, #1
  and x2, x2, #~1
  add x9, x19, #TROUPE_STACK
  add x10, x9, x2, lsl #3
  b 2f
1:
  ldp x11, x12, [x10, #-16]!
  stp x11, x12, [sp, #-16]!
2:
  cmp x10, x9
  b.ne 1b
  ldp q0, q1, [x19, #TROUPE_FLOATS]
  ldp q2, q3, [x19, #TROUPE_FLOATS + 32]
  ldp q4, q5, [x19, #TROUPE_FLOATS + 64]
  ldp q6, q7, [x19, #TROUPE_FLOATS + 96]
  ldp x0, x1, [x19]
  ldp x2, x3, [x19, #16]
  ldp x4, x5, [x19, #32]
  ldp x6, x7, [x19, #48]
  ldr x8, [x19, #TROUPE_RESULTS - 16]
  blr x16
  stp x0, x1, [x19, #TROUPE_RESULTS]
  stp q0, q1, [x19, #TROUPE_FLOAT_RESULTS]
  stp q2, q3, [x19, #TROUPE_FLOAT_RESULTS + 32]
  ldr x19, [x29, #16]
  mov sp, x29
  ldp x29, x30, [sp], #32
  .cfi_def_cfa sp, 0
  ret
#endif
  .cfi_endproc
  .size troupe_call, . - troupe_call

#if defined(FEATURES)
  .section .note.gnu.property, "a"
  .p2align 3
  .long 4, 16, 5  // NT_GNU_PROPERTY_TYPE_0
  .asciz "GNU"
  .long FEATURES, 0
#endif
  .section .note.GNU-stack, "", %progbits
