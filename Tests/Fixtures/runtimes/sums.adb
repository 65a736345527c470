package body Sums is

   function Sum (N : Integer_64) return Integer_64 is
      type Numbers is array (Integer_64 range <>) of Integer_64;
      Terms : Numbers (1 .. N);
      Total : Integer_64 := 0;
   begin
      for Index in Terms'Range loop
         Terms (Index) := Index;
         Total := Total + Terms (Index);
      end loop;
      return Total;
   end Sum;

end Sums;
