import CSandbox

@testable import TroupeBase
@testable import TroupeFiles
@testable import TroupeSandbox

/// Any bytes as a registry, as the records behind a registry's checksum, as one message, and as all that a probe says. Nothing
/// may trap; what is read is written as bytes that are read as the same again and written as the same bytes, and a fault is one
/// line.
@_cdecl("LLVMFuzzerTestOneInput")
public func test(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  guard let first = bytes.first else { return 0 }
  let content = Array(bytes.dropFirst())
  switch Form(rawValue: first % UInt8(Form.allCases.count)) {
  case .registry: checkRegistry(content)
  case .entries: checkRegistry(ProbeCacheFile.sealed(content))
  case .request: check(ProbeRequest.self, content)
  case .report: check(ProbeReport.self, content)
  case .step: check(ProbeStep.self, content, isUnique: true)
  case .signal: check(CrashReport.self, content, isUnique: true)
  case .status: check(Int32.self, content, isUnique: true)
  case .conversation, nil: checkConversation(content)
  }
  return 0
}

/// The format of an input, chosen by its first byte.
enum Form: UInt8, CaseIterable {
  /// A whole file.
  case registry
  /// A file's records, which get the title and the checksum that belong to them.
  case entries
  case request, report, step, signal, status
  /// Messages, one behind the other.
  case conversation
}

private func checkRegistry(_ bytes: [UInt8]) {
  guard let file = read({ () throws(ReadError) in try ProbeCacheFile(bytes: bytes) }) else { return }
  let written = file.bytes
  let again = read { () throws(ReadError) in try ProbeCacheFile(bytes: written) }
  require(again == file, "\(file) is read as \(String(describing: again))")
  require(again?.bytes == written, "what was read is written as it was")
  require(read { () throws(ReadError) in try ProbeCacheFile(bytes: written.dropLast()) } == nil, "a cut file is refused")
}

/// - Parameter isUnique: Whether a value can be written in one way only.
private func check<Value: Recordable & Equatable>(_ type: Value.Type, _ bytes: [UInt8], isUnique: Bool = false) {
  guard let value = read({ () throws(ReadError) in try RecordReader.value(type, bytes) }) else { return }
  let written = RecordWriter.bytes(value)
  if isUnique { require(written == bytes, "\(value) is what was read") }
  let again = read { () throws(ReadError) in try RecordReader.value(type, written) }
  require(again == value, "\(value) is read as \(String(describing: again))")
  require(again.map { RecordWriter.bytes($0) } == written, "what was read is written as it was")
}

/// Has a host listen to a process that says anything at all, up to what it makes of it.
private func checkConversation(_ bytes: [UInt8]) {
  var reader = RecordReader(bytes)
  var result = ProbeRun()
  while let kind = try? reader.number() as UInt8, let count = try? reader.number() as UInt8,
    let content = try? reader.bytes(Int(min(UInt(count), UInt(reader.left))))
  {
    if kind == 0 { result.add(output: content) } else { result.take(Int(kind), Array(content)) }
  }
  let request = ProbeRequest(
    host: "h", path: "/a.so", library: "/a.so", id: "a", needs: [], configuration: [:], memory: nil, descriptors: 256, pins: nil
  )
  switch result.outcome(request, ProbeLimits()) {
  case .registered: require(result.isReady && result.isDone && result.violation == nil, "a plugin is good at the end")
  case .rejected(let diagnosis): require(result.isDone && isOneLine(diagnosis), "\(diagnosis) is one line")
  case .harmful(let diagnosis), .inconclusive(let diagnosis):
    require(diagnosis.subject == request.path && isOneLine(diagnosis), "\(diagnosis) is one line about the requested plugin")
  }
}

private func isOneLine(_ diagnosis: Diagnosis) -> Bool {
  !([diagnosis.description] + diagnosis.backtrace).contains { $0.utf8.contains(UInt8(ascii: "\n")) }
}

/// Returns nil if the reader throws.
private func read<Value>(_ body: () throws(ReadError) -> Value) -> Value? {
  do {
    return try body()
  } catch {
    require(!error.description.isEmpty && !error.description.utf8.contains(UInt8(ascii: "\n")), "a fault is one line")
    return nil
  }
}

/// Ends the process with a message, also in a release build.
private func require(_ condition: Bool, _ message: @autoclosure () -> String) {
  guard condition else { fatalError(message()) }
}
