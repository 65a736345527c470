import Glibc
import Synchronization
import TestSupport
import Testing
import TroupeCall

@Suite("Calls over columns")
struct ColumnTests {
  // MARK: Random shapes

  /// Bytes for the rows of one column, at any stride and offset.
  private final class Memory {
    let bytes: UnsafeMutableRawPointer
    let first: UnsafeMutableRawPointer
    let stride: Int

    init(rows: Int, element: Int, allowsRepeats: Bool, _ generator: inout SplitMix64) {
      let pad = Int.random(in: 0...9, using: &generator)
      let choice = Int.random(in: 0...(allowsRepeats ? 3 : 2), using: &generator)
      stride = [element, element + pad, -(element + pad), 0][choice]
      let size = max(1, rows) * (element + 9) + 32
      bytes = .allocate(byteCount: size, alignment: 16)
      for index in 0..<size {
        bytes.storeBytes(of: UInt8.random(in: 0...255, using: &generator), toByteOffset: index, as: UInt8.self)
      }
      let start = bytes + Int.random(in: 0...8, using: &generator)
      first = stride < 0 ? start + max(0, rows - 1) * -stride : start
    }

    deinit { bytes.deallocate() }
  }

  /// Returns a random value for a type, small enough that sums of several fit into every type that C computes with.
  private static func randomValue(_ type: CType, _ generator: inout SplitMix64) -> Value {
    switch type {
    case .bool: .bool(Bool.random(using: &generator))
    case .float: .float(Float(Int.random(in: -1000...1000, using: &generator)) / 4)
    case .double: .double(Double(Int.random(in: -100_000...100_000, using: &generator)) / 8)
    case .integer(let integer):
      .integer(
        Int128(Int64.random(in: .min ... .max, using: &generator)) & (integer.isSigned ? 0x7f : 0xff)
          - (integer.isSigned ? Int128(Int.random(in: 0...1, using: &generator)) * 0x7f : 0))
    default: .void
    }
  }

  private static func store(_ word: UInt64, _ size: Int, at place: UnsafeMutableRawPointer) {
    withUnsafeBytes(of: word) { bytes in
      UnsafeMutableRawBufferPointer(start: place, count: size).copyMemory(
        from: UnsafeRawBufferPointer(rebasing: bytes[..<size]))
    }
  }

  private static func store(_ value: Value, at place: UnsafeMutableRawPointer) {
    switch value {
    case .bool(let bool): place.storeBytes(of: bool ? 1 : 0, as: UInt8.self)
    case .float(let number): store(UInt64(number.bitPattern), 4, at: place)
    case .double(let number): store(number.bitPattern, 8, at: place)
    default: Issue.record("there is no random \(value)")
    }
  }

  private static func store(_ value: Value, as type: CType, at place: UnsafeMutableRawPointer) {
    guard case .integer(let number) = value, case .integer(let integer) = type else { return store(value, at: place) }
    store(UInt64(truncatingIfNeeded: number), integer.width / 8, at: place)
  }

