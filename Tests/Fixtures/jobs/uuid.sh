call uuid_parse 6BA7B810-9DAD-11D1-80B4-00C04FD430C8 '{"bytes": 16}' --then uuid_unparse_lower '$1.2' '{"bytes": 37}'
call uuid_parse 6BA7B810-9DAD-11D1-80B4-00C04FD430C8 '{"bytes": 16}' --then uuid_type '$1.2'
