import CTroupe
import Testing
import Troupe

@Suite("Swift streams bytes through a transform in C and gets its errors")
struct ForeignTransformTests {
  @Test("Fed bytes reach the C function, and its output reaches the Swift output")
  func bytes() throws {
    let stage = CStage()
    let transform = try stage.transform()
    let output = Collector()
    try transform.feed("ab", to: output)
    #expect(output.text == "abab")
    try transform.feed([0, 255, 10].span, to: output)
    try transform.finish(to: output)
    #expect(output.bytes == Array("abab".utf8) + [0, 255, 10, 0, 255, 10] + Array(".".utf8))
    #expect(stage.fed == [Array("ab".utf8), [0, 255, 10]])
    #expect(stage.answers.allSatisfy { $0 == TROUPE_OK })
  }

  @Test("A large piece arrives whole")
  func large() throws {
    let stage = CStage()
    let bytes = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
    let output = Collector()
    try stage.transform().feed(bytes.span, to: output)
    #expect(stage.fed == [bytes])
    #expect(output.bytes == bytes + bytes)
  }

  @Test("An empty piece is accepted and never passed to C as NULL")
  func empty() throws {
    let stage = CStage()
    let transform = try stage.transform()
    let output = Collector()
    try transform.feed([UInt8]().span, to: output)
    try transform.feed(UnsafeBufferPointer<UInt8>(start: nil, count: 0).span, to: output)
    #expect(stage.fed.allSatisfy { $0.isEmpty })
    #expect(output.bytes.isEmpty)
  }

  @Test("Each call may have a different output")
  func outputs() throws {
    let transform = try CStage().transform()
    let (first, second) = (Collector(), Collector())
    try transform.feed("a", to: first)
    try transform.finish(to: second)
    #expect(first.text == "aa")
    #expect(second.text == ".")
  }

  @Test("A status with a message is an error with that message", arguments: [TROUPE_FAILED, TROUPE_OUT_OF_MEMORY, 4711, -1])
  func message(status: Int) throws {
    let stage = CStage()
    stage.message = CString.copy("line 7 is not a number — “x”")
    let transform = try stage.transform()
    stage.status = troupe_status(status)
    for step in [{ try transform.feed("a", to: Collector()) }, { try transform.finish(to: Collector()) }] {
      let error = try #require(throws: TransformError.self) { try step() }
      #expect(error.description == "line 7 is not a number — “x”")
    }
  }

  @Test("A status without a message is an error with the number of the status")
  func status() throws {
    let stage = CStage()
    let transform = try stage.transform()
    stage.status = 7
    let error = try #require(throws: TransformError.self) { try transform.feed("a", to: Collector()) }
    #expect(error.description == "it failed with status 7 and gave no message")
    stage.table.pointee.message = nil
    stage.status = 9
    let finish = try #require(throws: TransformError.self) { try transform.finish(to: Collector()) }
    #expect(finish.description.contains("status 9"))
  }

  @Test("An error of the output is rethrown unchanged, for any status of the C function", arguments: [false, true])
  func outputError(ignored: Bool) throws {
    let stage = CStage()
    stage.message = CString.copy("not this")
    stage.ignoresOutput = ignored
    let transform = try stage.transform()
    let output = Collector(limit: 3)
    #expect(throws: OutputError(number: 2)) { try transform.feed("ab", to: output) }
    #expect(output.text == "ab")
    #expect(stage.answers.map { $0 == TROUPE_OK } == [true, false])
    #expect(throws: OutputError(number: 1)) { try transform.finish(to: Collector(limit: 0)) }
  }

  @Test("After the output has refused, it is not called again")
  func refused() throws {
    let stage = CStage()
    stage.ignoresOutput = true
    let output = Collector(limit: 0)
    let transform = try stage.transform()
    #expect(throws: OutputError(number: 1)) { try transform.feed("a", to: output) }
    #expect(output.calls == 1)
    #expect(stage.answers.map { $0 == TROUPE_OK } == [false, false])
  }

  @Test("An output's failure is forgotten after the call")
  func recovered() throws {
    let transform = try CStage().transform()
    #expect(throws: OutputError.self) { try transform.feed("a", to: Collector(limit: 0)) }
    let output = Collector()
    try transform.feed("b", to: output)
    #expect(output.text == "bb")
  }

  @Test("An instance without a table is refused")
  func tableless() {
    let stage = CStage()
    let instance = ForeignInstance(
      contract: "troupe.transform/1", object: Unmanaged.passUnretained(stage).toOpaque(), vtable: nil, destroy: nil, plugin: nil
    )
    #expect(throws: TransformError.self) { try Contract.transform.adapter.wrap(instance) }
  }

  @Test("Two stages in C feed each other")
  func chained() throws {
    final class Into: TransformOutput {
      let transform: any Transform
      let output: any TransformOutput
      init(_ transform: any Transform, _ output: any TransformOutput) {
        self.transform = transform
        self.output = output
      }
      func write(_ bytes: Span<UInt8>) throws { try transform.feed(bytes, to: output) }
    }
    let (first, second) = (CStage(), CStage())
    let output = Collector()
    let transform = try first.transform()
    try transform.feed("ab", to: Into(second.transform(), output))
    #expect(output.text == "abababab")
    // An error of the last output passes through both stages.
    #expect(throws: OutputError(number: 1)) { try transform.feed("ab", to: Into(second.transform(), Collector(limit: 0))) }
  }
}
