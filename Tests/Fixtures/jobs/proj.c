// header: proj.h
// package: proj
#include <proj.h>
#include <stdio.h>
int main(void) {
  PJ *p = proj_create(NULL, "+proj=utm +zone=32 +ellps=GRS80");
  PJ_COORD c = proj_trans(p, PJ_FWD, proj_coord(0.2, 0.9, 0, 0));
  printf("%.3f\n%.3f\n", c.xy.x, c.xy.y);
}
