import CTroupe
import Testing
import Troupe

@Suite("A contract refuses a table that lacks a function or is too small")
struct ContractTests {
  /// The table of a client's own contract.
  private struct ClockTable {
    var size = UInt32(MemoryLayout<ClockTable>.size)
    var now: (@convention(c) (UnsafeMutableRawPointer) -> Int64)?
  }

  private final class Clock: ForeignBacked {
    let foreign: ForeignInstance
    init(_ foreign: ForeignInstance) { self.foreign = foreign }
    func now() throws -> Int64 {
      let now = try #require(foreign.vtable?.load(as: ClockTable.self).now)
      return now(foreign.object)
    }
  }

  private struct Refused: Error {}

  private static func clock(checkTable: @escaping @Sendable (UnsafeRawPointer) -> String? = { _ in nil }) -> Contract {
    Contract("org.example.clock/1", Clock.self, minimumTableSize: MemoryLayout<ClockTable>.size, checkTable: checkTable) {
      Clock($0)
    }
  }

  @Test("A contract name without a version is invalid")
  func badName() async {
    await #expect(processExitsWith: .failure) {
      _ = Contract("clock", ForeignInstance.self, minimumTableSize: nil) { $0 }
    }
  }

  @Test("The transform's contract equals that of the header")
  func transform() {
    #expect(Contract.transform.name == TROUPE_CONTRACT_TRANSFORM)
    #expect(ObjectIdentifier(Contract.transform.type) == ObjectIdentifier((any Transform).self))
    #expect(Contract.transform.minimumTableSize == ABIStruct.transform.size(inMinor: 0))
  }

  @Test("A table of the right or a larger size with both functions is accepted, with and without `message`")
  func table() {
    let stage = CStage()
    #expect(Contract.transform.problem(inTable: stage.table, abiMinor: 0) == nil)
    stage.table.pointee.message = nil
    #expect(Contract.transform.problem(inTable: stage.table, abiMinor: 0) == nil)
    stage.table.pointee.struct_size += 8
    #expect(Contract.transform.problem(inTable: stage.table, abiMinor: 0) == nil)
  }

  @Test("A table that lacks a function is refused, and the error names the function")
  func missingFunction() {
    let stage = CStage()
    stage.table.pointee.finish = nil
    #expect(Contract.transform.problem(inTable: stage.table, abiMinor: 0) == "vtable has NULL for finish")
    stage.table.pointee.feed = nil
    #expect(Contract.transform.problem(inTable: stage.table, abiMinor: 0) == "vtable has NULL for feed")
  }

  @Test("A table that is too small is refused, and no byte after its size is read", arguments: [0, 4, 31] as [UInt32])
  func smallTable(size: UInt32) {
    let stage = CStage()
    stage.table.pointee.struct_size = size
    #expect(
      Contract.transform.problem(inTable: stage.table, abiMinor: 0)
        == "vtable has struct_size \(size), and troupe.transform/1 needs at least 32; set it to sizeof")
    let strict = Contract("org.example.clock/1", Clock.self, minimumTableSize: 32) { _ in
      Issue.record("the table is looked at")
      return nil
    } wrap: {
      Clock($0)
    }
    var table = size
    #expect(strict.problem(inTable: &table, abiMinor: 0) != nil)
  }

  @Test("NULL is refused as the table of a contract with a table")
  func noTable() {
    #expect(Contract.transform.problem(inTable: nil, abiMinor: 0) == "vtable is NULL")
  }

  @Test("A contract without a table accepts any table and none")
  func tableless() {
    let contract = Contract("org.example.mark/1", ForeignInstance.self, minimumTableSize: nil) { $0 }
    #expect(contract.problem(inTable: nil, abiMinor: 0) == nil)
    var small: UInt32 = 0
    #expect(contract.problem(inTable: &small, abiMinor: 0) == nil)
  }

  @Test("A client's contract checks its table and wraps instances made in C")
  func custom() throws {
    let contract = Self.clock { $0.load(as: ClockTable.self).now == nil ? "vtable has NULL for now" : nil }
    var table = ClockTable(now: nil)
    #expect(contract.problem(inTable: &table, abiMinor: 0) == "vtable has NULL for now")
    table.now = { $0.load(as: Int64.self) }
    #expect(contract.problem(inTable: &table, abiMinor: 0) == nil)

    var time: Int64 = 1234
    try withUnsafeMutablePointer(to: &time) { time in
      try withUnsafePointer(to: &table) { table in
        let foreign = ForeignInstance(contract: contract.name, object: time, vtable: table, destroy: nil, plugin: nil)
        let clock = try #require(try contract.adapter.wrap(foreign) as? Clock)
        #expect(clock.foreign === foreign)
        #expect(try clock.now() == 1234)
      }
    }
  }

  @Test("Errors of the adapter are rethrown")
  func refusal() {
    let contract = Contract("org.example.clock/1", Clock.self, minimumTableSize: nil) { _ in throw Refused() }
    let stage = CStage()
    #expect(throws: Refused.self) { try contract.adapter.wrap(stage.instance()) }
    #expect(stage.destroyed == 1)
  }

  @Test("Values of another type, and contracts without a C side, have no C instance")
  func noExport() {
    #expect(Contract.transform.export("text") == nil)
    #expect(Self.clock().export(Clock(CStage().instance())) == nil)
  }
}
