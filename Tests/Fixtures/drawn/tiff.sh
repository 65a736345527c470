# Opens a file for an image of 2 by 2 gray pixels, in 6 calls.
create() {
  echo TIFFOpen "$1" w --then TIFFSetField '$1' TIFFTAG_IMAGEWIDTH 2 --then TIFFSetField '$1' TIFFTAG_IMAGELENGTH 2 \
    --then TIFFSetField '$1' TIFFTAG_BITSPERSAMPLE 8 --then TIFFSetField '$1' TIFFTAG_PHOTOMETRIC PHOTOMETRIC_MINISBLACK \
    --then TIFFSetField '$1' TIFFTAG_ROWSPERSTRIP 1
}
open='TIFFOpen image.tif r'
print_file() { python3 -c 'import sys; print(open(sys.argv[1], "rb").read().hex())' "$1"; }
TIFFDeferStrileArrayWriting() {
  call $(create deferred.tif) --then TIFFDeferStrileArrayWriting '$1'
  call $(create deferred.tif) --then TIFFDeferStrileArrayWriting '$1' --then TIFFWriteEncodedStrip '$1' 0 ab 2 --then TIFFClose '$1' > closed
  print_file deferred.tif
}
TIFFSetWriteOffset() {
  call $(create offset.tif) --then TIFFWriteEncodedStrip '$1' 0 ab 2 --then TIFFSetWriteOffset '$1' 8 \
    --then TIFFWriteEncodedStrip '$1' 1 cd 2 --then TIFFClose '$1' > closed
  print_file offset.tif
}
TIFFReadBufferSetup() {
  call $open --then TIFFReadBufferSetup '$1' '{"bytes": 1024}' 1024 | value result
  data=$(call $open --then TIFFReadBufferSetup '$1' '{"bytes": 1024}' 1024 --then TIFFReadEncodedStrip '$1' 0 '{"bytes": 2}' 2)
  value result <<< "$data"
  value buf <<< "$data"
}
TIFFDataWidth() { echo "$(call TIFFDataWidth TIFF_RATIONAL) $(call TIFFDataWidth TIFF_SHORT)"; }
TIFFGetMode() { echo "$(call $open --then TIFFGetMode '$1') $(call $(create mode.tif) --then TIFFGetMode '$1')"; }
TIFFFreeDirectory() { call $open --then TIFFFreeDirectory '$1' --then TIFFGetField '$1' TIFFTAG_IMAGEWIDTH null; }
TIFFReadRGBAImage() {
  image=$(call $open --then TIFFReadRGBAImage '$1' 2 2 '[0, 0, 0, 0]' 0)
  value result <<< "$image"
  value 4 <<< "$image"
}
TIFFSwabShort() { call TIFFSwabShort '[258]' | value '[0]'; }
TIFFOpenOptionsAlloc() {
  call TIFFOpenOptionsAlloc --then TIFFOpenOptionsSetMaxSingleMemAlloc '$1' 1000000 --then TIFFOpenExt image.tif r '$1' \
    --then TIFFScanlineSize '$3'
}
TIFFGetClientInfo() {
  call $open --then TIFFSetClientInfo '$1' some name --then TIFFGetClientInfo '$1' name --then memcpy '{"bytes": 4}' '$3' 4 | value dest
  call $open --then TIFFGetClientInfo '$1' none
}
TIFFSwabLong() { call TIFFSwabLong '[258]' | value '[0]'; }
TIFFMergeFieldInfo() {
  info='[{"field_tag": 65000, "field_readcount": 1, "field_writecount": 1, "field_type": "TIFF_LONG", "field_bit": 65, "field_oktochange": 1,
    "field_passcount": 0, "field_name": "Mine"}]'
  call $open --then TIFFMergeFieldInfo '$1' "$info" 1
  call $open --then TIFFMergeFieldInfo '$1' "$info" 1 --then TIFFFieldWithName '$1' Mine --then TIFFFieldTag '$3'
}
TIFFPrintDirectory() {
  call $open --then fopen printed w --then TIFFPrintDirectory '$1' '$2' TIFFPRINT_STRIPS --then fclose '$2' > closed
  cat printed
}
TIFFComputeStrip() { call $open --then TIFFComputeStrip '$1' 1 0; }
TIFFGetBitRevTable() { call TIFFGetBitRevTable 1 --then memcpy '{"bytes": 16}' '$1' 16 | value dest; }
TIFFFieldWriteCount() { call $open --then TIFFFieldWithTag '$1' TIFFTAG_DOTRANGE --then TIFFFieldWriteCount '$2'; }
TIFFFindCODEC() {
  call TIFFFindCODEC COMPRESSION_LZW --then strndup '$1.name' 10
  call TIFFFindCODEC 12345
}
TIFFSetErrorHandler() {
  call TIFFSetErrorHandler null | grep -q null || echo a function
  call TIFFSetErrorHandler null --then TIFFSetErrorHandler null
}
TIFFClientdata() {
  call $open --then TIFFSetClientdata '$1' some --then TIFFClientdata '$1' --then memcpy '{"bytes": 4}' '$3' 4 | value dest
}
TIFFLastDirectory() { call $open --then TIFFLastDirectory '$1'; }
