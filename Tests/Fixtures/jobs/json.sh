call json_loads '{"name": "troupe", "sizes": [3, 5, 8]}' 0 null --then json_object_get '$1' name --then json_string_value '$2'
call json_loads '{"name": "troupe", "sizes": [3, 5, 8]}' 0 null --then json_object_get '$1' sizes --then json_array_get '$2' 1 --then json_integer_value '$3'
call json_loads '{"name": "troupe", "sizes": [3, 5, 8]}' 0 null --then json_integer 7 --then json_object_set_new '$1' size '$2' --then json_dumps '$1' JSON_COMPACT
