/*
 * geometry.c - an example plugin: plain C functions, for arguments from a user or a program
 *
 * None of these functions uses Troupe. Each is registered with a signature, through which the host calls it.
 * They keep no state, so the host may call them on several threads at once.
 */
#include <math.h>
#include <string.h>

#include <troupe.h>

TROUPE_PLUGIN_WITH("org.example.geometry", "Geometry", "1.0.0",
                   TROUPE_PLUGIN_DESCRIPTION("Areas, lengths, bearings and checksums, as plain functions in C."))

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

/* ---------------------------------------------------------------------------------------------------------------- */
/* Geometry                                                                                                         */
/* ---------------------------------------------------------------------------------------------------------------- */

static double area(double width, double height) {
  return width * height;
}

static double hypotenuse(double a, double b) {
  return hypot(a, b);
}

/*
 * The area of the polygon through `count` points, given as x0, y0, x1, y1, and so on, in either direction: the
 * shoelace formula, with the first point as its origin. The products are then as small as the polygon, so that a small
 * polygon far from the origin is measured precisely, too.
 */
static double polygon_area(const double *xy, size_t count) {
  double doubled = 0;
  for (size_t i = 2; i < count; i++) {
    double from_x = xy[2 * i - 2] - xy[0], from_y = xy[2 * i - 1] - xy[1];
    double to_x = xy[2 * i] - xy[0], to_y = xy[2 * i + 1] - xy[1];
    doubled += from_x * to_y - to_x * from_y;
  }
  return fabs(doubled) / 2;
}

static void order(double *larger, double *smaller) {
  if (*larger < *smaller) {
    double other = *larger;
    *larger = *smaller;
    *smaller = other;
  }
}

/*
 * The area of the triangle with these sides, NaN if there is none. Heron's formula loses all precision to rounding if
 * the triangle is a needle; this is Kahan's form of it, in which a >= b >= c and the parentheses must stay.
 */
static double triangle_area(double a, double b, double c) {
  order(&a, &b);
  order(&a, &c);
  order(&b, &c);
  double slack = c - (a - b);
  if (!(slack >= 0)) return NAN;
  return sqrt((a + (b + c)) * slack * (c + (a - b)) * (a + (b - c))) / 4;
}

/* The point of the compass for a bearing, clockwise from north; NULL if the bearing is not a finite number. The string
 * is a literal: it stays valid for as long as the plugin is loaded, and must not be freed. */
static const char *compass(double degrees) {
  static const char *const points[] = {"north", "north-east", "east", "south-east",
                                       "south", "south-west", "west", "north-west"};
  if (!isfinite(degrees)) return NULL;
  double turn = fmod(degrees, 360);
  if (turn < 0) turn += 360;
  /* Each point spans 45 degrees around its own bearing; bearings just below 360 are north again. */
  return points[(size_t)(turn / 45 + 0.5) % 8];
}

/* ---------------------------------------------------------------------------------------------------------------- */
/* Checksum                                                                                                         */
/* ---------------------------------------------------------------------------------------------------------------- */

/*
 * remainders[k][n] is the CRC register after the four bits n and 4 * k zero bits. The remainder of a sum is the sum of
 * the remainders, so 32 bits are processed at once by looking up each four of them and adding, which is exclusive or.
 *
 * To make the table, start from n and apply c -> c >> 1 ^ (c & 1 ? 0xEDB88320 : 0) to it 4 * (k + 1) times.
 */
