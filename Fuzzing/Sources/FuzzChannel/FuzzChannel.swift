@testable import TroupeBase
@testable import TroupeCall
@testable import TroupeFiles
@testable import TroupeSandbox

/// Any bytes as the messages of a worker, which writes them into the shared memory: the fields of a line, then the content, which the host
/// reads as a value and as each of the other messages. A value that the host accepts is the same after a second transfer.
@_cdecl("LLVMFuzzerTestOneInput")
public func test(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = UnsafeRawBufferPointer(start: start, count: count)
  let end = Mailbox(memory, slot: 0, side: .host)
  // The header of a line has two cache lines; the worker's line follows a page and the host's line.
  let line = UnsafeMutableRawBufferPointer(start: memory.start + 4096 + lineSize, count: lineSize)
  line.initializeMemory(as: UInt8.self, repeating: 0)
  let fields = min(count, 16)
  line.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<fields]))
  // The number of the first message is 1, which is too rare among random ones.
  if count > 0, bytes[0] & 1 == 1 { line.storeBytes(of: 1, as: UInt32.self) }
  let content = bytes[fields...].prefix(memory.shape.capacity)
  UnsafeMutableRawBufferPointer(rebasing: line[128...]).copyMemory(from: UnsafeRawBufferPointer(rebasing: content))
  do {
    let message = try end.receive(.asleep, until: Deadline(nanoseconds: 0))
    let copy = end.content(of: message)
    guard copy.count <= memory.shape.capacity else { fatalError("a message is larger than a line") }
    readOthers(copy)
    var reader = ValueDecoder(RecordReader(copy, memory: maximumMemory))
    let value = try reader.value()
    for signature in signatures { _ = signature.isResult(value, of: []) }
    let written = try bytesOf(value)
    var second = ValueDecoder(RecordReader(written))
    guard try bytesOf(second.value()) == written else { fatalError("a second transfer changes a value") }
  } catch {}
  return 0
}

/// Reads bytes as each message of a worker that is no value.
private func readOthers(_ bytes: [UInt8]) {
  _ = try? RecordReader.value(WorkerReport.self, bytes, memory: maximumMemory)
  _ = try? RecordReader.value(RemoteError.self, bytes, memory: maximumMemory)
  _ = try? RecordReader.value(MapReport.self, bytes, memory: maximumMemory)
  _ = LargeMessage(bytes)
  _ = WorkerLogLine(String(decoding: bytes, as: UTF8.self))
}

private let signatures = [
  "double (void)", "const char *(void)", "int[n] (size_t n)",
  "struct p { int x; char t[4]; double _Complex c; }; struct p (void)",
  "int (out double *a, void b[n], size_t n)",
].compactMap { try? Signature(parsing: $0) }

private func bytesOf(_ value: Value) throws -> [UInt8] {
  var writer = ValueEncoder()
  try writer.write(value)
  return writer.record.bytes
}

private let memory: ChannelMemory = {
  do { return try ChannelMemory(.init(slots: 1, capacity: 4096 - 128)) } catch { fatalError("\(error)") }
}()
private let lineSize = 4096
/// Enough for all values of most lines, and too little for the largest counts.
private let maximumMemory = 64 << 10
