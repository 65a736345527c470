/* refused: lacks an argument: behind the name write tags, map, result, function, (parameters) */
#include <troupe.h>
static double area(double width, double height) { return width * height; }
extern const troupe_factory area_factory;
const troupe_factory area_factory = TROUPE_MAP_FACTORY(
  "2f0c1c9e-8a53-4d6e-9a4d-0d6c3f6c7a10", "area", TROUPE_NO_TAGS, double, area, (double width, double height));
