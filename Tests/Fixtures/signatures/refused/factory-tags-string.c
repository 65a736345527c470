/* refused: are not an array of strings; declare static const char *const tags[] */
#include <troupe.h>
static double area(double width, double height) { return width * height; }
extern const troupe_factory area_factory;
const troupe_factory area_factory = TROUPE_FACTORY(
  "2f0c1c9e-8a53-4d6e-9a4d-0d6c3f6c7a10", "area", "geometry", double, area, (double width, double height));
