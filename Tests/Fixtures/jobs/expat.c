// header: expat.h
// package: expat
#include <expat.h>
#include <stdio.h>
#include <string.h>
static void start(void *user, const char *name, const char **attributes) {
  printf("begin %s", name);
  for (; *attributes; attributes += 2) printf(" %s=%s", attributes[0], attributes[1]);
  printf("\n");
}
static void end(void *user, const char *name) { printf("end %s\n", name); }
static void characters(void *user, const char *text, int length) { printf("text %.*s\n", length, text); }
int main(void) {
  const char *text = "<list kind=\"short\" size=\"2\"><item>one</item><item>zwölf</item></list>";
  XML_Parser parser = XML_ParserCreate(NULL);
  XML_SetElementHandler(parser, start, end);
  XML_SetCharacterDataHandler(parser, characters);
  printf("%d\n", XML_Parse(parser, text, strlen(text), 1));
  printf("%ld\n", XML_GetCurrentByteIndex(parser));
  XML_ParserFree(parser);
}
