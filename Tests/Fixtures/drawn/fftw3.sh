flags='FFTW_ESTIMATE|FFTW_UNALIGNED'
dim='{"n": 4, "is": 1, "os": 1}'
complex='[1, 1, 2, 0, 3, 0, 5, 0]'
fftw_plan_dft_c2r_1d() {
  call fftw_plan_dft_c2r_1d 4 '[10, 0, -2, 2, -2, 0]' '{"bytes": 32}' "$flags" \
    --then fftw_execute_dft_c2r '$1.result' '[10, 0, -2, 2, -2, 0]' '[0, 0, 0, 0]' | value out
}
fftw_plan_guru64_dft_r2c() {
  call fftw_plan_guru64_dft_r2c 1 "$dim" 0 null '[1, 2, 3, 5]' '{"bytes": 48}' "$flags" \
    --then fftw_execute_dft_r2c '$1.result' '[1, 2, 3, 5]' '[0, 0, 0, 0, 0, 0]' | value out
}
fftw_alloc_complex() {
  call fftw_alloc_complex 4 --then fftw_plan_dft_1d 4 "$complex" '$1' FFTW_FORWARD "$flags" \
    --then fftw_execute_dft '$2.result' "$complex" '$1' --then memcpy '{"bytes": 64}' '$1' 64 | value dest
}
fftw_execute_dft() {
  call fftw_plan_dft_1d 4 "$complex" '{"bytes": 64}' FFTW_FORWARD "$flags" \
    --then fftw_execute_dft '$1.result' "$complex" '{"bytes": 64}' | value out
}
fftw_plan_guru64_dft() {
  call fftw_plan_guru64_dft 1 "$dim" 0 null "$complex" '{"bytes": 64}' FFTW_BACKWARD "$flags" \
    --then fftw_execute_dft '$1.result' "$complex" '{"bytes": 64}' | value out
}
fftw_cleanup() { "$TROUPE" call --plugins plugins fftw_cleanup --then fftw_export_wisdom_to_string; }
fftw_fprint_plan() {
  call fftw_plan_dft_1d 8 '{"bytes": 128}' '{"bytes": 128}' FFTW_FORWARD "$flags" --then stdout --then fftw_fprint_plan '$1.result' '$2'
}
fftw_plan_guru64_dft_c2r() {
  call fftw_plan_guru64_dft_c2r 1 "$dim" 0 null '[10, 0, -2, 2, -2, 0]' '{"bytes": 32}' "$flags" \
    --then fftw_execute_dft_c2r '$1.result' '[10, 0, -2, 2, -2, 0]' '[0, 0, 0, 0]' | value out
}
fftw_plan_guru64_split_dft_r2c() {
  split=$(call fftw_plan_guru64_split_dft_r2c 1 "$dim" 0 null '[1, 2, 3, 5]' '[0, 0, 0]' '[0, 0, 0]' "$flags" \
    --then fftw_execute_split_dft_r2c '$1.result' '[1, 2, 3, 5]' '[0, 0, 0]' '[0, 0, 0]')
  value ro <<< "$split"
  value io <<< "$split"
}
fftw_plan_guru64_split_dft() {
  split=$(call fftw_plan_guru64_split_dft 1 "$dim" 0 null '[1, 2, 3, 5]' '[0, 1, 0, 0]' '[0, 0, 0, 0]' '[0, 0, 0, 0]' "$flags" \
    --then fftw_execute_split_dft '$1.result' '[1, 2, 3, 5]' '[0, 1, 0, 0]' '[0, 0, 0, 0]' '[0, 0, 0, 0]')
  value ro <<< "$split"
  value io <<< "$split"
}
fftw_flops() {
  flops=$(call fftw_plan_dft_1d 16 '{"bytes": 256}' '{"bytes": 256}' FFTW_FORWARD "$flags" --then fftw_flops '$1.result' '[0]' '[0]' '[0]')
  value add <<< "$flops"
  value mul <<< "$flops"
  value fmas <<< "$flops"
}
fftw_import_wisdom_from_string() {
  call fftw_export_wisdom_to_string --then fftw_import_wisdom_from_string '$1'
  call fftw_import_wisdom_from_string '(none)'
}
fftw_plan_dft_1d() {
  call fftw_plan_dft_1d 2 "$complex" '{"bytes": 64}' FFTW_FORWARD "$flags" \
    --then fftw_execute_dft '$1.result' "$complex" '{"bytes": 32}' | value out
}
fftw_plan_guru_split_dft_r2c() {
  split=$(call fftw_plan_guru_split_dft_r2c 1 "$dim" 0 null '[1, 2, 3, 5]' '[0, 0, 0]' '[0, 0, 0]' "$flags" \
    --then fftw_execute_split_dft_r2c '$1.result' '[1, 2, 3, 5]' '[0, 0, 0]' '[0, 0, 0]')
  value ro <<< "$split"
  value io <<< "$split"
}
fftw_plan_r2r() {
  call fftw_plan_r2r 1 '[4]' '[1, 2, 3, 5]' '[0, 0, 0, 0]' '["FFTW_REDFT10"]' "$flags" \
    --then fftw_execute_r2r '$1.result' '[1, 2, 3, 5]' '[0, 0, 0, 0]' | value out
}
fftw_cost() {
  call fftw_plan_dft_1d 16 '{"bytes": 256}' '{"bytes": 256}' FFTW_FORWARD "$flags" --then fftw_cost '$1.result' | value
}
fftw_plan_r2r_2d() {
  call fftw_plan_r2r_2d 2 2 '[1, 2, 3, 5]' '[0, 0, 0, 0]' FFTW_REDFT10 FFTW_RODFT10 "$flags" \
    --then fftw_execute_r2r '$1.result' '[1, 2, 3, 5]' '[0, 0, 0, 0]' | value out
}
fftw_set_timelimit() {
  call fftw_set_timelimit 0 --then fftw_plan_dft_1d 4 "$complex" '{"bytes": 64}' FFTW_FORWARD 'FFTW_PATIENT|FFTW_UNALIGNED' \
    --then fftw_execute_dft '$2.result' "$complex" '{"bytes": 64}' | value out
}
fftw_execute_dft_c2r() {
  call fftw_plan_dft_c2r_1d 2 '[3, 0, -1, 0]' '[0, 0]' "$flags" --then fftw_execute_dft_c2r '$1.result' '[3, 0, -1, 0]' '[0, 0]' | value out
}
fftw_import_wisdom() { call fftw_export_wisdom_to_string --then fftw_import_wisdom take_char '$1' | value result; }
