// header: stdio.h jpeglib.h
// package: libjpeg
#include <stdio.h>

#include <jpeglib.h>

#include "drawn.h"

static struct jpeg_error_mgr errors;
static unsigned char image[1000], row[12];
static size_t size;

static struct jpeg_decompress_struct *decompress(void) {
  struct jpeg_decompress_struct *cinfo = calloc(1, sizeof *cinfo);
  cinfo->err = jpeg_std_error(&errors);
  jpeg_create_decompress(cinfo);
  jpeg_mem_src(cinfo, image, size);
  return cinfo;
}

static struct jpeg_compress_struct *compress(void) {
  struct jpeg_compress_struct *cinfo = calloc(1, sizeof *cinfo);
  cinfo->err = jpeg_std_error(&errors);
  jpeg_create_compress(cinfo);
  return cinfo;
}

// The bytes that are compressed.
static unsigned char *output;
static unsigned long length;

// Returns a compressor with the measures of the other image.
static struct jpeg_compress_struct *measured(void) {
  struct jpeg_compress_struct *cinfo = compress();
  struct jpeg_decompress_struct *source = decompress();
  jpeg_read_header(source, 1);
  jpeg_copy_critical_parameters(source, cinfo);
  return cinfo;
}

static struct jpeg_compress_struct *begin(void) {
  struct jpeg_compress_struct *cinfo = measured();
  output = NULL;
  jpeg_mem_dest(cinfo, &output, &length);
  jpeg_start_compress(cinfo, 1);
  return cinfo;
}

static JSAMPROW rows[1] = {(JSAMPROW) "abcdefghijkl"};

