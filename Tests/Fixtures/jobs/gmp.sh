call mpz_init_set_str '{"bytes": 16}' 123456789012345678901234567890 10 --then mpz_mul '$1.1' '$1.1' '$1.1' --then mpz_get_str null 10 '$1.1'
