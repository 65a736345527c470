internal import Troupe
internal import TroupeCall
internal import TroupeFiles
internal import TroupeIsolation

/// A transform of a plugin in a worker.
///
/// Input and output pass through a region of the shared memory.
final class IsolatedTransform: Transform {
  private let plugin: IsolatedPlugin
  private let registrationID: UInt32
  private let arguments: [Value]
  /// The object in the worker, and the process that has it.
  private var object: (id: UInt32, process: Int)
  /// Whether the object has had input, which is lost if its process ends.
  private var hasState = false
  /// Memory for copies of output.
  private let copy = OutputCopy()

  /// Makes an instance. Throws the error of the factory or a `WorkerError`.
  ///
  /// - Parameter registrationID: The ID of the registration.
  init(_ plugin: IsolatedPlugin, _ registrationID: UInt32, _ arguments: [Value]) throws {
    (self.plugin, self.registrationID, self.arguments) = (plugin, registrationID, arguments)
    object = try Self.make(plugin, registrationID, arguments)
  }

  deinit {
    plugin.worker.release(object.id, process: object.process)
  }

  private static func make(
    _ plugin: IsolatedPlugin, _ registrationID: UInt32, _ arguments: [Value]
  ) throws -> (id: UInt32, process: Int) {
    try plugin.worker.call { call, process in (try make(plugin, registrationID, arguments, &call, process), process) }
  }

  private static func make(
    _ plugin: IsolatedPlugin, _ registrationID: UInt32, _ arguments: [Value], _ call: inout ChannelCall, _ process: Int
  ) throws -> UInt32 {
    let transfer = CallTransfer(plugin.worker, process: process, call.area)
    defer { transfer.endUse() }
    var header = RecordWriter()
    header.write(number: registrationID)
    let message = try transfer.request(header, arguments, isPlain: true)
    return try call.answer(.make, message, as: UInt32.self)
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
    try plugin.worker.call { call, process in
      if process != object.process { try makeAgain(&call, process) }
      guard let memory = call.area.allocate(StreamRegion.size), let region = StreamRegion(memory.bytes) else {
        throw ChannelError.tooLarge(size: StreamRegion.size, capacity: call.area.size)
      }
      hasState = true
      let piece = StreamPiece(object: object.id, offset: memory.offset, count: input.count)
      try withExtendedLifetime(memory) { try run(kind, piece, IsolatedStream(region, input, output, copy: copy.bytes), &call) }
    }
  }

  private func run(_ kind: MessageKind, _ piece: StreamPiece, _ stream: IsolatedStream, _ call: inout ChannelCall) throws {
    var (kind, message) = (kind, RecordWriter.bytes(piece))
    while true {
      let (answer, bytes) = try call.exchange(kind: kind.rawValue, message.span.bytes, meanwhile: stream.advance)
      do {
        switch MessageKind(rawValue: answer) {
        case .output:
          try stream.empty(bytes)
          (kind, message) = (stream.failure == nil ? .proceed : .stop, [])
        case .done: return try stream.finish(bytes)
        case .failed:
          let error = try RemoteError.error(bytes, memory: call.area.size)
          throw stream.failure ?? error
        default: throw ChannelError.malformed
        }
      } catch is ReadError {
        throw ChannelError.malformed
      }
    }
  }

  /// Makes the instance in a new process of the worker. Throws if the instance had input.
  private func makeAgain(_ call: inout ChannelCall, _ process: Int) throws {
    guard !hasState else { throw WorkerError.instanceLost }
    object = (try Self.make(plugin, registrationID, arguments, &call, process), process)
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
