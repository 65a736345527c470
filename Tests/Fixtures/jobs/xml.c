// header: libxml/tree.h libxml/parser.h libxml/xmlreader.h
// package: libxml-2.0
#include <libxml/parser.h>
#include <libxml/tree.h>
#include <libxml/xmlreader.h>
#include <stdio.h>
int main(void) {
  const char *text = "<list kind=\"short\"><item>one</item><item>two</item></list>";
  xmlDocPtr document = xmlReadMemory(text, 58, NULL, NULL, 0);
  xmlNodePtr root = xmlDocGetRootElement(document);
  printf("%lu\n", xmlChildElementCount(root));
  printf("%s\n", xmlGetProp(root, (const xmlChar *)"kind"));
  printf("%s\n", xmlNodeGetContent(root->children->next));
  printf("%s\n", root->children->name);
  xmlTextReaderPtr reader = xmlReaderForMemory(text, 58, NULL, NULL, 0);
  xmlTextReaderRead(reader);
  printf("%d\n", xmlTextReaderAttributeCount(reader));
}
