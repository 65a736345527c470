call gsl_rng_env_setup --then gsl_rng_alloc '$1' --then gsl_rng_name '$2'
call gsl_rng_env_setup --then gsl_rng_alloc '$1' --then gsl_rng_set '$2' 42 --then gsl_rng_get '$2'
printf '%.10g\n' "$(call gsl_sf_bessel_J0 2.5)"
