/* refused: area_map is not a function of the type void (char **, const intptr_t *, const intptr_t *, void *) */
#include <troupe.h>
static double area(double width, double height) { return width * height; }
static void area_map(double **args, intptr_t count) { args[0][0] = (double)count; }
extern const troupe_factory area_factory;
const troupe_factory area_factory = TROUPE_MAP_FACTORY(
  "2f0c1c9e-8a53-4d6e-9a4d-0d6c3f6c7a10", "area", TROUPE_NO_TAGS, area_map, double, area, (double width, double height));
