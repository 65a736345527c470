import TestSupport
@testable import TroupeCall

/// Buffers that a function reads, writes or allocates.
extension ConformanceParts {
  /// `const T xs[…]` or `T xs[…]`.
  mutating func buffer(isOutput: Bool) throws -> Part {
    let isTerminated = types.chance(1, of: 6)
    let (spelled, name) = (isTerminated ? types.pick(ConformanceTypes.terminable) : element(), name())
    let type = try type(spelled)
    let extent = isTerminated ? Self.terminated : extent(spelled, isGiven: true)
    let word = isOutput ? spelled.text : "\(spelled.text) const"
    var body = extent.body + ConformanceStatements.hash.elements(type, name, count: extent.c)
    if isOutput { body += ConformanceStatements.fill.elements(type, name, count: extent.c, areNonzero: isTerminated) }
    return Part(
      parameters: [Parameter("\(word) \(name)[\(extent.text)]", c: "\(word) *\(name)")] + extent.parameters, body: body,
      uses: [spelled],
      follow: { call in
        let (count, lengths) = extent.follow(&call)
        let value = ConformanceValues.elements(type, count, areNonzero: isTerminated, &call.generator)
        _ = call.input(value, .array(type, count: count))
        if isOutput { call.expect(name, call.elements(type, count, areNonzero: isTerminated)) }
        return [[try Self.form(value, type, count, isTerminated: isTerminated, &call)]] + lengths
      })
  }

  /// Returns an array as it is, as memory, packed, or as null if it is empty.
  private static func form(
    _ value: Value, _ type: CType, _ count: Int, isTerminated: Bool, _ call: inout ConformanceCall
  ) throws -> Value {
    let elements = value.elements.map { Array($0) } ?? []
    var isBytes = false
    if case .bytes = value { isBytes = true }
    switch call.random(0...3) {
    case 0 where count > 1 && !isTerminated:
      let memory = try ForeignMemory(type, count: count)
      try memory.write(value)
      return .memory(memory)
    case 1 where type.isBitwiseCopyable && !isBytes:
      var arena = CallArena()
      return .packedArray(
        try Value.PackedArray(type, count: count) { place, index throws(CallError) in
          try elements[index].write(as: type, to: place, &arena)
        })
    case 2 where count == 0: return .null
    default: return value
    }
  }

  /// `const T rows[n][3]`.
  mutating func rows() throws -> Part {
    let (spelled, name) = (element(), name())
    let row = CType.array(try type(spelled), count: 3)
    let extent = extent(spelled, isGiven: true, rowCount: 3)
    return Part(
      parameters: [
        Parameter("\(spelled.text) const \(name)[\(extent.text)][3]", c: "\(spelled.text) const (*\(name))[3]")
      ] + extent.parameters,
      body: extent.body + ConformanceStatements.hash.elements(row, name, count: extent.c), uses: [spelled],
      follow: { call in
        let (count, lengths) = extent.follow(&call)
        return [[call.input(.array(row, count: count))]] + lengths
      })
  }

  /// `out T xs[…]`, of which all is written.
  mutating func output() throws -> Part {
    let (spelled, name) = (element(), name())
    let type = try type(spelled)
    let extent = extent(spelled, isGiven: false)
    return Part(
      parameters: [Parameter("out \(spelled.text) \(name)[\(extent.text)]", c: "\(spelled.text) *\(name)")] + extent.parameters,
      body: extent.body + ConformanceStatements.fill.elements(type, name, count: extent.c), uses: [spelled],
      follow: { call in
        let (count, lengths) = extent.follow(&call)
        call.expect(name, call.elements(type, count, areNonzero: false))
        return [[]] + lengths
      })
  }

  /// An output of which the function writes a part and reports how much: in the result, an output, or the length itself.
  mutating func usedOutput() throws -> Part {
    let (spelled, name, size, count) = (element(), name(), name(), name())
    let type = try type(spelled)
    let c = "\(spelled.text) *\(name)"
    let isResult = !hasUsedResult && types.chance(1, of: 2)
    let form = isResult ? types.number(0...2) : types.number(3...4)
    hasUsedResult = hasUsedResult || isResult
    // The size of a block of elements, which is a parameter in the first form.
    let block = form == 0 ? size : "1"
    let parameters: [Parameter]
    switch form {
    case 0:
      parameters = [
        Parameter("out \(spelled.text) \(name)[\(size) * \(count), \(size) * result]", c: c), Parameter("size_t \(size)"),
        Parameter("size_t \(count)"),
      ]
    case 1: parameters = [Parameter("out \(spelled.text) \(name)[result], int \(count)", c: "\(c), int \(count)")]
    case 2: parameters = [Parameter("out \(spelled.text) \(name)[\(count), result]", c: c), Parameter("long \(count)")]
    case 3:
      parameters = [
        Parameter("out \(spelled.text) \(name)[\(count), \(size)]", c: c), Parameter("size_t \(count)"),
        Parameter("out int *\(size)", c: "int *\(size)"),
      ]
    default:
      parameters = [
        Parameter("out \(spelled.text) \(name)[\(count)]", c: c), Parameter("inout size_t *\(count)", c: "size_t *\(count)"),
      ]
    }
    let report = isResult ? "used = k;" : "*\(form == 3 ? size : count) = k;"
    let room = form == 4 ? "*\(count)" : count
    return Part(
      parameters: parameters,
      body: "{ size_t k = fill_count(state, \(room) + 1); "
        + ConformanceStatements.fill.elements(type, name, count: "k * \(block)") + " \(report) }",
      uses: [spelled],
      follow: { call in
        let (room, block) = (call.random(0...5), form == 0 ? call.random(0...2) : 1)
        let used = call.count(below: room + 1)
        call.expect(name, call.elements(type, used * block, areNonzero: false))
        if isResult { call.used = used }
        let reported = ConformanceCall.bytes(.integer(Int128(used)), form == 3 ? .integer(.int) : .integer(.size))
        if form == 3 { call.expect(size, .init(type: .integer(.int), bytes: reported)) }
        if form == 4 { call.expect(count, .init(type: .integer(.size), bytes: reported)) }
        let number = Value.integer(Int128(room))
        return form == 0
          ? [[], [.integer(Int128(block))], [number]]
          : form == 1 ? [[number]] : form == 3 ? [[], [number], []] : [[], [number]]
      })
  }

  /// `out owned(release) T (**xs)[…]`, or a borrowed one.
  mutating func ownedOutput() throws -> Part {
    let isTerminated = types.chance(1, of: 6)
    let (spelled, name) = (isTerminated ? types.pick(ConformanceTypes.terminable) : element(), name())
    let type = try type(spelled)
    let extent = resultExtent(spelled, isTerminated: isTerminated)
    let isOwned = types.chance(2, of: 3)
    return Part(
      parameters: [
        Parameter(
          "out \(isOwned ? "owned(release) " : "")\(spelled.text) (**\(name))[\(extent.text)]", c: "\(spelled.text) **\(name)")
      ] + extent.parameters,
      body: extent.body
        + ConformanceStatements.allocate(type, "(*\(name))", count: extent.c, by: isOwned ? "own" : "borrow"),
      uses: [spelled],
      follow: { call in
        let (count, lengths) = extent.follow(&call)
        call.expect(name, call.elements(type, count, areNonzero: isTerminated))
        return [[]] + lengths
      })
  }
}
