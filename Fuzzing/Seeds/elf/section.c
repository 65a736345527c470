/* A note that is in a section and in no segment, since it is not loaded. */
__asm__(
  ".section .note.troupe,\"\",@note\n"
  ".balign 4\n"
  ".long 7, 2, 1\n"
  ".asciz \"Troupe\"\n"
  ".balign 4\n"
  ".ascii \"{}\"\n"
  ".balign 4\n");
