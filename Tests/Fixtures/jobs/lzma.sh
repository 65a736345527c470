call lzma_crc32 troupe 6 0
call lzma_stream_buffer_bound 100
call lzma_easy_buffer_encode 6 LZMA_CHECK_CRC64 null 'hello hello hello' 17 '{"bytes": 300}' '[0]' 300 | field result
call lzma_easy_buffer_encode 6 LZMA_CHECK_CRC64 null 'hello hello hello' 17 '{"bytes": 300}' '[0]' 300 | field out_pos[0]