static const uint32_t remainders[8][16] = {
  {0x00000000, 0x1DB71064, 0x3B6E20C8, 0x26D930AC, 0x76DC4190, 0x6B6B51F4, 0x4DB26158, 0x5005713C,
   0xEDB88320, 0xF00F9344, 0xD6D6A3E8, 0xCB61B38C, 0x9B64C2B0, 0x86D3D2D4, 0xA00AE278, 0xBDBDF21C},
  {0x00000000, 0x77073096, 0xEE0E612C, 0x990951BA, 0x076DC419, 0x706AF48F, 0xE963A535, 0x9E6495A3,
   0x0EDB8832, 0x79DCB8A4, 0xE0D5E91E, 0x97D2D988, 0x09B64C2B, 0x7EB17CBD, 0xE7B82D07, 0x90BF1D91},
  {0x00000000, 0x4AC21251, 0x958424A2, 0xDF4636F3, 0xF0794F05, 0xBABB5D54, 0x65FD6BA7, 0x2F3F79F6,
   0x3B83984B, 0x71418A1A, 0xAE07BCE9, 0xE4C5AEB8, 0xCBFAD74E, 0x8138C51F, 0x5E7EF3EC, 0x14BCE1BD},
  {0x00000000, 0x191B3141, 0x32366282, 0x2B2D53C3, 0x646CC504, 0x7D77F445, 0x565AA786, 0x4F4196C7,
   0xC8D98A08, 0xD1C2BB49, 0xFAEFE88A, 0xE3F4D9CB, 0xACB54F0C, 0xB5AE7E4D, 0x9E832D8E, 0x87981CCF},
  {0x00000000, 0x1C26A370, 0x384D46E0, 0x246BE590, 0x709A8DC0, 0x6CBC2EB0, 0x48D7CB20, 0x54F16850,
   0xE1351B80, 0xFD13B8F0, 0xD9785D60, 0xC55EFE10, 0x91AF9640, 0x8D893530, 0xA9E2D0A0, 0xB5C473D0},
  {0x00000000, 0x01C26A37, 0x0384D46E, 0x0246BE59, 0x0709A8DC, 0x06CBC2EB, 0x048D7CB2, 0x054F1685,
   0x0E1351B8, 0x0FD13B8F, 0x0D9785D6, 0x0C55EFE1, 0x091AF964, 0x08D89353, 0x0A9E2D0A, 0x0B5C473D},
  {0x00000000, 0x5019579F, 0xA032AF3E, 0xF02BF8A1, 0x9B14583D, 0xCB0D0FA2, 0x3B26F703, 0x6B3FA09C,
   0xED59B63B, 0xBD40E1A4, 0x4D6B1905, 0x1D724E9A, 0x764DEE06, 0x2654B999, 0xD67F4138, 0x866616A7},
  {0x00000000, 0xB8BC6765, 0xAA09C88B, 0x12B5AFEE, 0x8F629757, 0x37DEF032, 0x256B5FDC, 0x9DD738B9,
   0xC5B428EF, 0x7D084F8A, 0x6FBDE064, 0xD7018701, 0x4AD6BFB8, 0xF26AD8DD, 0xE0DF7733, 0x58631056},
};

/* The CRC-32 of zlib, PNG and Ethernet. */
static uint32_t crc32(const void *bytes, size_t count) {
  const uint8_t *next = bytes;
  uint32_t sum = 0xFFFFFFFF;
  for (; count >= 4; count -= 4, next += 4) {
    sum ^= next[0] | (uint32_t)next[1] << 8 | (uint32_t)next[2] << 16 | (uint32_t)next[3] << 24;
    sum = remainders[7][sum & 15] ^ remainders[6][sum >> 4 & 15] ^ remainders[5][sum >> 8 & 15] ^
          remainders[4][sum >> 12 & 15] ^ remainders[3][sum >> 16 & 15] ^ remainders[2][sum >> 20 & 15] ^
          remainders[1][sum >> 24 & 15] ^ remainders[0][sum >> 28];
  }
  for (; count > 0; count--, next++) {
    sum ^= *next;
    sum = remainders[1][sum & 15] ^ remainders[0][sum >> 4 & 15] ^ sum >> 8;
  }
  return ~sum;
}

/* The host may pass NULL for a string; it counts as an empty text. */
static uint32_t crc32_text(const char *text) {
  return text == NULL ? crc32(NULL, 0) : crc32(text, strlen(text));
}

/* ---------------------------------------------------------------------------------------------------------------- */
/* Registration                                                                                                     */
/* ---------------------------------------------------------------------------------------------------------------- */

static const char *const geometry_tags[] = {"geometry"};
static const char *const checksum_tags[] = {"checksum"};

