import Foundation
import TestSupport
import Testing

@testable import TroupeFiles
@testable import TroupeSandbox

@Suite("Records")
struct RecordTests {
  /// Each kind of recorded value as bytes, with a closure that reads the bytes and compares the value.
  private static let samples: [(bytes: [UInt8], isSame: @Sendable ([UInt8]) throws -> Bool)] = [
    sample(UInt8(7)), sample(Int32.min), sample(UInt64.max), sample(true), sample(""), sample("a\0é\u{1F3AD}"),
    sample(String?.none), sample(String?("text")), sample([String]()), sample(["a", "", "c"]), sample(["b": "2", "a": "1"]),
    sample(["outer": ["inner": "text"]]), sample(UUID()), sample(ContentHash(of: [1])), sample(PluginSummary.sample),
    sample(ProbeReport.registered(.sample)), sample(ProbeReport.rejected(.sample)),
    sample(ProbeReport.changedProcessState(["a", "b"])),
    sample(ProbeReport.failed("why")), sample(ProbeReport.unusable(.sample)), sample(ProbeRequest.sample),
    sample(ProbeStep(.closing, "org.example.a")),
    sample(CrashReport(number: 11, cause: 2, instruction: .max, frames: [1, 2, 3])),
  ]

  private static func sample<Value: Recordable & Equatable & Sendable>(
    _ value: Value
  ) -> (bytes: [UInt8], isSame: @Sendable ([UInt8]) throws -> Bool) {
    (RecordWriter.bytes(value), { try RecordReader.value(Value.self, $0) == value })
  }

  @Test("A record is read as the value that was written")
  func roundTrip() throws {
    for sample in Self.samples { #expect(try sample.isSame(sample.bytes)) }
  }

  @Test("A record with missing or extra bytes at its end is refused")
  func truncation() {
    for (bytes, isSame) in Self.samples {
      for count in bytes.indices { #expect(throws: ReadError.self) { try isSame(Array(bytes[..<count])) } }
      #expect(throws: ReadError("1 bytes are left")) { try isSame(bytes + [0]) }
    }
  }

  @Test("Random bytes are never read beyond their end")
  func noise() {
    var generator = SplitMix64(seed: 4)
    for _ in 0..<2000 {
      guard let sample = Self.samples.randomElement(using: &generator), !sample.bytes.isEmpty else { continue }
      var bytes = sample.bytes
      for _ in 0..<4 {
        bytes[Int.random(in: bytes.indices, using: &generator)] = UInt8.random(in: .min ... .max, using: &generator)
      }
      // The result is another value or an error; the reader checks every access.
      _ = try? sample.isSame(bytes)
    }
  }

  @Test("A signal record has at most 64 frames, since each is looked up in all mappings")
  func frames() throws {
    func signal(_ count: Int) -> [UInt8] {
      RecordWriter.bytes(CrashReport(number: 11, cause: 0, instruction: 1, frames: [UInt64](repeating: 1, count: count)))
    }
    #expect(try RecordReader.value(CrashReport.self, signal(64)).frames.count == 64)
    #expect(throws: ReadError("no probe sends 65 frames")) { try RecordReader.value(CrashReport.self, signal(65)) }
  }

  @Test("A count of elements above the remaining bytes is refused before memory is allocated")
  func hostileCounts() {
    let claim = RecordWriter.bytes(UInt32.max) + [1, 2, 3]
    let fault = ReadError("4294967295 elements are announced and 3 bytes are left")
    #expect(throws: fault) { try RecordReader.value(String.self, claim) }
    #expect(throws: fault) { try RecordReader.value([String].self, claim) }
    #expect(throws: fault) { try RecordReader.value([UInt8].self, claim) }
    #expect(throws: fault) { try RecordReader.value([String: String].self, claim) }
  }

  @Test("A wrong text, Boolean, kind or step is refused")
  func wrongContent() {
    #expect(throws: ReadError("a text is not UTF-8")) { try RecordReader.value(String.self, [1, 0, 0, 0, 0xFF]) }
    #expect(throws: ReadError("2 is neither true nor false")) { try RecordReader.value(Bool.self, [2]) }
    #expect(throws: ReadError("9 is no kind of report")) { try RecordReader.value(ProbeReport.self, [9]) }
    #expect(throws: ReadError("9 is no step")) { try RecordReader.value(ProbeStep.self, [9, 0, 0, 0, 0]) }
    var fault = RecordWriter()
    for text in ["nonsense", "path", "", ""] { fault.write(text) }
    fault.write([String]())
    #expect(throws: ReadError("has the unknown code \"nonsense\"")) { try RecordReader.value(Diagnosis.self, fault.bytes) }
  }

  @Test("The bytes of a dictionary do not depend on its insertion order")
  func order() {
    let names = (0..<100).map { "name \($0)" }
    let one = Dictionary(uniqueKeysWithValues: names.map { ($0, $0) })
    let other = Dictionary(uniqueKeysWithValues: names.reversed().map { ($0, $0) })
    #expect(RecordWriter.bytes(one) == RecordWriter.bytes(other))
  }
}
