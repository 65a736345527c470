// header: cairo.h cairo-pdf.h cairo-svg.h
// package: cairo
#include <cairo.h>

#include "drawn.h"

// In callbacks.c.
void count_call(cairo_surface_t *observer, cairo_surface_t *target, void *count);
cairo_surface_t *acquire_data(cairo_pattern_t *pattern, void *data, cairo_surface_t *target, const cairo_rectangle_int_t *extents);

int main(void) {
  cairo_surface_t *image = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, 2, 2);
  drawn(cairo_image_surface_get_data) {
    cairo_t *cr = cairo_create(image);
    cairo_set_source_rgb(cr, 1, 0.5, 0);
    cairo_paint(cr);
    cairo_surface_flush(image);
    hex(cairo_image_surface_get_data(image), 16);
  }
  cairo_surface_t *observer = cairo_surface_create_observer(image, CAIRO_SURFACE_OBSERVER_NORMAL);
  drawn(cairo_surface_observer_add_mask_callback) {
    int count = 0;
    cairo_surface_observer_add_mask_callback(observer, count_call, &count);
    cairo_t *cr = cairo_create(observer);
    cairo_mask_surface(cr, image, 0, 0);
    hex(&count, 4);
  }
  drawn(cairo_get_font_matrix) {
    cairo_t *cr = cairo_create(image);
    cairo_set_font_size(cr, 12);
    cairo_matrix_t matrix;
    cairo_get_font_matrix(cr, &matrix);
    numbers(&matrix.xx, 6);
  }
  drawn(cairo_raster_source_pattern_set_acquire) {
    cairo_surface_t *target = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, 2, 2);
    cairo_pattern_t *pattern = cairo_pattern_create_raster_source(image, CAIRO_CONTENT_COLOR_ALPHA, 2, 2);
    cairo_raster_source_pattern_set_acquire(pattern, acquire_data, NULL);
    cairo_t *source = cairo_create(image), *cr = cairo_create(target);
    cairo_set_source_rgb(source, 0, 1, 0);
    cairo_paint(source);
    cairo_set_source(cr, pattern);
    cairo_paint(cr);
    hex(cairo_image_surface_get_data(target), 16);
  }
  drawn(cairo_device_observer_paint_elapsed)
    printf("%.1f\n", cairo_device_observer_paint_elapsed(cairo_surface_get_device(cairo_surface_create_observer(image, 0))));
  drawn(cairo_surface_reference) {
    cairo_surface_t *surface = cairo_surface_reference(cairo_image_surface_create(CAIRO_FORMAT_ARGB32, 2, 2));
    printf("%u\n", cairo_surface_get_reference_count(surface));
  }
  drawn(cairo_get_current_point) {
    cairo_t *cr = cairo_create(image);
    cairo_move_to(cr, 3, 4.5);
    double x, y;
    cairo_get_current_point(cr, &x, &y);
    numbers(&x, 1);
    numbers(&y, 1);
  }
  drawn(cairo_destroy) {
    cairo_t *cr = cairo_reference(cairo_create(image));
    cairo_destroy(cr);
    printf("%u\n", cairo_get_reference_count(cr));
  }
  drawn(cairo_device_get_reference_count)
    printf("%u\n", cairo_device_get_reference_count(cairo_surface_get_device(cairo_surface_create_observer(image, 0))));
  drawn(cairo_font_options_hash) {
    cairo_font_options_t *options = cairo_font_options_create();
    cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
    printf("%lu\n", cairo_font_options_hash(options));
  }
  drawn(cairo_surface_create_for_rectangle) {
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, 2, 2);
    cairo_t *cr = cairo_create(cairo_surface_create_for_rectangle(surface, 1, 0, 1, 2));
    cairo_set_source_rgb(cr, 1, 0, 0);
    cairo_paint(cr);
    hex(cairo_image_surface_get_data(surface), 16);
  }
  drawn(cairo_set_source) {
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, 2, 2);
    cairo_t *cr = cairo_create(surface);
    cairo_set_source(cr, cairo_pattern_create_rgb(0, 0, 1));
    cairo_paint(cr);
    hex(cairo_image_surface_get_data(surface), 16);
  }
  drawn(cairo_glyph_free) {
    cairo_glyph_free(cairo_glyph_allocate(2));
    puts("freed");
  }
  drawn(cairo_pattern_destroy) {
    cairo_pattern_t *pattern = cairo_pattern_reference(cairo_pattern_create_rgb(0, 0, 1));
    cairo_pattern_destroy(pattern);
    printf("%u\n", cairo_pattern_get_reference_count(pattern));
  }
  drawn(cairo_raster_source_pattern_set_callback_data) {
    cairo_pattern_t *pattern = cairo_pattern_create_raster_source(NULL, CAIRO_CONTENT_COLOR, 2, 2);
    cairo_raster_source_pattern_set_callback_data(pattern, "some");
    hex(cairo_raster_source_pattern_get_callback_data(pattern), 4);
  }
  drawn(cairo_matrix_rotate) {
    cairo_matrix_t matrix = {1, 0, 0, 2, 3, 4};
    cairo_matrix_rotate(&matrix, 0.5);
    numbers(&matrix.xx, 6);
  }
  drawn(cairo_pattern_create_mesh) {
    cairo_pattern_t *pattern = cairo_pattern_create_mesh();
    puts(cairo_pattern_get_type(pattern) == CAIRO_PATTERN_TYPE_MESH ? "CAIRO_PATTERN_TYPE_MESH" : "another");
  }
  drawn(cairo_device_observer_stroke_elapsed)
    printf("%.1f\n", cairo_device_observer_stroke_elapsed(cairo_surface_get_device(cairo_surface_create_observer(image, 0))));
  drawn(cairo_reference) printf("%u\n", cairo_get_reference_count(cairo_reference(cairo_create(image))));
  drawn(cairo_copy_path) {
    cairo_t *cr = cairo_create(image);
    cairo_move_to(cr, 1, 2);
    cairo_line_to(cr, 3, 4);
    cairo_path_t *path = cairo_copy_path(cr);
    printf("%d\n", path->num_data);
    printf("%.1f\n", path->data[3].point.y);
  }
}
