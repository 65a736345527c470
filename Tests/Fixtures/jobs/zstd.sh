call ZSTD_compress '{"bytes": 200}' 200 aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa 40 3 | field result
call ZSTD_compress '{"bytes": 200}' 200 aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa 40 3 --then ZSTD_decompress '{"bytes": 40}' 40 '$1.dst' '$1.result' | field result
call ZSTD_compress '{"bytes": 200}' 200 aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa 40 3 --then ZSTD_decompress '{"bytes": 40}' 40 '$1.dst' '$1.result' | bytes dst | wc -c
