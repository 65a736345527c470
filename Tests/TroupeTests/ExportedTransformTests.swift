import CTroupe
import Testing
import Troupe

/// A stage that writes its input in capitals and, at the end, its length; refuses an exclamation mark.
private final class Shout: Transform {
  private var count = 0
  private let atEnd: () -> Void

  init(atEnd: @escaping () -> Void = {}) {
    self.atEnd = atEnd
  }

  deinit { atEnd() }

  func feed(_ bytes: Span<UInt8>, to output: any TransformOutput) throws {
    for index in bytes.indices where bytes[index] == UInt8(ascii: "!") { throw TransformError("no shouting, “please”") }
    count += bytes.count
    try output.write(String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self).uppercased())
  }

  func finish(to output: any TransformOutput) throws {
    if count == 0 { throw OutputError(number: 0) }
    try output.write("(\(count))")
  }

  func reset() -> Bool {
    count = 0
    return true
  }
}

/// A stage that writes another text after its output refuses one.
private final class Stubborn: Transform {
  func feed(_ bytes: Span<UInt8>, to output: any TransformOutput) throws {
    do {
      try output.write(bytes)
    } catch {
      throw TransformError("the output is full")
    }
  }

  func finish(to output: any TransformOutput) throws {
    try output.write([UInt8]())
    try output.write("")
  }
}

/// Uses an exported transform as C does.
private struct CUser {
  let object: UnsafeMutableRawPointer
  let table: UnsafePointer<CTransform>
  let exported: Contract.Exported

  init(_ transform: any Transform) throws {
    exported = try #require(Contract.transform.export(transform))
    object = exported.object
    table = exported.vtable.assumingMemoryBound(to: CTransform.self)
  }

  func feed(_ text: String, _ output: CCollector) -> troupe_status {
    Array(text.utf8).withUnsafeBytes { bytes in
      guard let address = bytes.baseAddress else { return -1 }
      return output.call { table.pointee.feed(object, address, bytes.count, $0) }
    }
  }

  func finish(_ output: CCollector) -> troupe_status { output.call { table.pointee.finish(object, $0) } }

  var message: String? { table.pointee.message?(object).map { String(cString: $0) } }

  func reset() throws -> troupe_status {
    let reset = try #require(table.pointee.reset)
    return reset(object)
  }

  func release() { exported.destroy(object) }
}

@Suite("C streams bytes through a transform in Swift and gets its errors")
struct ExportedTransformTests {
  @Test("The contract accepts the table, and all transforms share it")
  func table() throws {
    let (first, second) = (try CUser(Shout()), try CUser(Stubborn()))
    #expect(Contract.transform.problem(inTable: first.table, abiMinor: 0) == nil)
    #expect(first.table.pointee.struct_size == MemoryLayout<CTransform>.size)
    #expect(first.table == second.table)
    #expect(first.object != second.object)
    first.release()
    second.release()
  }

  @Test("Bytes that C feeds reach its output")
  func bytes() throws {
    let user = try CUser(Shout())
    defer { user.release() }
    let output = CCollector()
    #expect(user.feed("ab", output) == TROUPE_OK)
    #expect(output.text == "AB")
    #expect(user.feed("cde", output) == TROUPE_OK)
    #expect(user.finish(output) == TROUPE_OK)
    #expect(output.text == "ABCDE(5)")
    #expect(user.message == nil)
  }

  @Test("A transform takes another input after a reset, and a reset fails if the transform has none")
  func reset() throws {
    let users = (try CUser(Shout()), try CUser(Stubborn()))
    defer { users.0.release() }
    defer { users.1.release() }
    let output = CCollector()
    #expect(users.0.feed("abc", output) == TROUPE_OK)
    #expect(users.0.feed("!", output) == TROUPE_FAILED)
    #expect(try users.0.reset() == TROUPE_OK)
    #expect(users.0.feed("de", output) == TROUPE_OK)
    #expect(users.0.finish(output) == TROUPE_OK)
    #expect(output.text == "ABCDE(2)")
    #expect(try users.1.reset() == TROUPE_FAILED)
  }

