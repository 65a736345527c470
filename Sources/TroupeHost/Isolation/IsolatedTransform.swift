internal import Troupe
internal import TroupeCall
internal import TroupeFiles
internal import TroupeSandbox

/// A factory of transforms in a worker.
///
/// The worker awaits a factory that is asynchronous or on the main actor on the thread of the call's slot. Such a call has a `FactorySignal`,
/// by which the cancellation of the caller's task reaches the task of the factory; the process goes on.
struct IsolatedFactory: Sendable {
  let plugin: IsolatedPlugin
  let registrationID: UInt32
  /// The isolation that the factory needs, in the host and in the worker.
  let context: FactoryContext

  /// Makes an instance on a thread of its own, so that the caller suspends.
  nonisolated(nonsending)
    func instanceAsync(_ arguments: [Value]) async throws -> any Transform
  {
    let token = CallToken()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        BackgroundThread.run {
          do { continuation.resume(returning: try IsolatedTransform(self, arguments, token)) } catch {
            continuation.resume(throwing: error)
          }
        }
      }
    } onCancel: {
      token.cancel()
    }
  }

  /// Makes an object in the worker within a call, and returns its ID.
  fileprivate func make(
    _ arguments: [Value], _ endpoint: inout HostEndpoint, process: Int, _ token: CallToken? = nil
  ) throws -> UInt32 {
    let transfer = CallTransfer(RemoteObjects(worker: plugin.worker, process: process), endpoint.heap)
    defer { transfer.endUse() }
    var header = RecordWriter()
    guard context != .any else {
      header.write(number: registrationID)
      return try endpoint.answer(.make, transfer.request(header, arguments, isPlain: true), as: UInt32.self)
    }
    guard let signal = FactorySignal(in: endpoint.heap) else {
      throw ChannelError.tooLarge(size: FactorySignal.size, capacity: endpoint.heap.size)
    }
    header.write(number: UInt64(signal.offset))
    header.write(number: registrationID)
    let message = try transfer.request(header, arguments, isPlain: true)
    token?.begin(signal)
    defer { token?.finish() }
    return try withExtendedLifetime(signal) { try endpoint.answer(.makeAsync, message, as: UInt32.self) }
  }
}

/// A transform of a plugin in a worker.
///
/// Input and output pass through a region of the shared memory.
final class IsolatedTransform: Transform {
  private let factory: IsolatedFactory
  private let arguments: [Value]
  /// The object in the worker, and the process that has it.
  private var object: (id: UInt32, process: Int)
  /// Whether the object has had input, which is lost if its process ends.
  private var hasState = false
  private let copy = OutputCopy()

  /// Makes an instance. Throws the error of the factory or a `WorkerError`.
  ///
  /// - Parameter token: Cancels the task of the factory.
  init(_ factory: IsolatedFactory, _ arguments: [Value], _ token: CallToken? = nil) throws {
    (self.factory, self.arguments) = (factory, arguments)
    object = try factory.plugin.worker.calls.call { endpoint, process in
      (try factory.make(arguments, &endpoint, process: process, token), process)
    }
  }

  deinit {
    factory.plugin.worker.release(object.id, process: object.process)
  }

  func feed(_ bytes: Span<UInt8>, to output: any TransformOutput) throws {
    try bytes.withUnsafeBytes { bytes in
      var rest = bytes[...]
      while !rest.isEmpty {
        let piece = rest.prefix(StreamRegion.inputSize)
        try run(.feed, UnsafeRawBufferPointer(rebasing: piece), to: output)
        rest = rest.dropFirst(piece.count)
      }
    }
  }

  func finish(to output: any TransformOutput) throws {
    try run(.finish, UnsafeRawBufferPointer(start: nil, count: 0), to: output)
  }

  private func run(_ kind: MessageKind, _ input: UnsafeRawBufferPointer, to output: any TransformOutput) throws {
    try factory.plugin.worker.calls.call { endpoint, process in
      if process != object.process { try makeAgain(&endpoint, process) }
      guard let memory = endpoint.heap.allocate(StreamRegion.size), let region = StreamRegion(memory.bytes) else {
        throw ChannelError.tooLarge(size: StreamRegion.size, capacity: endpoint.heap.size)
      }
      hasState = true
      let piece = StreamChunk(object: object.id, offset: memory.offset, count: input.count)
      try withExtendedLifetime(memory) {
        try run(kind, piece, IsolatedStream(region, input, output, copy: copy.bytes), &endpoint)
      }
    }
  }