/* The texts for users. `troupe catalog --check` runs the examples. */
static const troupe_metadata area_texts[] = {
  TROUPE_DESCRIPTION("Returns the area of a rectangle."),
  TROUPE_PARAMETER("width", "The width, in any unit."),
  TROUPE_PARAMETER("height", "The height, in the unit of the width."),
  TROUPE_EXAMPLE("3, 4.5", "13.5"),
};
static const troupe_metadata hypotenuse_texts[] = {
  TROUPE_DESCRIPTION("Returns the hypotenuse of a right triangle."),
  TROUPE_PARAMETER("a", "One of the sides at the right angle."),
  TROUPE_PARAMETER("b", "The other one."),
  TROUPE_EXAMPLE("3, 4", "5"),
};
static const troupe_metadata polygon_area_texts[] = {
  TROUPE_DESCRIPTION("Returns the area of a polygon."),
  TROUPE_PARAMETER("xy", "The corners in their order: x0, y0, x1, y1 and so on."),
  TROUPE_PARAMETER("count", "The number of corners."),
};
static const troupe_metadata triangle_area_texts[] = {
  TROUPE_DESCRIPTION("Returns the area of a triangle, NaN if no triangle has these sides."),
  TROUPE_EXAMPLE("3, 4, 5", "6"),
};
static const troupe_metadata compass_texts[] = {
  TROUPE_DESCRIPTION("Returns the point of the compass for a bearing, NULL if the bearing is not finite."),
  TROUPE_PARAMETER("degrees", "The bearing in degrees, clockwise from north."),
  TROUPE_EXAMPLE("225", "\"south-west\""),
};
static const troupe_metadata crc32_texts[] = {
  TROUPE_DESCRIPTION("Returns the CRC-32 of bytes, as zlib, PNG and Ethernet compute it."),
  TROUPE_PARAMETER("bytes", "The bytes."),
  TROUPE_PARAMETER("count", "Their number."),
};
static const troupe_metadata crc32_text_texts[] = {
  TROUPE_DESCRIPTION("Returns the CRC-32 of a text in UTF-8. NULL counts as an empty text."),
  TROUPE_PARAMETER("text", "The text."),
  TROUPE_EXAMPLE("\"123456789\"", "3421780262"),
};

/* TROUPE_FACTORY_WITH makes each signature, and the compiler refuses one that differs from the function's type. */
static const troupe_factory factories[] = {
  TROUPE_FACTORY_WITH(area_texts, "f5e07a66-2458-483c-8415-8bead275f039", "area", geometry_tags,
                      double, area, (double width, double height)),
  TROUPE_FACTORY_WITH(hypotenuse_texts, "45ee54b0-a1d9-408a-a712-a488ea6510e7", "hypotenuse", geometry_tags,
                      double, hypotenuse, (double a, double b)),
  TROUPE_FACTORY_WITH(polygon_area_texts, "8b9a03b9-6d40-409b-a439-2e9d913973e4", "polygon_area", geometry_tags,
                      double, polygon_area, (const double *xy, size_t count)),
  TROUPE_FACTORY_WITH(triangle_area_texts, "167a3ab7-b3f8-43be-b4cd-848bcabeae94", "triangle_area", geometry_tags,
                      double, triangle_area, (double a, double b, double c)),
  TROUPE_FACTORY_WITH(compass_texts, "2fc6c489-3ad8-43ac-9812-50641063e2e7", "compass", geometry_tags,
                      const char *, compass, (double degrees)),
  TROUPE_FACTORY_WITH(crc32_texts, "83fd3616-14be-4ced-90ba-fff8d277f1aa", "crc32", checksum_tags,
                      uint32_t, crc32, (const void *bytes, size_t count)),
  TROUPE_FACTORY_WITH(crc32_text_texts, "569f96a7-5a40-40f1-843a-3cd744aebcb9", "crc32_text", checksum_tags,
                      uint32_t, crc32_text, (const char *text)),
};

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  for (size_t i = 0; i < COUNT_OF(factories); i++) {
    troupe_status status = registrar->register_factory(registrar, &factories[i]);
    if (status != TROUPE_OK) return status;
  }
  return TROUPE_OK;
}
