call opus_decoder_create 48000 1 '[0]' | field error[0]
call opus_decoder_create 48000 1 '[0]' --then opus_decode '$1.result' '[8, 0, 0, 0, 0]' 5 '{"bytes": 1920}' 960 0 | field result
