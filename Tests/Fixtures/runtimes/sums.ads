with Interfaces; use Interfaces;

package Sums is
   --  The sum of 1 to n, in memory of the runtime.
   function Sum (N : Integer_64) return Integer_64;
   pragma Export (C, Sum, "runtime_sum");
end Sums;
