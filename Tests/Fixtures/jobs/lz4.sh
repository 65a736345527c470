call LZ4_compress_default 'hello hello hello hello hello hello' '{"bytes": 100}' 35 100 | field result
call LZ4_compress_default 'hello hello hello hello hello hello' '{"bytes": 100}' 35 100 --then LZ4_decompress_safe '$1.dst' '{"bytes": 36}' '$1.result' 35 | field result
call LZ4_compress_default 'hello hello hello hello hello hello' '{"bytes": 100}' 35 100 --then LZ4_decompress_safe '$1.dst' '{"bytes": 36}' '$1.result' 35 | field dst
