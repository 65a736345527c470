// header: fftw3.h
// package: fftw3
#include <fftw3.h>

#include "callbacks.h"
#include "drawn.h"

enum { FLAGS = FFTW_ESTIMATE | FFTW_UNALIGNED };

int main(void) {
  fftw_iodim64 dim64 = {4, 1, 1};
  fftw_iodim dim = {4, 1, 1};
  drawn(fftw_plan_dft_c2r_1d) {
    double in[6] = {10, 0, -2, 2, -2, 0}, out[4];
    fftw_plan plan = fftw_plan_dft_c2r_1d(4, (fftw_complex *)in, out, FLAGS);
    fftw_execute_dft_c2r(plan, (fftw_complex *)in, out);
    numbers(out, 4);
  }
  drawn(fftw_plan_guru64_dft_r2c) {
    double in[4] = {1, 2, 3, 5}, out[6];
    fftw_plan plan = fftw_plan_guru64_dft_r2c(1, &dim64, 0, NULL, in, (fftw_complex *)out, FLAGS);
    fftw_execute_dft_r2c(plan, in, (fftw_complex *)out);
    numbers(out, 6);
  }
  drawn(fftw_alloc_complex) {
    double in[8] = {1, 1, 2, 0, 3, 0, 5, 0}, *out = (double *)fftw_alloc_complex(4);
    fftw_plan plan = fftw_plan_dft_1d(4, (fftw_complex *)in, (fftw_complex *)out, FFTW_FORWARD, FLAGS);
    fftw_execute_dft(plan, (fftw_complex *)in, (fftw_complex *)out);
    hex(out, 64);
  }
  double complex[8] = {1, 1, 2, 0, 3, 0, 5, 0}, out[8];
  drawn(fftw_execute_dft) {
    fftw_plan plan = fftw_plan_dft_1d(4, (fftw_complex *)complex, (fftw_complex *)out, FFTW_FORWARD, FLAGS);
    fftw_execute_dft(plan, (fftw_complex *)complex, (fftw_complex *)out);
    numbers(out, 8);
  }
  drawn(fftw_plan_guru64_dft) {
    fftw_plan plan = fftw_plan_guru64_dft(
      1, &dim64, 0, NULL, (fftw_complex *)complex, (fftw_complex *)out, FFTW_BACKWARD, FLAGS);
    fftw_execute_dft(plan, (fftw_complex *)complex, (fftw_complex *)out);
    numbers(out, 8);
  }
  drawn(fftw_cleanup) {
    fftw_cleanup();
    puts(fftw_export_wisdom_to_string());
  }
  drawn(fftw_fprint_plan) {
    fftw_fprint_plan(fftw_plan_dft_1d(8, (fftw_complex *)complex, (fftw_complex *)out, FFTW_FORWARD, FLAGS), stdout);
    puts("");
  }
  drawn(fftw_plan_guru64_dft_c2r) {
    double in[6] = {10, 0, -2, 2, -2, 0};
    fftw_plan plan = fftw_plan_guru64_dft_c2r(1, &dim64, 0, NULL, (fftw_complex *)in, out, FLAGS);
    fftw_execute_dft_c2r(plan, (fftw_complex *)in, out);
    numbers(out, 4);
  }
  double real[3], imaginary[3];
  drawn(fftw_plan_guru64_split_dft_r2c) {
    double in[4] = {1, 2, 3, 5};
    fftw_execute_split_dft_r2c(fftw_plan_guru64_split_dft_r2c(1, &dim64, 0, NULL, in, real, imaginary, FLAGS), in, real, imaginary);
    numbers(real, 3);
    numbers(imaginary, 3);
  }
  drawn(fftw_plan_guru64_split_dft) {
    double realIn[4] = {1, 2, 3, 5}, imaginaryIn[4] = {0, 1, 0, 0}, real[4], imaginary[4];
    fftw_plan plan = fftw_plan_guru64_split_dft(1, &dim64, 0, NULL, realIn, imaginaryIn, real, imaginary, FLAGS);
    fftw_execute_split_dft(plan, realIn, imaginaryIn, real, imaginary);
    numbers(real, 4);
    numbers(imaginary, 4);
  }
  double add, multiply, fused;
  fftw_plan plan16 = fftw_plan_dft_1d(16, (fftw_complex *)calloc(16, 16), (fftw_complex *)calloc(16, 16), FFTW_FORWARD, FLAGS);
  drawn(fftw_flops) {
    fftw_flops(plan16, &add, &multiply, &fused);
    numbers(&add, 1);
    numbers(&multiply, 1);
    numbers(&fused, 1);
  }
  drawn(fftw_import_wisdom_from_string) {
    printf("%d\n", fftw_import_wisdom_from_string(fftw_export_wisdom_to_string()));
    printf("%d\n", fftw_import_wisdom_from_string("(none)"));
  }
  drawn(fftw_plan_dft_1d) {
    fftw_plan plan = fftw_plan_dft_1d(2, (fftw_complex *)complex, (fftw_complex *)out, FFTW_FORWARD, FLAGS);
    fftw_execute_dft(plan, (fftw_complex *)complex, (fftw_complex *)out);
    numbers(out, 4);
  }
  drawn(fftw_plan_guru_split_dft_r2c) {
    double in[4] = {1, 2, 3, 5};
    fftw_execute_split_dft_r2c(fftw_plan_guru_split_dft_r2c(1, &dim, 0, NULL, in, real, imaginary, FLAGS), in, real, imaginary);
    numbers(real, 3);
    numbers(imaginary, 3);
  }
  drawn(fftw_plan_r2r) {
    double in[4] = {1, 2, 3, 5};
    fftw_execute_r2r(fftw_plan_r2r(1, (int[]){4}, in, out, (fftw_r2r_kind[]){FFTW_REDFT10}, FLAGS), in, out);
    numbers(out, 4);
  }
  drawn(fftw_cost) {
    double cost = fftw_cost(plan16);
    numbers(&cost, 1);
  }
  drawn(fftw_plan_r2r_2d) {
    double in[4] = {1, 2, 3, 5};
    fftw_execute_r2r(fftw_plan_r2r_2d(2, 2, in, out, FFTW_REDFT10, FFTW_RODFT10, FLAGS), in, out);
    numbers(out, 4);
  }
  drawn(fftw_set_timelimit) {
    fftw_set_timelimit(0);
    fftw_plan plan = fftw_plan_dft_1d(4, (fftw_complex *)calloc(4, 16), (fftw_complex *)out, FFTW_FORWARD, FFTW_PATIENT | FFTW_UNALIGNED);
    fftw_execute_dft(plan, (fftw_complex *)complex, (fftw_complex *)out);
    numbers(out, 8);
  }
  drawn(fftw_execute_dft_c2r) {
    double in[4] = {3, 0, -1, 0};
    fftw_execute_dft_c2r(fftw_plan_dft_c2r_1d(2, (fftw_complex *)in, out, FLAGS), (fftw_complex *)in, out);
    numbers(out, 2);
  }
  drawn(fftw_import_wisdom) printf("%d\n", fftw_import_wisdom(take_char, strdup(fftw_export_wisdom_to_string())));
}
