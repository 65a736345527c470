// header: cjson/cJSON.h
// package: libcjson
#include <cjson/cJSON.h>

#include "callbacks.h"
#include "drawn.h"

static const char text[] = "{\"a\": 1, \"A\": 2, \"s\": \"some\", \"t\": true, \"n\": null}";

int main(void) {
  cJSON *json = cJSON_Parse(text);
  drawn(cJSON_CreateString) puts(cJSON_PrintUnformatted(cJSON_CreateString("a \"text\"")));
  drawn(cJSON_Parse) {
    puts(cJSON_PrintUnformatted(cJSON_Parse(text)));
    puts(cJSON_Parse("[1") == NULL ? "null" : "a value");
  }
  drawn(cJSON_GetObjectItemCaseSensitive) printf("%d\n", cJSON_GetObjectItemCaseSensitive(json, "A")->valueint);
  drawn(cJSON_SetValuestring) {
    cJSON *string = cJSON_CreateString("some");
    puts(cJSON_SetValuestring(string, "another and longer"));
    puts(cJSON_PrintUnformatted(string));
  }
  drawn(cJSON_AddItemToObjectCS) {
    cJSON *object = cJSON_CreateObject();
    printf("%d\n", cJSON_AddItemToObjectCS(object, "key", cJSON_CreateNumber(2.5)));
    puts(cJSON_PrintUnformatted(object));
  }
  drawn(cJSON_GetObjectItem) {
    printf("%d\n", cJSON_GetObjectItem(json, "S")->type);
    puts(cJSON_GetObjectItem(json, "none") == NULL ? "null" : "an item");
  }
  drawn(cJSON_GetErrorPtr) {
    cJSON_Parse("[1, x]");
    puts(cJSON_GetErrorPtr());
  }
  drawn(cJSON_AddRawToObject) {
    cJSON *object = cJSON_CreateObject();
    cJSON_AddRawToObject(object, "raw", "[1, 2]");
    puts(cJSON_PrintUnformatted(object));
  }
  drawn(cJSON_IsNumber) {
    printf("%d\n", cJSON_IsNumber(cJSON_GetObjectItem(json, "a")));
    printf("%d\n", cJSON_IsNumber(json));
  }
  drawn(cJSON_HasObjectItem) {
    printf("%d\n", cJSON_HasObjectItem(json, "t"));
    printf("%d\n", cJSON_HasObjectItem(json, "u"));
  }
  drawn(cJSON_ParseWithLengthOpts) {
    const char *end;
    puts(cJSON_PrintUnformatted(cJSON_ParseWithLengthOpts("[1] rest", 8, &end, 0)));
    puts(end);
  }
  drawn(cJSON_IsTrue) {
    printf("%d\n", cJSON_IsTrue(cJSON_GetObjectItem(json, "t")));
    printf("%d\n", cJSON_IsTrue(json));
  }
  drawn(cJSON_IsNull) {
    printf("%d\n", cJSON_IsNull(cJSON_GetObjectItem(json, "n")));
    printf("%d\n", cJSON_IsNull(json));
  }
  drawn(cJSON_Version) puts(cJSON_Version());
  drawn(cJSON_CreateRaw) puts(cJSON_PrintUnformatted(cJSON_CreateRaw("{1}")));
  drawn(cJSON_ReplaceItemInObject) {
    cJSON *object = cJSON_Parse("{\"a\":1,\"b\":2}");
    printf("%d\n", cJSON_ReplaceItemInObject(object, "a", cJSON_CreateTrue()));
    puts(cJSON_PrintUnformatted(object));
  }
  drawn(cJSON_GetStringValue) {
    puts(cJSON_GetStringValue(cJSON_GetObjectItem(json, "s")));
    puts(cJSON_GetStringValue(json) == NULL ? "null" : "a text");
  }
  drawn(cJSON_AddNullToObject) {
    cJSON *object = cJSON_CreateObject();
    cJSON_AddNullToObject(object, "nothing");
    puts(cJSON_PrintUnformatted(object));
  }
  drawn(cJSON_InitHooks) {
    cJSON_InitHooks(&(cJSON_Hooks){allocate, release});
    puts(cJSON_PrintUnformatted(cJSON_CreateNumber(3)));
  }
  drawn(cJSON_Minify) {
    char text[] = "{ \"a\": [1, 2] /* comment */ }";
    cJSON_Minify(text);
    hex(text, sizeof text);
  }
}
