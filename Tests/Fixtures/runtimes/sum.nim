## The sum of 1 to n, in memory of the runtime.

proc runtime_sum(n: int64): int64 {.exportc, dynlib, cdecl.} =
  var terms: seq[int64]
  for term in 1..n: terms.add(term)
  for term in terms: result += term