int main(void) {
  FILE *file = fopen("image.jpg", "rb");
  size = fread(image, 1, 1000, file);
  JSAMPROW read[1] = {row};
  drawn(jpeg_new_colormap) {
    struct jpeg_decompress_struct *cinfo = decompress();
    JSAMPLE colors[3][2] = {{0, 255}, {0, 255}, {0, 255}};
    JSAMPROW map[3] = {colors[0], colors[1], colors[2]};
    jpeg_read_header(cinfo, 1);
    cinfo->buffered_image = cinfo->quantize_colors = cinfo->enable_external_quant = 1;
    jpeg_start_decompress(cinfo);
    cinfo->colormap = map;
    cinfo->actual_number_of_colors = 2;
    jpeg_new_colormap(cinfo);
    jpeg_start_output(cinfo, 1);
    jpeg_read_scanlines(cinfo, read, 1);
    hex(row, 4);
  }
  drawn(jpeg_abort_compress) {
    struct jpeg_compress_struct *cinfo = begin();
    printf("%d\n", cinfo->global_state);
    jpeg_abort_compress(cinfo);
    printf("%d\n", cinfo->global_state);
  }
  drawn(jpeg_write_icc_profile) {
    struct jpeg_compress_struct *cinfo = begin();
    jpeg_write_icc_profile(cinfo, (const JOCTET *)"profile", 7);
    jpeg_write_scanlines(cinfo, rows, 1);
    jpeg_write_scanlines(cinfo, rows, 1);
    jpeg_finish_compress(cinfo);
    printf("%lu\n", length);
    hex(output + 20, 30);
  }
  drawn(jpeg_consume_input) {
    struct jpeg_decompress_struct *cinfo = decompress();
    printf("%d\n", jpeg_consume_input(cinfo));
    printf("%d\n", cinfo->image_width);
  }
  drawn(jpeg_set_defaults) {
    struct jpeg_compress_struct *cinfo = measured();
    jpeg_set_defaults(cinfo);
    printf("%d\n", cinfo->data_precision);
    printf("%d\n", cinfo->quant_tbl_ptrs[0]->quantval[63]);
  }
  drawn(jpeg_write_m_header) {
    struct jpeg_compress_struct *cinfo = begin();
    jpeg_write_m_header(cinfo, JPEG_APP0 + 5, 1);
    jpeg_write_m_byte(cinfo, 'x');
    jpeg_write_scanlines(cinfo, rows, 1);
    jpeg_write_scanlines(cinfo, rows, 1);
    jpeg_finish_compress(cinfo);
    hex(output + 20, 8);
  }
  drawn(jpeg_resync_to_restart) {
    struct jpeg_decompress_struct *cinfo = decompress();
    jpeg_mem_src(cinfo, (const unsigned char *)"ab\xff\xd1", 4);
    printf("%d\n", jpeg_resync_to_restart(cinfo, 0));
    printf("%d\n", cinfo->unread_marker);
  }
  drawn(jpeg_read_scanlines) {
    struct jpeg_decompress_struct *cinfo = decompress();
    jpeg_read_header(cinfo, 1);
    jpeg_start_decompress(cinfo);
    printf("%d\n", jpeg_read_scanlines(cinfo, read, 1));
    hex(row, 12);
  }
  drawn(jpeg_finish_decompress) {
    struct jpeg_decompress_struct *cinfo = decompress();
    jpeg_read_header(cinfo, 1);
    jpeg_start_decompress(cinfo);
    jpeg_read_scanlines(cinfo, read, 1);
    jpeg_read_scanlines(cinfo, read, 1);
    printf("%d\n", jpeg_finish_decompress(cinfo));
    printf("%d\n", cinfo->global_state);
  }
  drawn(jpeg_set_linear_quality) {
    struct jpeg_compress_struct *cinfo = measured();
    jpeg_set_linear_quality(cinfo, 50, 1);
    printf("%d\n", cinfo->quant_tbl_ptrs[1]->quantval[63]);
  }
  drawn(jpeg_has_multiple_scans) {
    struct jpeg_decompress_struct *cinfo = decompress();
    jpeg_read_header(cinfo, 1);
    printf("%d\n", jpeg_has_multiple_scans(cinfo));
  }
  drawn(jpeg_abort_decompress) {
    struct jpeg_decompress_struct *cinfo = decompress();
    jpeg_read_header(cinfo, 1);
    printf("%d\n", cinfo->global_state);
    jpeg_abort_decompress(cinfo);
    printf("%d\n", cinfo->global_state);
  }
  drawn(jpeg_destroy) {
    struct jpeg_compress_struct *cinfo = compress();
    jpeg_destroy((j_common_ptr)cinfo);
    puts(cinfo->mem == NULL ? "null" : "memory");
    printf("%d\n", cinfo->global_state);
  }
  drawn(jpeg_read_coefficients) {
    struct jpeg_decompress_struct *cinfo = decompress();
    jpeg_read_header(cinfo, 1);
    puts(jpeg_read_coefficients(cinfo) == NULL ? "null" : "arrays");
    printf("%d\n", cinfo->global_state);
  }
  drawn(jpeg_CreateDecompress) {
    struct jpeg_decompress_struct *cinfo = decompress();
    printf("%d\n", cinfo->is_decompressor);
    printf("%d\n", cinfo->global_state);
  }
  drawn(jpeg_quality_scaling) printf("%d %d\n", jpeg_quality_scaling(20), jpeg_quality_scaling(90));
  drawn(jpeg_abort) {
    struct jpeg_decompress_struct *cinfo = decompress();
    jpeg_read_header(cinfo, 1);
    jpeg_abort((j_common_ptr)cinfo);
    printf("%d\n", cinfo->global_state);
  }
  drawn(jpeg_finish_compress) {
    struct jpeg_compress_struct *cinfo = begin();
    jpeg_write_scanlines(cinfo, rows, 1);
    jpeg_write_scanlines(cinfo, rows, 1);
    jpeg_finish_compress(cinfo);
    hex(output, length);
  }
  drawn(jpeg_mem_src) {
    struct jpeg_decompress_struct *cinfo = decompress();
    printf("%d\n", jpeg_read_header(cinfo, 1));
    printf("%d %d\n", cinfo->image_width, cinfo->image_height);
  }
  drawn(jpeg_write_scanlines) {
    struct jpeg_compress_struct *cinfo = begin();
    printf("%d\n", jpeg_write_scanlines(cinfo, rows, 1));
    printf("%d\n", cinfo->next_scanline);
  }
}
