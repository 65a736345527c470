/* A plugin with descriptions. scripts/generate-plugins makes many of it: it replaces "facade" by a number, "Beacon" by a word, and, in the
 * plugins that require another one, "deface" by the number of that one. */
#include <troupe.h>

#ifdef REQUIRES
#define REQUIREMENT TROUPE_REQUIRES("org.example.described-deface ^1.0.0")
#else
#define REQUIREMENT
#endif

TROUPE_PLUGIN_WITH("org.example.described-facade", "Beacon facade", "1.2.0",
                   TROUPE_PLUGIN_DESCRIPTION("Measures a beacon. One of many plugins that a script has generated."), REQUIREMENT
                   TROUPE_SETTINGS(TROUPE_SETTING_INTEGER("digits", 3, 1, 17, "Digits behind the point"),
                                   TROUPE_SETTING_CHOICE("unit", "meter", "The unit of lengths", "meter", "foot")))

static double area(double width, double height) { return width * height; }

static int64_t position(const char *text, char character) {
  for (int64_t i = 0; text && text[i]; i++) {
    if (text[i] == character) return i;
  }
  return -1;
}

static const troupe_metadata area_texts[] = {
  TROUPE_DESCRIPTION("Returns the area of a rectangle. It is the product of both sides."),
  TROUPE_PARAMETER("width", "The width."),
  TROUPE_PARAMETER("height", "The height, in the unit of the width."),
  TROUPE_EXAMPLE("3, 4.5", "13.5"),
};
static const troupe_metadata position_texts[] = {
  TROUPE_DESCRIPTION("Returns the index of a character in a text, and -1 if the text lacks it."),
  TROUPE_PARAMETER("text", "The text."),
  TROUPE_PARAMETER("character", "The code of the character."),
  TROUPE_EXAMPLE("\"beacon\", 97", "2"),
};
static const char *const area_tags[] = {"geometry", "group-facade"};
static const char *const position_tags[] = {"text"};
static const troupe_factory factories[] = {
  TROUPE_FACTORY_WITH(area_texts, "b8b1f6a2-1c2d-4e3f-8a4b-5c6d7efacade", "area_facade", area_tags, double, area,
                      (double width, double height)),
  TROUPE_FACTORY_WITH(position_texts, "b8b1f6a2-1c2d-4e3f-8a4b-5c6d7ffacade", "position_facade", position_tags, int64_t,
                      position, (const char *text, char character)),
};

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  troupe_status status = registrar->register_factory(registrar, &factories[0]);
  return status == TROUPE_OK ? registrar->register_factory(registrar, &factories[1]) : status;
}