  private static func bytes(of value: Value, as type: CType, size: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 16)
    bytes.withUnsafeMutableBytes { memory in
      if let start = memory.baseAddress { store(value, as: type, at: start) }
    }
    return Array(bytes.prefix(size))
  }

  /// Calls a function over random columns, and compares each row with a call of its own.
  private static func compare(_ call: PreparedCall, _ generator: inout SplitMix64) throws {
    let signature = call.signature
    let rows = [0, 1, 2, 63, 64, 65, 300, Int.random(in: 0...700, using: &generator)][Int.random(in: 0...7, using: &generator)]
    let elements = signature.parameters.compactMap { Column.Element($0.type) }
    let memories = elements.map { Memory(rows: rows, element: $0.size, allowsRepeats: true, &generator) }
    var arguments = [[Value]](repeating: [], count: rows)
    for (memory, parameter) in zip(memories, signature.parameters) {
      var first: Value?
      for row in 0..<rows {
        let value =
          memory.stride == 0 ? first ?? randomValue(parameter.type, &generator) : randomValue(parameter.type, &generator)
        first = value
        store(value, as: parameter.type, at: memory.first + row * memory.stride)
        arguments[row].append(value)
      }
    }
    let bitmaps = elements.map { _ in (0..<120).map { _ in UInt8.random(in: 0...255, using: &generator) } }
    let hasNulls = elements.map { _ in Int.random(in: 0...2, using: &generator) == 0 }
    let offsets = elements.map { _ in Int.random(in: 0...40, using: &generator) }
    let isNull = (0..<rows).map { row in
      elements.indices.contains { index in
        let bit = offsets[index] + row
        return hasNulls[index] && bitmaps[index][bit / 8] >> UInt8(bit % 8) & 1 == 0
      }
    }
    let output = try #require(Column.Element(signature.result))
    let result = Memory(rows: rows, element: output.size, allowsRepeats: false, &generator)
    var valid = [UInt8](repeating: 0xAA, count: 120)
    let offset = Int.random(in: 0...40, using: &generator)
    let threads = [1, 1, 2, 5][Int.random(in: 0...3, using: &generator)]
    let count = try withBitmaps(bitmaps, hasNulls) { bitmaps in
      try valid.withUnsafeMutableBufferPointer { valid in
        let columns = elements.indices.map { index in
          Column(
            elements[index], data: memories[index].first, stride: memories[index].stride, validity: bitmaps[index],
            validityOffset: offsets[index])
        }
        return try call.map(
          columns, rows: rows,
          into: [
            OutputColumn(output, data: result.first, stride: result.stride, validity: valid.baseAddress, validityOffset: offset)
          ], options: MapOptions(threads: threads))
      }
    }
    #expect(count == isNull.count { $0 })
    for row in 0..<rows {
      let bit = offset + row
      #expect(valid[bit / 8] >> UInt8(bit % 8) & 1 == (isNull[row] ? 0 : 1), "row \(row) of \(signature)")
      let expected =
        isNull[row]
        ? [UInt8](repeating: 0, count: output.size)
        : bytes(of: try call.call(arguments[row]), as: signature.result, size: output.size)
      let stored = Array(UnsafeRawBufferPointer(start: result.first + row * result.stride, count: output.size))
      if stored != expected { Issue.record("row \(row) of \(rows) of \(signature) is \(stored), not \(expected)") }
    }
    // The bits before the first and behind the last row.
    for bit in Array(0..<offset) + Array(offset + rows..<min(960, offset + rows + 20)) {
      #expect(valid[bit / 8] >> UInt8(bit % 8) & 1 == (bit % 2 == 0 ? 0 : 1))
    }
  }

  private static func withBitmaps<Result>(
    _ bitmaps: [[UInt8]], _ isUsed: [Bool], _ pointers: [UnsafePointer<UInt8>?] = [],
    _ body: ([UnsafePointer<UInt8>?]) throws -> Result
  ) rethrows -> Result {
    guard pointers.count < bitmaps.count else { return try body(pointers) }
    return try bitmaps[pointers.count].withUnsafeBufferPointer {
      try withBitmaps(bitmaps, isUsed, pointers + [isUsed[pointers.count] ? $0.baseAddress : nil], body)
    }
  }

  @Test("1,000 random shapes of 80 signatures have the results of a call of each row")
  func randomShapes() throws {
    var generator = SplitMix64(seed: 20)
    for round in 0..<1000 {
      let index = round % ColumnFixture.signatureCount
      let parameters = ColumnFixture.parameters(index).joined(separator: ", ")
      let signature = "\(ColumnFixture.result(index)) (\(parameters.isEmpty ? "void" : parameters))"
      try Self.compare(ColumnFixture.call("sum_\(index)", signature), &generator)
    }
  }

  // MARK: Swift arrays

  @Test("Arrays, slices, buffers and numbers are columns; those of one element are repeated")
  func arrays() throws {
    let area = try ColumnFixture.call("area", "double (double width, double height)")
    #expect(try area.map([1.0, 2, 3], [2.0, 3, 4]) as [Double] == [2, 6, 12])
    #expect(try area.map([1.0, 2, 3][1...], 2.0, as: Double.self) == [4, 6])
    #expect(try area.map([5.0], ContiguousArray([2.0, 3]), as: Double.self) == [10, 15])
    #expect(try area.map(2.0, 4.0, as: Double.self) == [8])
    #expect(try area.map([Double](), 2.0, as: Double.self) == [])
    let polynomial = try ColumnFixture.call("polynomial", "double (const double factors[count], size_t count, double x)")
    #expect(try polynomial.map([1.0, 2, 3], [0.0, 1, 2, 10], as: Double.self) == [1, 6, 17, 321])
  }

  @Test("Arrays of different lengths, and of other types, are errors that name the argument")
  func wrongArrays() throws {
    let area = try ColumnFixture.call("area", "double (double width, double height)")
    #expect(throws: CallError.self) { try area.map([1.0, 2], [1.0, 2, 3], as: Double.self) }
    let error = #expect(throws: CallError.self) { try area.map([1.0, 2], [Float(1), 2], as: Double.self) }
    #expect(error?.code == .argumentType)
    #expect(error?.argument?.name == "height")
    #expect(throws: CallError.self) { try area.map([1.0, 2], [1.0, 2], as: Float.self) }
  }

  // MARK: Other types

  @Test("Structs are passed and returned by value, and by a constant pointer")
  func structs() throws {
    struct Point: Equatable { var x, y: Double }
    let declaration = "struct point { double x, y; };"
    let points = (0..<100).map { Point(x: Double($0), y: 1) }
    let others = [Point(x: 2, y: 3)]
    var middles = [Point](repeating: Point(x: 0, y: 0), count: 100)
    let middle = try ColumnFixture.call("middle", "\(declaration) struct point (struct point a, struct point b)")
    _ = try points.withUnsafeBytes { points in
      try others.withUnsafeBytes { others in
        try middles.withUnsafeMutableBytes { middles in
          try middle.map(
            [
              Column(.memory(size: 16), data: points.baseAddress, stride: 16),
              Column(.memory(size: 16), data: others.baseAddress, stride: 0),
            ], rows: 100, into: [OutputColumn(.memory(size: 16), data: middles.baseAddress, stride: 16)])
        }
      }
    }
    #expect(middles == points.map { Point(x: ($0.x + 2) / 2, y: 2) })
    let norm = try ColumnFixture.call("norm", "\(declaration) double (const struct point *point)")
    var norms = [Double](repeating: 0, count: 100)
    _ = try points.withUnsafeBytes { points in
      try norms.withUnsafeMutableBufferPointer { norms in
        try norm.map(
          [Column(.memory(size: 16), data: points.baseAddress, stride: 16)], rows: 100, into: [OutputColumn(norms)])
      }
    }
    #expect(norms == points.map { $0.x * $0.x + 1 })
    // Elements that are not aligned are copied, and pointers are passed as they are.
    let bytes: [UInt8] = [0] + points.withUnsafeBytes { Array($0) }
    try bytes.withUnsafeBytes { bytes in
      let first = try #require(bytes.baseAddress) + 1
      _ = try norms.withUnsafeMutableBufferPointer { norms in
        try norm.map([Column(.memory(size: 16), data: first, stride: 16)], rows: 100, into: [OutputColumn(norms)])
      }
    }
    #expect(norms == points.map { $0.x * $0.x + 1 })
    try points.withUnsafeBufferPointer { points in
      let first = try #require(points.baseAddress)
      let pointers = (0..<100).reversed().map { Value.Pointer(UnsafeRawPointer(first + $0)) }
      #expect(try norm.map(pointers, as: Double.self) == points.reversed().map { $0.x * $0.x + 1 })
    }
  }

  @Test("Structs in memory, complex numbers, long double and enumerations have the results of calls with values")
  func otherTypes() throws {
    let scaled = try ColumnFixture.call(
      "scaled",
      "struct mixed { int32_t count; float ratio; double weights[3]; }; struct mixed (struct mixed value, int8_t factor)")
    var structs = [UInt8](repeating: 0, count: 64)
    structs.withUnsafeMutableBytes { bytes in
      bytes.storeBytes(of: 3, as: Int32.self)
      bytes.storeBytes(of: 1.5, toByteOffset: 8, as: Double.self)
      bytes.storeBytes(of: 5, toByteOffset: 32, as: Int32.self)
      bytes.storeBytes(of: 2.5, toByteOffset: 56, as: Double.self)
    }
    let factors: [Int8] = [-2, 3]
    // In place.
    try structs.withUnsafeMutableBytes { bytes in
      try factors.withUnsafeBufferPointer { factors in
        let memory = Column.Element.memory(size: 32)
        try scaled.map(
          [Column(memory, data: bytes.baseAddress, stride: 32), Column(factors)], rows: 2,
          into: [OutputColumn(memory, data: bytes.baseAddress, stride: 32)])
      }
      #expect(bytes.load(as: Int32.self) == -6)
      #expect(bytes.load(fromByteOffset: 8, as: Double.self) == -3)
      #expect(bytes.load(fromByteOffset: 32, as: Int32.self) == 15)
      #expect(bytes.load(fromByteOffset: 56, as: Double.self) == 7.5)
    }
    let turned = try ColumnFixture.call("turned", "double _Complex (double _Complex x)")
    var numbers = [1.0, 2, 3, -4]
    _ = try numbers.withUnsafeMutableBytes { bytes in
      try turned.map(
        [Column(.complex(.double), data: bytes.baseAddress, stride: 16)], rows: 2,
        into: [OutputColumn(.complex(.double), data: bytes.baseAddress, stride: 16)])
    }
    #expect(numbers == [-2, 1, 4, 3])
    #if arch(x86_64)
      let longer = try ColumnFixture.call("longer", "long double (long double x, int y)")
      var long: [Float80] = [0.5, 1.5, 2.5]
      _ = try long.withUnsafeMutableBytes { bytes in
        try [Int32(1), 2, 3].withUnsafeBufferPointer { steps in
          try longer.map(
            [Column(.longDouble, data: bytes.baseAddress, stride: 16), Column(steps)], rows: 3,
            into: [OutputColumn(.longDouble, data: bytes.baseAddress, stride: 16)])
        }
      }
      #expect(long == [1.5, 3.5, 5.5])
    #endif
    let next = try ColumnFixture.call("next_color", "enum color { red, green = 7 }; enum color (enum color color)")
    #expect(try next.map([UInt32(0), 7], as: UInt32.self) == [7, 0])
  }

  @Test("Strings are passed and returned without a copy")
  func strings() throws {
    let texts: [UnsafeMutablePointer<CChar>?] = ["", "one", "three"].map { (text: String) in strdup(text) }
    defer { for text in texts { free(text) } }
    var elements = texts.map { UInt(bitPattern: $0) }
    elements[0] = 0
    let length = try ColumnFixture.call("length", "int (const char *text)")
    let unchanged = try ColumnFixture.call("unchanged", "const char *(const char *text)")
    var lengths = [Int32](repeating: 0, count: 3)
    var results = [UInt](repeating: 1, count: 3)
    try elements.withUnsafeBytes { elements in
      let column = Column(.string, data: elements.baseAddress, stride: 8)
      _ = try lengths.withUnsafeMutableBufferPointer { try length.map([column], rows: 3, into: [OutputColumn($0)]) }
      _ = try results.withUnsafeMutableBytes {
        try unchanged.map([column], rows: 3, into: [OutputColumn(.string, data: $0.baseAddress, stride: 8)])
      }
    }
    #expect(lengths == [-1, 3, 5])
    #expect(results == elements)
  }

  // MARK: Outputs and buffers

  @Test("Outputs are columns behind the result, and inout parameters are inputs as well")
  func outputs() throws {
    let counted = try ColumnFixture.call("counted", "void (inout int *count, double step, inout double *total)")
    var counts: [Int32] = [1, 2, 3]
    var totals: [Double] = [0, 0, 0]
    let starts: [Double] = [10, 20, 30]
    _ = try counts.withUnsafeMutableBufferPointer { counts in
      try totals.withUnsafeMutableBufferPointer { totals in
        try starts.withUnsafeBufferPointer { starts in
          try [0.5].withUnsafeBufferPointer { step in
            try counted.map(
              [Column(UnsafeBufferPointer(counts)), Column(repeating: step), Column(starts)], rows: 3,
              into: [OutputColumn(counts), OutputColumn(totals)])
          }
        }
      }
    }
    #expect(counts == [2, 3, 4])
    #expect(totals == [10.5, 20.5, 30.5])
  }

  @Test("A buffer's column is not copied, and neither is that of a vectorized body")
  func addresses() throws {
    let address = try ColumnFixture.call("address", "const void *(const double factors[count], size_t count, double x)")
    let factors = [1.0, 2, 3]
    try factors.withUnsafeBufferPointer { factors in
      let results = try address.map(factors, [1.0, 2, 3, 4], as: Value.Pointer.self)
      #expect(results == Array(repeating: Value.Pointer(UnsafeRawPointer(factors.baseAddress)), count: 4))
    }
    let area = try ColumnFixture.call("area", "double (double width, double height)")
    let body = ColumnLoop(body: UInt(bitPattern: try ColumnFixture.library.get().function("area_map")))
    let (widths, heights) = ([1.0, 2, 3], [4.0, 5, 6])
    var areas = [0.0, 0, 0]
    try widths.withUnsafeBufferPointer { widths in
      try heights.withUnsafeBufferPointer { heights in
        try areas.withUnsafeMutableBufferPointer { areas in
          _ = try area.map(
            [Column(widths), Column(heights)], rows: 3, into: [OutputColumn(areas)], options: MapOptions(), loop: body,
            resolver: nil)
          let seen = try ColumnFixture.library.get().function("seen_columns").assumingMemoryBound(to: UInt.self)
          #expect(
            Array(UnsafeBufferPointer(start: seen, count: 3)) == [
              UInt(bitPattern: widths.baseAddress), UInt(bitPattern: heights.baseAddress), UInt(bitPattern: areas.baseAddress),
            ])
        }
      }
    }
    #expect(areas == [1004, 1010, 1018])
  }

  @Test("A length that is computed from other arguments is compared in each row")
  func computedLength() throws {
    let element = try ColumnFixture.call(
      "element", "double (const double values[rows * columns], int rows, int columns, int row, int column)")
    let values = [1.0, 2, 3, 4, 5, 6]
    #expect(try element.map(values, Int32(2), Int32(3), [Int32(0), 1], [Int32(1), 2], as: Double.self) == [2, 6])
    let error = #expect(throws: CallError.self) {
      try element.map(values, [Int32(2), 6, 4], Int32(3), Int32(0), Int32(0), as: Double.self)
    }
    #expect(error?.code == .argumentRange)
    #expect(error?.row == 1)
    #expect(error?.argument?.name == "values")
  }

  @Test("Buffers of wrong lengths, strides, alignments and with nulls are refused before a call")
  func wrongBuffers() throws {
    let polynomial = try ColumnFixture.call("polynomial", "double (const double factors[count], size_t count, double x)")
    let words = try ColumnFixture.call("words", "int (const char *const list[])")
    let bytes = [UInt8](repeating: 0, count: 64)
    var results = [0.0]
    func code(_ buffer: Column) -> CallError.Code? {
      var code: CallError.Code?
      do {
        try [1.0].withUnsafeBufferPointer { x in
          try results.withUnsafeMutableBufferPointer {
            _ = try polynomial.map([buffer, Column(x)], rows: 1, into: [OutputColumn($0)])
          }
        }
      } catch {
        code = (error as? CallError)?.code
      }
      return code
    }
    try bytes.withUnsafeBytes { bytes in
      let data = try #require(bytes.baseAddress)
      #expect(code(Column(.double, data: data, stride: 8, count: 3)) == nil)
      #expect(code(Column(.double, data: nil, stride: 8, count: 0)) == nil)
      #expect(code(Column(.double, data: nil, stride: 8, count: 1)) == .argumentRange)
      #expect(code(Column(.double, data: data, stride: 16, count: 3)) == .argumentRange)
      #expect(code(Column(.double, data: data + 1, stride: 8, count: 3)) == .argumentRange)
      #expect(code(Column(.double, data: data, stride: 8, count: -1)) == .argumentRange)
      #expect(code(Column(.double, data: data, stride: 8, count: .max)) == .argumentRange)
      #expect(code(Column(.float, data: data, stride: 4, count: 3)) == .argumentType)
      let validity = data.assumingMemoryBound(to: UInt8.self)
      #expect(code(Column(.double, data: data, stride: 8, count: 3, validity: validity)) == .argumentRange)
      var count = [Int32(7)]
      try count.withUnsafeMutableBufferPointer {
        _ = try words.map([Column(.pointer, data: data, stride: 8, count: 8)], rows: 1, into: [OutputColumn($0)])
      }
      #expect(count == [0])
    }
    let unterminated = [UInt8](repeating: 1, count: 64)
    unterminated.withUnsafeBytes { bytes in
      var count = [Int32(7)]
      #expect(throws: CallError.self) {
        try count.withUnsafeMutableBufferPointer {
          _ = try words.map([Column(.pointer, data: bytes.baseAddress, stride: 8, count: 8)], rows: 1, into: [OutputColumn($0)])
        }
      }
      #expect(count == [7])
    }
  }

  // MARK: Failures

  @Test(
    "The first failing row ends the call, and rows before it have their results, on any number of threads",
    arguments: [1, 2, 4])
  func firstFailure(threads: Int) throws {
    let divided = try ColumnFixture.call("divided", "int (int a, int b, inout int *rest) errno")
    let dividends = (0..<1000).map(Int32.init)
    var divisors = [Int32](repeating: 3, count: 1000)
    divisors[700] = 0
    divisors[900] = 0
    var (quotients, rests) = ([Int32](repeating: -7, count: 1000), [Int32](repeating: 1, count: 1000))
    var failure: CallError?
    do {
      try dividends.withUnsafeBufferPointer { dividends in
        try divisors.withUnsafeBufferPointer { divisors in
          try quotients.withUnsafeMutableBufferPointer { quotients in
            try rests.withUnsafeMutableBufferPointer { rests in
              _ = try divided.map(
                [Column(dividends), Column(divisors), Column(UnsafeBufferPointer(rests))], rows: 1000,
                into: [OutputColumn(quotients), OutputColumn(rests)], options: MapOptions(threads: threads))
            }
          }
        }
      }
    } catch {
      failure = error as? CallError
    }
    #expect(failure?.code == .system(EDOM))
    #expect(failure?.row == 700)
    #expect(failure?.description.hasPrefix("row 700: ") == true)
    #expect(quotients[..<700].elementsEqual((0..<700).map { Int32($0 / 3) }))
    #expect(rests[..<700].elementsEqual((0..<700).map { Int32($0 % 3 + 1) }))
    #expect(quotients[700] == -7)
  }

  /// The failures of rows, from any thread.
  private final class Failures: Sendable {
    let list = Mutex<[(row: Int, code: CallError.Code)]>([])
  }

  @Test("Failing rows become null on request and are reported, on any number of threads", arguments: [1, 3])
  func nullFailures(threads: Int) throws {
    let checked = try ColumnFixture.call("checked", "int (int x) error(nonzero)")
    let arguments = (0..<1000).map { Int32($0 % 20) }
    var results = [Int32](repeating: 9, count: 1000)
    var validity = [UInt8](repeating: 0, count: 126)
    let failures = Failures()
    let options = MapOptions(
      rowFailure: .isNull, threads: threads, report: { row, error in failures.list.withLock { $0.append((row, error.code)) } })
    let count = try arguments.withUnsafeBufferPointer { arguments in
      try results.withUnsafeMutableBytes { results in
        try validity.withUnsafeMutableBufferPointer { validity in
          try checked.map(
            [Column(arguments)], rows: 1000,
            into: [
              OutputColumn(.int32, data: results.baseAddress, stride: 4, validity: validity.baseAddress, validityOffset: 3)
            ],
            options: options)
        }
      }
    }
    let expected = (0..<1000).filter { $0 % 20 == 13 }
    #expect(count == expected.count)
    #expect(failures.list.withLock { $0.map(\.row).sorted() } == expected)
    #expect(failures.list.withLock { $0.allSatisfy { $0.code == .failure(1) } })
    let nulls = (0..<1000).filter { row in
      let byte = validity[(row + 3) / 8]
      return byte >> UInt8((row + 3) % 8) & 1 == 0
    }
    #expect(nulls == expected)
    #expect(results.allSatisfy { $0 == 0 })
    // Without a bitmap the failure ends the call.
    let error = #expect(throws: CallError.self) {
      try arguments.withUnsafeBufferPointer { arguments in
        try results.withUnsafeMutableBufferPointer {
          _ = try checked.map([Column(arguments)], rows: 1000, into: [OutputColumn($0)], options: options)
        }
      }
    }
    #expect(error?.row == 13)
  }

  @Test("A null without a bitmap for the output is an error before a call")
  func nullWithoutBitmap() throws {
    let silent = try ColumnFixture.call("silent", "void (int x)")
    let count = try ColumnFixture.call("count_calls", "int (void)")
    let before = try count.call([])
    let area = try ColumnFixture.call("area", "double (double width, double height)")
    let values = [1.0, 2, 3]
    var areas = [7.0, 7, 7]
    let validity: [UInt8] = [0b101]
    try values.withUnsafeBufferPointer { values in
      try validity.withUnsafeBufferPointer { validity in
        var column = Column(values)
        column.validity = validity.baseAddress
        let columns = [column, Column(values)]
        let error = areas.withUnsafeMutableBufferPointer { areas in
          #expect(throws: CallError.self) { try area.map(columns, rows: 3, into: [OutputColumn(areas)]) }
        }
        #expect(error?.code == .argumentRange)
        // A function without outputs skips the rows.
        try [Int32(10), 1000, 10].withUnsafeBufferPointer { steps in
          var column = Column(steps)
          column.validity = validity.baseAddress
          let nulls = try silent.map([column], rows: 3, into: [])
          #expect(nulls == 1)
        }
      }
    }
    #expect(areas == [7, 7, 7])
    guard case .integer(let first) = before, case .integer(let last) = try count.call([]) else {
      Issue.record("count_calls returns no integer")
      return
    }
    #expect(last - first == 21)
  }

  @Test("A callback that fails ends the call")
  func callback() throws {
    struct TestError: Error {}
    let apply = try ColumnFixture.call("apply", "int (int (*function)(int), int x)")
    let callback = try Callback(signature: Signature(parsing: "int (int)")) { arguments in
      if arguments[0] == .integer(2) { throw TestError() }
      return arguments[0]
    }
    let error = #expect(throws: CallError.self) {
      try apply.map(Value.Pointer(callback.address), [Int32(0), 1, 2, 3], as: Int32.self)
    }
    #expect(error?.code == .callback)
    #expect(error?.row == 2)
    // Only a failure that the function reports makes a row null.
    var (numbers, result, validity) = ([Int32(2)], Int32(-1), UInt8(0))
    let addresses = [Value.Pointer(callback.address)]
    let code = #expect(throws: CallError.self) {
      try addresses.withUnsafeBytes { addresses in
        try apply.map(
          [Column(.pointer, data: addresses.baseAddress, stride: 0), Column(.int32, data: &numbers, stride: 4)], rows: 1,
          into: [OutputColumn(.int32, data: &result, stride: 4, validity: &validity)],
          options: MapOptions(rowFailure: .isNull))
      }
    }?.code
    #expect(code == .callback)
  }

  @Test(
    "The cancellation of the task ends a call between two rows, with a loop and without", arguments: [true, false], [1, 2])
  func cancellation(hasLoop: Bool, threads: Int) async throws {
    // All rows take 100 seconds. The first one cancels the task, whose thread computes it.
    let slow: @convention(c) (Int64) -> Int64 = { number in
      if number == 0 { withUnsafeCurrentTask { $0?.cancel() } }
      usleep(1000)
      return number
    }
    let call = try PreparedCall(
      signature: Signature(parsing: "int64_t (int64_t number)" + (hasLoop ? "" : " error(negative)")),
      function: unsafeBitCast(slow, to: UnsafeRawPointer.self))
    let task = Task {
      let numbers = Array(Int64(0)..<100_000)
      return #expect(throws: CallError.self) { try call.map(numbers, as: Int64.self, options: MapOptions(threads: threads)) }?
        .code
    }
    #expect(await task.value == .cancelled)
  }

  // MARK: Checks

  @Test("Wrong columns are refused before memory is touched")
  func wrongColumns() throws {
    let area = try ColumnFixture.call("area", "double (double width, double height)")
    let far = UnsafeMutableRawPointer(bitPattern: 0x1000)
    let good = Column(.double, data: far, stride: 8)
    func error(_ columns: [Column], rows: Int = 3, _ outputs: [OutputColumn]) throws -> CallError {
      try #require(throws: CallError.self) { try area.map(columns, rows: rows, into: outputs) }
    }
    let output = OutputColumn(.double, data: far, stride: 8)
    #expect(try error([good], [output]).code == .argumentCount)
    #expect(try error([good, good], []).code == .argumentCount)
    #expect(try error([good, good], rows: -1, [output]).code == .argumentRange)
    #expect(try error([good, Column(.int64, data: far, stride: 8)], [output]).argument?.index == 1)
    #expect(try error([good, Column(.double, data: nil, stride: 8)], [output]).code == .argumentRange)
    #expect(try error([good, Column(.double, data: far, stride: .max)], [output]).code == .argumentRange)
    #expect(try error([good, Column(.double, data: far, stride: .min)], [output]).code == .argumentRange)
    #expect(try error([good, Column(.double, data: far, stride: -8)], rows: 1 << 20, [output]).code == .argumentRange)
    #expect(try error([good, good], rows: .max, [output]).code == .argumentRange)
    #expect(try error([good, good], [OutputColumn(.double, data: far, stride: 0)]).code == .argumentRange)
    #expect(try error([good, good], [OutputColumn(.double, data: far, stride: -7)]).code == .argumentRange)
    #expect(try error([good, good], [OutputColumn(.float, data: far, stride: 8)]).code == .argumentType)
    #expect(try error([good, good], [OutputColumn(.double, data: nil, stride: 8)]).code == .argumentRange)
    let bitmap = UnsafeMutablePointer<UInt8>(bitPattern: 0x1000)
    #expect(
      try error([Column(.double, data: far, stride: 8, validity: bitmap, validityOffset: .max), good], [output]).code
        == .argumentRange)
    #expect(
      try error([good, good], [OutputColumn(.double, data: far, stride: 8, validity: bitmap, validityOffset: -1)]).code
        == .argumentRange)
    // Without rows no address is used, and a bitmap is left as it is.
    #expect(
      try area.map([good, Column(.double, data: nil, stride: 8)], rows: 0, into: [OutputColumn(.double, data: nil, stride: 0)])
        == 0)
  }

  @Test(
    "Functions that need more than columns are refused",
    arguments: [
      "int (const char *format, ...)", "owned(free) const char *(int x)", "void (double values[count], size_t count)",
      "void (out double values[count], size_t count)", "struct store; int (struct store *store)",
    ])
  func unsupported(signature: String) throws {
    let call = try PreparedCall(
      signature: Signature(parsing: signature), function: ColumnFixture.library.get().function("area"))
    let error = #expect(throws: CallError.self) { try call.map([], rows: 1, into: []) }
    #expect(error?.code == .unsupportedSignature)
  }

  @Test("libffi makes the same calls as the registers")
  func foreign() throws {
    let middle = try PreparedCall(
      signature: Signature(parsing: "int (int a, int b, inout int *rest) errno"),
      function: ColumnFixture.library.get().function("divided"), backend: .libffi)
    let (dividends, divisors) = ([Int32(7), 8, 9], [Int32(2)])
    var (quotients, rests) = ([Int32(0), 0, 0], [Int32(10), 20, 30])
    try dividends.withUnsafeBufferPointer { dividends in
      try divisors.withUnsafeBufferPointer { divisors in
        try quotients.withUnsafeMutableBufferPointer { quotients in
          try rests.withUnsafeMutableBufferPointer { rests in
            _ = try middle.map(
              [Column(dividends), Column(repeating: divisors), Column(UnsafeBufferPointer(rests))], rows: 3,
              into: [OutputColumn(quotients), OutputColumn(rests)])
          }
        }
      }
    }
    #expect(quotients == [3, 4, 4])
    #expect(rests == [11, 20, 31])
  }
}
