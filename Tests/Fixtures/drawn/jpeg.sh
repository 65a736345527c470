# A decompressor with the image: $1.cinfo, whose errors are $2.memptr[0]. memcpy stores their address in the first member; the memory has two
# pointers, since that of one is passed as the pointer.
decompress='jpeg_CreateDecompress {"bytes":632} 62 632 --then posix_memalign [null,null] 16 168 --then jpeg_std_error $2.memptr[0]
  --then memcpy $1.cinfo $2.memptr 8 --then jpeg_mem_src $1.cinfo @image.jpg 540'
header="$decompress --then jpeg_read_header \$1.cinfo 1"
start="$header --then jpeg_start_decompress \$1.cinfo"
# A compressor: $7.cinfo, with the measures of that image in 9 calls, and that has begun in 11.
measured="$header --then jpeg_CreateCompress {\"bytes\":520} 62 520 --then memcpy \$7.cinfo \$2.memptr 8
  --then jpeg_copy_critical_parameters \$1.cinfo \$7.cinfo"
begin="$measured --then jpeg_mem_dest \$7.cinfo [null] [0] --then jpeg_start_compress \$7.cinfo 1"
# An array of a pointer to a row: memory of calloc, with the number $ARRAY, stands for a pointer of any type.
row='posix_memalign [null,null] 16 16 --then memcpy $ROW.memptr[0] abcdefghijkl 12 --then calloc 1 8 --then memcpy $ARRAY $ROW.memptr 8'
array() { sed "s/ROW/$1/g; s/ARRAY/$(($1 + 2))/g" <<< "$row"; }
# Both rows of the image, behind the given number of calls.
rows() {
  echo "$(array $(($1 + 1))) --then jpeg_write_scanlines \$7.cinfo \$$(($1 + 3)) 1 --then jpeg_write_scanlines \$7.cinfo \$$(($1 + 3)) 1" \
    --then jpeg_finish_compress '$7.cinfo'
}
jpeg_new_colormap() {
  call $header --then '$1.cinfo.buffered_image' = 1 --then '$1.cinfo.quantize_colors' = 1 --then '$1.cinfo.enable_external_quant' = 1 \
    --then jpeg_start_decompress '$1.cinfo' --then posix_memalign '[null, null]' 16 16 --then memcpy '$11.memptr[0]' '{"base64": "AP8="}' 2 \
    --then '$1.cinfo.colormap' = '["$11.memptr[0]", "$11.memptr[0]", "$11.memptr[0]"]' --then '$1.cinfo.actual_number_of_colors' = 2 \
    --then jpeg_new_colormap '$1.cinfo' --then jpeg_start_output '$1.cinfo' 1 --then $(array 17) \
    --then jpeg_read_scanlines '$1.cinfo' '$19' 1 --then memcpy '{"bytes": 4}' '$17.memptr[0]' 4 | value dest
}
jpeg_abort_compress() {
  call $begin --then abs '$7.cinfo.global_state'
  call $begin --then jpeg_abort_compress '$7.cinfo' --then abs '$7.cinfo.global_state'
}
jpeg_write_icc_profile() {
  profile="$begin --then jpeg_write_icc_profile \$7.cinfo profile 7 --then $(rows 12)"
  call $profile --then memcpy '{"bytes": 8}' '$10.outsize' 8 | value dest | python3 -c 'print(int.from_bytes(bytes.fromhex(input()), "little"))'
  call $profile --then memcpy '{"bytes": 50}' '$10.outbuffer[0]' 50 | value dest | cut -c 41-
}
jpeg_consume_input() {
  call $decompress --then jpeg_consume_input '$1.cinfo'
  call $decompress --then jpeg_consume_input '$1.cinfo' --then abs '$1.cinfo.image_width'
}
jpeg_set_defaults() {
  call $measured --then jpeg_set_defaults '$7.cinfo' --then abs '$7.cinfo.data_precision'
  call $measured --then jpeg_set_defaults '$7.cinfo' --then abs '$7.cinfo.quant_tbl_ptrs[0].quantval[63]'
}
jpeg_write_m_header() {
  call $begin --then jpeg_write_m_header '$7.cinfo' $((0xE5)) 1 --then jpeg_write_m_byte '$7.cinfo' $(printf %d "'x") --then $(rows 13) \
    --then memcpy '{"bytes": 28}' '$10.outbuffer[0]' 28 | value dest | cut -c 41-
}
jpeg_resync_to_restart() {
  resync="$decompress --then jpeg_mem_src \$1.cinfo {\"base64\":\"YWL/0Q==\"} 4 --then jpeg_resync_to_restart \$1.cinfo 0"
  call $resync
  call $resync --then abs '$1.cinfo.unread_marker'
}
jpeg_read_scanlines() {
  read="$start --then $(array 8) --then jpeg_read_scanlines \$1.cinfo \$10 1"
  call $read
  call $read --then memcpy '{"bytes": 12}' '$8.memptr[0]' 12 | value dest
}
jpeg_finish_decompress() {
  finish="$start --then $(array 8) --then jpeg_read_scanlines \$1.cinfo \$10 1
    --then jpeg_read_scanlines \$1.cinfo \$10 1 --then jpeg_finish_decompress \$1.cinfo"
  call $finish
  call $finish --then abs '$1.cinfo.global_state'
}
jpeg_set_linear_quality() {
  call $measured --then jpeg_set_linear_quality '$7.cinfo' 50 1 --then abs '$7.cinfo.quant_tbl_ptrs[1].quantval[63]'
}
jpeg_has_multiple_scans() { call $header --then jpeg_has_multiple_scans '$1.cinfo'; }
jpeg_abort_decompress() {
  call $header --then abs '$1.cinfo.global_state'
  call $header --then jpeg_abort_decompress '$1.cinfo' --then abs '$1.cinfo.global_state'
}
jpeg_destroy() {
  call calloc 1 520 --then jpeg_CreateCompress '$1' 62 520 --then jpeg_destroy '$1' --then memcpy '{"bytes": 16}' '$1' 16 | value dest |
    grep -q '^0*$' && echo null
  call calloc 1 520 --then jpeg_CreateCompress '$1' 62 520 --then jpeg_destroy '$1' --then memcpy '{"bytes": 40}' '$1' 40 | value dest |
    cut -c 73- | python3 -c 'print(int.from_bytes(bytes.fromhex(input()), "little"))'
}
jpeg_read_coefficients() {
  call $header --then jpeg_read_coefficients '$1.cinfo' | grep -q 0x && echo arrays
  call $header --then jpeg_read_coefficients '$1.cinfo' --then abs '$1.cinfo.global_state'
}
jpeg_CreateDecompress() {
  call $decompress --then abs '$1.cinfo.is_decompressor'
  call $decompress --then abs '$1.cinfo.global_state'
}
jpeg_quality_scaling() { echo "$(call jpeg_quality_scaling 20) $(call jpeg_quality_scaling 90)"; }
jpeg_abort() {
  call calloc 1 632 --then jpeg_CreateDecompress '$1' 62 632 --then posix_memalign '[null, null]' 16 168 --then jpeg_std_error '$3.memptr[0]' \
    --then memcpy '$1' '$3.memptr' 8 --then jpeg_mem_src '$1' @image.jpg 540 --then jpeg_read_header '$1' 1 --then jpeg_abort '$1' \
    --then memcpy '{"bytes": 40}' '$1' 40 | value dest | cut -c 73- | python3 -c 'print(int.from_bytes(bytes.fromhex(input()), "little"))'
}
jpeg_finish_compress() {
  size=$(call $begin --then $(rows 11) --then memcpy '{"bytes": 8}' '$10.outsize' 8 | value dest |
    python3 -c 'print(int.from_bytes(bytes.fromhex(input()), "little"))')
  call $begin --then $(rows 11) --then memcpy "{\"bytes\":$size}" '$10.outbuffer[0]' "$size" | value dest
}
jpeg_mem_src() {
  call $header
  echo "$(call $header --then abs '$1.cinfo.image_width') $(call $header --then abs '$1.cinfo.image_height')"
}
jpeg_write_scanlines() {
  write="$begin --then $(array 12) --then jpeg_write_scanlines \$7.cinfo \$14 1"
  call $write
  call $write --then abs '$7.cinfo.next_scanline'
}