  @Test("An empty piece is accepted")
  func empty() throws {
    let user = try CUser(Stubborn())
    defer { user.release() }
    let output = CCollector()
    #expect(output.call { user.table.pointee.feed(user.object, "", 0, $0) } == TROUPE_OK)
    #expect(user.finish(output) == TROUPE_OK)
    #expect(output.bytes.isEmpty)
  }

  @Test("An error of the transform is a failure whose message is the error's description, until the next call")
  func message() throws {
    let user = try CUser(Shout())
    defer { user.release() }
    let output = CCollector()
    #expect(user.finish(output) == TROUPE_FAILED)
    #expect(user.message == "OutputError(number: 0)")
    #expect(user.feed("a!", output) == TROUPE_FAILED)
    #expect(user.message == "no shouting, “please”")
    #expect(user.message == "no shouting, “please”")
    #expect(user.feed("a", output) == TROUPE_OK)
    #expect(user.message == nil)
    #expect(output.text == "A")
  }

  @Test(
    "C gets the status with which its output refused",
    arguments: [TROUPE_FAILED, TROUPE_OUT_OF_MEMORY, TROUPE_TOO_LATE, 4711])
  func refusal(status: Int) throws {
    let user = try CUser(Shout())
    defer { user.release() }
    let output = CCollector(limit: 3, refusal: status)
    #expect(user.feed("abc", output) == TROUPE_OK)
    #expect(user.feed("d", output) == status)
    #expect(user.message == nil)
    #expect(user.finish(output) == status)
    #expect(output.text == "ABC")
  }

  @Test("An output that is smaller than in ABI 1.0 is refused and not called", arguments: [0, 23] as [UInt32])
  func smallOutput(size: UInt32) throws {
    let user = try CUser(Shout())
    defer { user.release() }
    let output = CCollector(size: size)
    #expect(user.feed("a", output) == TROUPE_INVALID_ARGUMENT)
    #expect(user.message == "the output has struct_size \(size); set it to sizeof(troupe_output), which is 24")
    #expect(output.bytes.isEmpty)
  }

  @Test("A transform that replaces the output's error fails with its own error")
  func ownFailure() throws {
    let user = try CUser(Stubborn())
    defer { user.release() }
    #expect(user.feed("abc", CCollector(limit: 0)) == TROUPE_FAILED)
    #expect(user.message == "the output is full")
  }

  @Test("The transform lives until C releases it")
  func released() throws {
    var ends = 0
    let user = try CUser(Shout { ends += 1 })
    #expect(user.feed("!", CCollector()) == TROUPE_FAILED)
    #expect(ends == 0)
    user.release()
    #expect(ends == 1)
  }

  @Test("Each export has its own object and message")
  func exportedTwice() throws {
    let transform = Shout()
    let (first, second) = (try CUser(transform), try CUser(transform))
    #expect(first.feed("!", CCollector()) == TROUPE_FAILED)
    #expect(second.message == nil)
    first.release()
    #expect(second.feed("a", CCollector()) == TROUPE_OK)
    second.release()
  }

  @Test("A Swift transform that was exported to C and imported again works, fails and ends as before")
  func thereAndBack() throws {
    var ends = 0
    do {
      let user = try CUser(Shout { ends += 1 })
      let instance = ForeignInstance(
        contract: Contract.transform.name, object: user.object, vtable: user.table, destroy: user.exported.destroy, plugin: nil)
      let transform = try #require(try Contract.transform.adapter.wrap(instance) as? any Transform)
      let output = Collector()
      try transform.feed("ab", to: output)
      let error = try #require(throws: TransformError.self) { try transform.feed("!", to: output) }
      #expect(error.description == "no shouting, “please”")
      #expect(throws: OutputError(number: 1)) { try transform.feed("c", to: Collector(limit: 0)) }
      try transform.finish(to: output)
      #expect(output.text == "AB(3)")
      #expect(ends == 0)
    }
    #expect(ends == 1)
  }
}
