import Testing
import TroupeCall
import TroupeFiles

@testable import TroupeSandbox

@Suite("Messages of workers")
struct MessageTests {
  @Test("A log line is the same on the other side, with lines within it")
  func logLines() throws {
    for text in ["", "text", "two\nlines\n", "a\r\nb", "a\u{1F}b"] {
      let line = WorkerLogLine(level: 2, plugin: "org.example.a", text: text)
      #expect(line.line.utf8.firstIndex(of: UInt8(ascii: "\n")) == line.line.utf8.indices.last)
      #expect(WorkerLogLine(String(line.line.dropLast())) == line)
    }
    for other in ["printed", "", "\u{1E}", "\u{1E}2\u{1F}only", "\u{1E}x\u{1F}a\u{1F}b"] {
      #expect(WorkerLogLine(other) == nil)
    }
  }

  @Test("The start of a worker is read from its environment, and nothing else is")
  func start() throws {
    let start = WorkerStart(shape: .init(slots: 8, capacity: 64, heap: 4096), parent: 7)
    let read = try #require(WorkerStart(start.text))
    #expect(read.parent == 7 && read.shape.slots == 8 && read.shape.capacity == 64 && read.shape.heap == 4096)
    for text in ["", "1 2 3", "0 64 0 1", "65 64 0 1", "1 0 0 1", "1 64 -1 1", "a b c d"] { #expect(WorkerStart(text) == nil) }
  }

  static let errors: [CallError] = [
    CallError(.argumentCount, problem: "p", remedy: "r", argument: nil, row: nil),
    CallError(.system(5), problem: "ä", remedy: "", argument: .init(index: 3, name: "x"), row: 1 << 40),
    CallError(.failure(Int128.max), problem: "p", remedy: "r", argument: .init(index: 0, name: nil), row: 0),
    CallError(.callback, problem: "p", remedy: "r", argument: nil, row: nil),
    CallError(.noMemory, problem: "p", remedy: "r", argument: nil, row: nil),
  ]

  @Test("An error of a call is the same on the other side", arguments: errors)
  func callErrors(error: CallError) throws {
    guard case .call(let read) = try RecordReader.value(RemoteError.self, RecordWriter.bytes(RemoteError.call(error)))
    else {
      Issue.record("another error")
      return
    }
    #expect(read == error)
  }

  @Test("A malformed message is refused at each length")
  func shortMessages() throws {
    let request = try WorkerRequest(
      host: "h", paths: ["/a"], ids: ["i"], configuration: ["i": ["k": "v"]], pins: nil, opensCopies: true,
      maximumBufferSize: 1,
      policy: WorkerPolicy(), grants: WorkerGrants(WorkerPolicy(), plugins: [], NeededLibraries(systemDirectories: [])),
      layers: 31,
      logLevel: 2)
    let bytes = RecordWriter.bytes(request)
    #expect(throws: Never.self) { try #expect(RecordReader.value(WorkerRequest.self, bytes) == request) }
    for count in 0..<bytes.count {
      #expect(throws: ReadError.self) { try RecordReader.value(WorkerRequest.self, Array(bytes[..<count])) }
    }
  }
}