  private func run(_ kind: MessageKind, _ piece: StreamChunk, _ stream: IsolatedStream, _ endpoint: inout HostEndpoint) throws {
    var (kind, message) = (kind, RecordWriter.bytes(piece))
    while true {
      let (answer, bytes) = try endpoint.exchange(kind: kind.rawValue, message.span.bytes, meanwhile: stream.advance)
      do {
        switch MessageKind(rawValue: answer) {
        case .output:
          try stream.empty(bytes)
          (kind, message) = (stream.failure == nil ? .proceed : .stop, [])
        case .done: return try stream.finish(bytes)
        case .failed:
          let error = try RemoteError.error(bytes, memory: endpoint.heap.size)
          throw stream.failure ?? error
        default: throw ChannelError.malformed
        }
      } catch is ReadError {
        throw ChannelError.malformed
      }
    }
  }

  /// Makes the instance in a new process of the worker. Throws if the instance had input.
  private func makeAgain(_ endpoint: inout HostEndpoint, _ process: Int) throws {
    guard !hasState else { throw WorkerError.instanceLost }
    object = (try factory.make(arguments, &endpoint, process: process), process)
  }
}

/// Memory for the output of one call. An object of its own, so that a failed initializer frees it.
private final class OutputCopy {
  let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: StreamRegion.outputSize, alignment: 16)
  deinit { bytes.deallocate() }
}

/// One call of a transform: writes the input in parts, and passes on the output, while the worker works.
private final class IsolatedStream {
  private let region: StreamRegion
  private let input: UnsafeRawBufferPointer
  private let output: any TransformOutput
  /// The number of bytes of input that are written, and of output that are read.
  private var written = 0
  private var read = 0
  /// The error of the output, after which it gets no more.
  private(set) var failure: (any Error)?
  /// Memory for private copies of output, since the worker may change the region at any time.
  private let copy: UnsafeMutableRawBufferPointer

  /// Writes the first part.
  ///
  /// - Parameter copy: Memory for as much output as a region has.
  init(
    _ region: StreamRegion, _ input: UnsafeRawBufferPointer, _ output: any TransformOutput, copy: UnsafeMutableRawBufferPointer
  ) {
    (self.region, self.input, self.output, self.copy) = (region, input, output, copy)
    region.inputCount = 0
    region.outputCount = 0
    writePart()
  }

  /// Writes the next part of the input, for which the worker waits, or else passes on some output. Returns whether input is left.
  func advance() -> Bool {
    if written < input.count {
      writePart()
      return written < input.count
    }
    // The worker may write any number.
    let count = region.outputCount
    guard (read...StreamRegion.outputSize).contains(count), count - read >= StreamRegion.partSize else { return false }
    pass(upTo: count)
    return false
  }

  private func writePart() {
    let part = input[written..<min(written + StreamRegion.partSize, input.count)]
    UnsafeMutableRawBufferPointer(rebasing: region.input[written...]).copyMemory(from: UnsafeRawBufferPointer(rebasing: part))
    written += part.count
    region.inputCount = written
  }

  /// Passes on the output that a message announces, after which the worker begins again with an empty region.
  func empty(_ message: [UInt8]) throws(ReadError) {
    try passAll(message)
    read = 0
  }

  /// Passes on the last output. Throws the error of the output.
  func finish(_ message: [UInt8]) throws {
    try passAll(message)
    if let failure { throw failure }
  }

  private func passAll(_ message: [UInt8]) throws(ReadError) {
    let count = Int(try RecordReader.value(UInt32.self, message))
    guard (read...StreamRegion.outputSize).contains(count) else { throw ReadError("the output has \(count) bytes") }
    pass(upTo: count)
  }

  private func pass(upTo count: Int) {
    defer { read = count }
    guard count > read, failure == nil else { return }
    copy.copyMemory(from: UnsafeRawBufferPointer(rebasing: region.output[read..<count]))
    let bytes = UnsafeRawBufferPointer(rebasing: copy[..<(count - read)]).bindMemory(to: UInt8.self)
    do { try output.write(bytes.span) } catch { failure = error }
  }
}
