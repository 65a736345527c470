import Foundation
import Testing
import Troupe
import TroupeTools
import TroupeHost

/// A stage of a pipeline made of two closures.
private final class Stage: Transform {
  typealias Step = ([UInt8], any TransformOutput) throws -> Void
  private let step: Step
  private let end: (any TransformOutput) throws -> Void

  init(_ step: @escaping Step = { try $1.write($0) }, end: @escaping (any TransformOutput) throws -> Void = { _ in }) {
    self.step = step
    self.end = end
  }

  func feed(_ bytes: Span<UInt8>, to output: any TransformOutput) throws {
    try step(bytes.withUnsafeBufferPointer { Array($0) }, output)
  }

  func finish(to output: any TransformOutput) throws { try end(output) }

  /// Writes each byte twice, byte by byte.
  static func twice() -> Stage {
    Stage { bytes, output in
      for byte in bytes {
        try output.write([byte])
        try output.write([byte])
      }
    }
  }

  /// Inverts the bits.
  static func inverse() -> Stage { Stage { try $1.write($0.map { ~$0 }) } }

  /// Keeps all bytes and writes them reversed at the end.
  static func backwards() -> Stage {
    var all: [UInt8] = []
    return Stage { bytes, _ in
      all += bytes
    } end: {
      try $0.write(all.reversed())
    }
  }

  /// Writes a text before the end.
  static func ending(_ text: String) -> Stage { Stage(end: { try $0.write(text) }) }
}

private struct TestError: Error, CustomStringConvertible {
  let description: String
}

@Suite("Pipelines of transforms")
struct PipelineTests {
  private let sink: Sink
  private let buffer: OutputBuffer

  init() throws {
    sink = try Sink()
    buffer = OutputBuffer(sink.stream)
  }

  private func pipeline(_ stages: [Stage]) -> TroupeTools.Pipeline {
    TroupeTools.Pipeline(
      stages.enumerated().map { Pipeline.Stage(name: "stage \($0)", plugin: "org.example", transform: $1) }, output: buffer)
  }

  @Test("Data passes through several stages unchanged", arguments: [1, 1000, 65_536, 131_072])
  func bytes(size: Int) throws {
    let bytes = noise(size == 1 ? 5000 : 140_000)
    let pipeline = pipeline([.twice(), .inverse(), Stage(), .backwards(), .twice()])
    for piece in bytes.pieces(of: size) { try pipeline.feed(piece.span) }
    try pipeline.finish()
    let expected = bytes.flatMap { [$0, $0] }.map { ~$0 }.reversed().flatMap { [$0, $0] }
    #expect(try sink.bytes() == expected)
  }

  @Test("The first stage is fed first")
  func order() throws {
    let pipeline = pipeline([
      Stage { try $1.write($0 + Array("a".utf8)) }, Stage { try $1.write($0 + Array("b".utf8)) },
      Stage { try $1.write($0 + Array("c".utf8)) },
    ])
    try pipeline.feed([UInt8(ascii: "-")].span)
    #expect(try sink.bytes() == Array("-abc".utf8))
  }

  @Test("A stage's output at its end passes through the later stages before they end")
  func finish() throws {
    let pipeline = pipeline([.ending("1"), .twice(), .ending("2"), .ending("3")])
    try pipeline.feed(Array("x".utf8).span)
    try pipeline.finish()
    #expect(try sink.bytes() == Array("xx1123".utf8))
  }

  @Test("Each stage is finished once")
  func finishedOnce() throws {
    var ends: [Int] = []
    let pipeline = pipeline((0..<3).map { number in Stage(end: { _ in ends.append(number) }) })
    try pipeline.feed([1].span)
    try pipeline.finish()
    #expect(ends == [0, 1, 2])
  }

  @Test("The output of a piece is written as soon as the piece has been fed")
  func flushed() throws {
    let pipeline = pipeline([.inverse()])
    try pipeline.feed([0].span)
    #expect(try sink.bytes() == [255])
    try pipeline.feed([255].span)
    #expect(try sink.bytes() == [255, 0])
  }

  @Test("Without stages and without bytes the output equals the input")
  func trivial() throws {
    let none = pipeline([])
    let bytes = noise(100_000)
    try none.feed(bytes.span)
    try none.feed([UInt8]().span)
    try none.finish()
    #expect(try sink.bytes() == bytes)
  }

  @Test("For empty input the stages write their output at the end")
  func noInput() throws {
    try pipeline([.backwards(), .ending("end")]).finish()
    #expect(try sink.bytes() == Array("end".utf8))
  }

  @Test("A failing stage is named, at any position", arguments: 0..<3)
  func failure(position: Int) throws {
    var stages = [Stage.twice(), .inverse(), Stage()]
    stages[position] = Stage { _, _ in throw TestError(description: "line 7 is no number") }
    let pipeline = pipeline(stages)
    let failure = try #require(throws: Diagnosis.self) { try pipeline.feed([1].span) }
    #expect(failure.description == "stage \(position): line 7 is no number")
    #expect(failure.code == .invalidData)
  }

  @Test("A stage that fails at its end is named, at any position", arguments: 0..<3)
  func failureAtEnd(position: Int) throws {
    var stages = [Stage.ending("a"), .ending("b"), .ending("c")]
    stages[position] = Stage(end: { _ in throw TransformError("half a line is missing") })
    let pipeline = pipeline(stages)
    try pipeline.feed([1].span)
    let failure = try #require(throws: Diagnosis.self) { try pipeline.finish() }
    #expect(failure.description == "stage \(position): half a line is missing")
  }

  @Test("A stage that fails on the final output of an earlier stage is the named one")
  func failureInbetween() throws {
    let pipeline = pipeline([.backwards(), .inverse(), Stage { _, _ in throw TransformError("too long") }])
    try pipeline.feed([1].span)
    let failure = try #require(throws: Diagnosis.self) { try pipeline.finish() }
    #expect(failure.description == "stage 2: too long")
  }

  @Test("A failed output is not attributed to a stage")
  func outputFailure() throws {
    let full = try FileHandle(forWritingTo: URL(filePath: "/dev/full"))
    let buffer = OutputBuffer(ByteStream(descriptor: full.fileDescriptor, name: "standard output"))
    let pipeline = Pipeline(
      ["a", "b"].map { Pipeline.Stage(name: $0, plugin: "org.example", transform: Stage.twice()) }, output: buffer)
    let bytes = noise(100_000)
    let failure = try #require(throws: Diagnosis.self) { try pipeline.feed(bytes.span) }
    #expect(failure.code == .inputOutput)
    #expect(!failure.description.contains("stage"))
  }
}
