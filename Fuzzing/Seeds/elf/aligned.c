/* Notes that are aligned to eight bytes, ours behind somebody else's. */
__asm__(
  ".section .note.aligned,\"a\",@note\n"
  ".balign 8\n"
  ".long 4, 8, 5\n"
  ".asciz \"GNU\"\n"
  ".long 2, 0\n"
  ".balign 8\n"
  ".long 7, 2, 1\n"
  ".asciz \"Troupe\"\n"
  ".balign 8\n"
  ".ascii \"{}\"\n"
  ".balign 8\n");
