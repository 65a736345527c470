import TestSupport
@testable import TroupeCall

/// Memory of a record that Swift and C write in turn.
struct ConformanceMemory {
  private let type: CType
  private let record: CType.Record
  private let memory: ForeignMemory
  private let hash: PreparedCall
  private let fill: PreparedCall

  init(_ layout: ConformanceLibrary.Layout, _ library: CLibrary) throws {
    guard case .record(let record) = layout.type else { throw CLibrary.TestError("\(layout.type) is no record") }
    (type, self.record) = (layout.type, record)
    memory = try ForeignMemory(type, flexibleCount: 4)
    func prepare(_ name: String) throws -> PreparedCall {
      try PreparedCall(
        signature: Signature(parsing: "void (inout uint64_t *state, void *record)"),
        function: library.function("\(name)_\(layout.name)"))
    }
    (hash, fill) = (try prepare("hash"), try prepare("fill"))
  }

  private func bytes(_ value: Value) -> [UInt8] { ConformanceCall.bytes(value, type) }

  /// Whether C finds a value in the memory.
  private func isInMemory(_ value: Value) throws -> Bool {
    let state = ConformanceValues.hash([])
    let outcome = try hash.call([.integer(Int128(state)), .memory(memory)])
    return outcome["state"] == .integer(Int128(ConformanceValues.hash(bytes(value), from: state)))
  }

  /// Writes random values, whole and by members, and reads what C writes.
  func faults(_ generator: inout SplitMix64) throws -> [String] {
    var faults: [String] = []
    var value = ConformanceValues.random(type, &generator)
    try memory.write(value)
    if try !isInMemory(value) { faults.append("C reads something else than \(value)") }
    if case .structure(var fields) = value, record.kind == .structure {
      for (index, field) in fields.enumerated() {
        guard let member = record.members.first(where: { $0.name == field.name }), !member.isCount, member.type.extent == nil
        else { continue }
        fields[index] = Value.Field(field.name, ConformanceValues.random(member.type, &generator))
        try memory.write(fields[index].value, to: field.name)
      }
      value = .structure(fields)
      if try !isInMemory(value) { faults.append("C reads something else than \(value), written by members") }
    }

    var state = SplitMix64(seed: generator.next())
    let seed = Value.integer(Int128(state.state))
    var expected: [UInt8] = []
    ConformanceValues.appendFilled(type, &state, to: &expected)
    _ = try fill.call([seed, .memory(memory)])
    let read = try memory.read()
    if bytes(read) != expected { faults.append("C has written something else than \(read)") }
    guard case .structure(let fields) = read else { return faults + ["\(read) is no structure"] }
    // By its name each member has the same value.
    for field in fields where try memory.read(field.name).description != field.value.description {
      faults.append("\(field.name) is no \(field.value)")
    }
    return faults
  }
}
