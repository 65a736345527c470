text='{"a": 1, "A": 2, "s": "some", "t": true, "n": null}'
cJSON_CreateString() { call cJSON_CreateString 'a "text"' --then cJSON_PrintUnformatted '$1'; }
cJSON_Parse() {
  call cJSON_Parse "$text" --then cJSON_PrintUnformatted '$1'
  call cJSON_Parse '[1'
}
cJSON_GetObjectItemCaseSensitive() { call cJSON_Parse "$text" --then cJSON_GetObjectItemCaseSensitive '$1' A | value valueint; }
cJSON_SetValuestring() {
  call cJSON_CreateString some --then cJSON_SetValuestring '$1' 'another and longer'
  call cJSON_CreateString some --then cJSON_SetValuestring '$1' 'another and longer' --then cJSON_PrintUnformatted '$1'
}
cJSON_AddItemToObjectCS() {
  call cJSON_CreateObject --then cJSON_CreateNumber 2.5 --then cJSON_AddItemToObjectCS '$1' key '$2'
  call cJSON_CreateObject --then cJSON_CreateNumber 2.5 --then cJSON_AddItemToObjectCS '$1' key '$2' --then cJSON_PrintUnformatted '$1'
}
cJSON_GetObjectItem() {
  call cJSON_Parse "$text" --then cJSON_GetObjectItem '$1' S | value type
  call cJSON_Parse "$text" --then cJSON_GetObjectItem '$1' none
}
cJSON_GetErrorPtr() { call cJSON_Parse '[1, x]' --then cJSON_GetErrorPtr; }
cJSON_AddRawToObject() { call cJSON_CreateObject --then cJSON_AddRawToObject '$1' raw '[1, 2]' --then cJSON_PrintUnformatted '$1'; }
cJSON_IsNumber() {
  call cJSON_Parse "$text" --then cJSON_GetObjectItem '$1' a --then cJSON_IsNumber '$2'
  call cJSON_Parse "$text" --then cJSON_IsNumber '$1'
}
cJSON_HasObjectItem() {
  call cJSON_Parse "$text" --then cJSON_HasObjectItem '$1' t
  call cJSON_Parse "$text" --then cJSON_HasObjectItem '$1' u
}
cJSON_ParseWithLengthOpts() {
  call cJSON_ParseWithLengthOpts '[1] rest' 8 '[null]' 0 --then cJSON_PrintUnformatted '$1.result'
  call cJSON_ParseWithLengthOpts '[1] rest' 8 '[null]' 0 | value 'return_parse_end[0]'
}
cJSON_IsTrue() {
  call cJSON_Parse "$text" --then cJSON_GetObjectItem '$1' t --then cJSON_IsTrue '$2'
  call cJSON_Parse "$text" --then cJSON_IsTrue '$1'
}
cJSON_IsNull() {
  call cJSON_Parse "$text" --then cJSON_GetObjectItem '$1' n --then cJSON_IsNull '$2'
  call cJSON_Parse "$text" --then cJSON_IsNull '$1'
}
cJSON_Version() { call cJSON_Version; }
cJSON_CreateRaw() { call cJSON_CreateRaw '{1}' --then cJSON_PrintUnformatted '$1'; }
cJSON_ReplaceItemInObject() {
  call cJSON_Parse '{"a":1,"b":2}' --then cJSON_CreateTrue --then cJSON_ReplaceItemInObject '$1' a '$2'
  call cJSON_Parse '{"a":1,"b":2}' --then cJSON_CreateTrue --then cJSON_ReplaceItemInObject '$1' a '$2' --then cJSON_PrintUnformatted '$1'
}
cJSON_GetStringValue() {
  call cJSON_Parse "$text" --then cJSON_GetObjectItem '$1' s --then cJSON_GetStringValue '$2'
  call cJSON_Parse "$text" --then cJSON_GetStringValue '$1'
}
cJSON_AddNullToObject() { call cJSON_CreateObject --then cJSON_AddNullToObject '$1' nothing --then cJSON_PrintUnformatted '$1'; }
cJSON_InitHooks() {
  call cJSON_InitHooks '{"malloc_fn": "allocate", "free_fn": "release"}' --then cJSON_CreateNumber 3 --then cJSON_PrintUnformatted '$2'
}
cJSON_Minify() {
  printf '{ "a": [1, 2] /* comment */ }' > text.json
  call cJSON_Minify @text.json | value
}
