/* refused: is malformed; write 36 characters as in 2f0c1c9e-8a53-4d6e-9a4d-0d6c3f6c7a10 */
#include <troupe.h>
static double area(double width, double height) { return width * height; }
extern const troupe_factory area_factory;
const troupe_factory area_factory = TROUPE_FACTORY(
  "2f0c1c9e-8a53-4d6e-9a4d-0d6c3f6c7a100", "area", TROUPE_NO_TAGS, double, area, (double width, double height));
