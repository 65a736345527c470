image="cairo_image_surface_create CAIRO_FORMAT_ARGB32 2 2"
cairo_image_surface_get_data() {
  call $image --then cairo_create '$1' --then cairo_set_source_rgb '$2' 1 0.5 0 --then cairo_paint '$2' --then cairo_surface_flush '$1' \
    --then cairo_image_surface_get_data '$1' --then memcpy '{"bytes": 16}' '$6' 16 | value dest
}
cairo_surface_observer_add_mask_callback() {
  call $image --then cairo_surface_create_observer '$1' CAIRO_SURFACE_OBSERVER_NORMAL \
    --then cairo_surface_observer_add_mask_callback '$2' count_call '{"bytes": 4}' --then cairo_create '$1' --then cairo_paint '$4' \
    --then cairo_create '$2' --then cairo_mask_surface '$6' '$1' 0 0 --then memcpy '{"bytes": 4}' '$3.data' 4 | value dest
}
cairo_get_font_matrix() {
  call $image --then cairo_create '$1' --then cairo_set_font_size '$2' 12 --then cairo_get_font_matrix '$2' '{"bytes": 48}' | value
}
cairo_raster_source_pattern_set_acquire() {
  call $image --then cairo_create '$1' --then cairo_set_source_rgb '$2' 0 1 0 --then cairo_paint '$2' \
    --then $image --then cairo_create '$5' --then cairo_pattern_create_raster_source '$1' CAIRO_CONTENT_COLOR_ALPHA 2 2 \
    --then cairo_raster_source_pattern_set_acquire '$7' acquire_data null --then cairo_set_source '$6' '$7' --then cairo_paint '$6' \
    --then cairo_image_surface_get_data '$5' --then memcpy '{"bytes": 16}' '$11' 16 | value dest
}
cairo_device_observer_paint_elapsed() {
  call $image --then cairo_surface_create_observer '$1' 0 --then cairo_surface_get_device '$2' --then cairo_device_observer_paint_elapsed '$3'
}
cairo_surface_reference() { call $image --then cairo_surface_reference '$1' --then cairo_surface_get_reference_count '$2'; }
cairo_get_current_point() {
  point=$(call $image --then cairo_create '$1' --then cairo_move_to '$2' 3 4.5 --then cairo_get_current_point '$2' '[0]' '[0]')
  value x <<< "$point"
  value y <<< "$point"
}
cairo_destroy() {
  call $image --then cairo_create '$1' --then cairo_reference '$2' --then cairo_destroy '$2' --then cairo_get_reference_count '$2'
}
cairo_device_get_reference_count() {
  call $image --then cairo_surface_create_observer '$1' 0 --then cairo_surface_get_device '$2' --then cairo_device_get_reference_count '$3'
}
cairo_font_options_hash() {
  call cairo_font_options_create --then cairo_font_options_set_antialias '$1' CAIRO_ANTIALIAS_GRAY --then cairo_font_options_hash '$1'
}
cairo_surface_create_for_rectangle() {
  call $image --then cairo_surface_create_for_rectangle '$1' 1 0 1 2 --then cairo_create '$2' --then cairo_set_source_rgb '$3' 1 0 0 \
    --then cairo_paint '$3' --then cairo_image_surface_get_data '$1' --then memcpy '{"bytes": 16}' '$6' 16 | value dest
}
cairo_set_source() {
  call $image --then cairo_create '$1' --then cairo_pattern_create_rgb 0 0 1 --then cairo_set_source '$2' '$3' --then cairo_paint '$2' \
    --then cairo_image_surface_get_data '$1' --then memcpy '{"bytes": 16}' '$6' 16 | value dest
}
cairo_glyph_free() { call cairo_glyph_allocate 2 --then cairo_glyph_free '$1' > /dev/null && echo freed; }
cairo_pattern_destroy() {
  call cairo_pattern_create_rgb 0 0 1 --then cairo_pattern_reference '$1' --then cairo_pattern_destroy '$1' \
    --then cairo_pattern_get_reference_count '$1'
}
cairo_raster_source_pattern_set_callback_data() {
  call cairo_pattern_create_raster_source null CAIRO_CONTENT_COLOR 2 2 --then cairo_raster_source_pattern_set_callback_data '$1' some \
    --then cairo_raster_source_pattern_get_callback_data '$1' --then memcpy '{"bytes": 4}' '$3' 4 | value dest
}
cairo_matrix_rotate() { call cairo_matrix_rotate '{"xx": 1, "yx": 0, "xy": 0, "yy": 2, "x0": 3, "y0": 4}' 0.5 | value; }
cairo_pattern_create_mesh() { call cairo_pattern_create_mesh --then cairo_pattern_get_type '$1'; }
cairo_device_observer_stroke_elapsed() {
  call $image --then cairo_surface_create_observer '$1' 0 --then cairo_surface_get_device '$2' --then cairo_device_observer_stroke_elapsed '$3'
}
cairo_reference() { call $image --then cairo_create '$1' --then cairo_reference '$2' --then cairo_get_reference_count '$3'; }
cairo_copy_path() {
  path="$image --then cairo_create \$1 --then cairo_move_to \$2 1 2 --then cairo_line_to \$2 3 4 --then cairo_copy_path \$2"
  call $path | value num_data
  call $path --then memcpy '{"bytes": 64}' '$5.data' 64 | value dest | python3 -c 'import struct; print(struct.unpack("d", bytes.fromhex(input())[56:])[0])'
}
