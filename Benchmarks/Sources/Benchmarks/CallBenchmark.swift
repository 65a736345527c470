import CFunctions
import TroupeHost

/// The cost of a call of C and of a callback, as multiples of the same in C.
enum CallBenchmark {
  static func run(_ report: inout Report) throws {
    func prepare(_ signature: String, _ function: UnsafeRawPointer) throws -> PreparedCall {
      try PreparedCall(signature: Signature(parsing: signature), function: function)
    }
    let direct: @convention(c) (Double, Int32) -> Double = scale
    let preparedScale = try prepare("double (double x, int32_t count)", unsafeBitCast(direct, to: UnsafeRawPointer.self))
    let typedScale = try preparedScale.typed(as: ((Double, Int32) -> Double).self)
    var total = 0.0
    let (directTime, foreignTime) = (direct_scale(), ffi_scale())
    report.add("a direct call", nanoseconds: directTime, 1)
    report.add("ffi_call of the same", nanoseconds: foreignTime, foreignTime / directTime)
    let typedTime = Measuring.nanoseconds { total += typedScale(1.5, 2) }
    report.add("typed call against direct", nanoseconds: typedTime, typedTime / directTime)
    report.add("typed call against ffi_call", typedTime / foreignTime)

    let sumFunction: @convention(c) (Int64, Int64, Int64, Int64, Int64, Int64, Int64, Int64) -> Int64 = sum
    let typedSum = try prepare(
      "int64_t (int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t)",
      unsafeBitCast(sumFunction, to: UnsafeRawPointer.self)
    ).typed(as: ((Int64, Int64, Int64, Int64, Int64, Int64, Int64, Int64) -> Int64).self)
    var count: Int64 = 0
    let sumTime = Measuring.nanoseconds { count &+= typedSum(1, 2, 3, 4, 5, 6, 7, 8) }
    report.add("eight integers against ffi_call", nanoseconds: sumTime, sumTime / ffi_sum())

    let turnFunction: @convention(c) (quad) -> quad = turn
    let typedTurn = try prepare(
      "struct quad { double a, b; int64_t c, d; }; struct quad (struct quad quad)",
      unsafeBitCast(turnFunction, to: UnsafeRawPointer.self)
    ).typed(as: ((quad) -> quad).self)
    var turned = quad(a: 1, b: 2, c: 3, d: 4)
    let turns = Measuring.inTurns(unit: ffi_turn) { Measuring.nanoseconds { turned = (try? typedTurn(turned)) ?? turned } }
    report.add("a struct of 32 bytes against ffi_call", nanoseconds: turns.time, turns.ratio)

    let add = try Callback(signature: Signature(parsing: "int32_t (int32_t, int32_t)")) { (a: Int32, b: Int32) in a &+ b }
    let function = unsafeBitCast(add.address, to: (@convention(c) (Int32, Int32) -> Int32).self)
    let roundTrips = Measuring.inTurns(unit: ffi_closure_round_trip) { round_trip(function) }
    report.add("a callback against a libffi closure", nanoseconds: roundTrips.time, roundTrips.ratio)
    withExtendedLifetime(add) {}

    let values = Measuring.nanoseconds(100_000) {
      total += (try? preparedScale.call([.double(1.5), .integer(2)])) == nil ? 1 : 0
    }
    report.add("the same with values, against ffi_call", nanoseconds: values, values / foreignTime)
    try buffers(&report)
    precondition(total != 0 && count != 0 && turned.a != 0)
  }

  /// The sum of a million numbers, given in three forms, beside a direct call.
  private static func buffers(_ report: inout Report) throws {
    let direct: @convention(c) (UnsafePointer<Double>?, Int) -> Double = sum_numbers
    let call = try PreparedCall(
      signature: Signature(parsing: "double (const double numbers[count], size_t count)"),
      function: unsafeBitCast(direct, to: UnsafeRawPointer.self))
    let spanned = try call.typed(as: ((Span<Double>) -> Double).self)
    let lent = try call.typed(as: (([Double]) -> Double).self)
    let numbers = (0..<1_000_000).map { Double($0) }
    let boxed = Value.packedArray(Value.PackedArray(numbers))
    let boxes = Value.array(numbers.map(Value.double))
    var total = 0.0
    let base = numbers.withUnsafeBufferPointer { numbers in
      Measuring.nanoseconds(20) { total += direct(numbers.baseAddress, numbers.count) }
    }
    let forms: [(String, Double)] = [
      ("span", Measuring.nanoseconds(20) { total += (try? spanned(numbers.span)) ?? 0 }),
      ("array", Measuring.nanoseconds(20) { total += (try? lent(numbers)) ?? 0 }),
      ("packed array", Measuring.nanoseconds(20) { total += (try? call.call([boxed])) == nil ? 0 : 1 }),
      ("array of values", Measuring.nanoseconds(20) { total += (try? call.call([boxes])) == nil ? 0 : 1 }),
    ]
    for (form, time) in forms { report.add("a million doubles as \(form), against direct", nanoseconds: time, time / base) }
    precondition(total != 0)
  }
}
