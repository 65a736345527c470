! The sum of 1 to n, in memory of the runtime.
function runtime_sum(n) bind(c, name="runtime_sum") result(total)
  use, intrinsic :: iso_c_binding
  integer(c_int64_t), value :: n
  integer(c_int64_t) :: total, term
  integer(c_int64_t), allocatable :: terms(:)
  terms = [(term, term = 1, n)]
  total = sum(terms)
end function
