(* The sum of 1 to n, in memory of the collector. *)
let sum n = List.fold_left ( + ) 0 (List.init n (fun index -> index + 1))
let () = Callback.register "sum" sum
