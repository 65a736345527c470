internal import Troupe
internal import TroupeCall
internal import TroupeFiles
internal import TroupeIsolation

/// A transform of a plugin in a worker.
///
/// Input and output pass through a region of the shared memory. The output is copied before the receiver has it, since the worker may change
/// the region at any time.
final class IsolatedTransform: Transform {
  private let plugin: IsolatedPlugin
  private let number: UInt32
  private let arguments: [Value]
  /// The object in the worker, and the process that has it.
  private var object: (number: UInt32, process: Int)
  /// Whether the object has had input, which is lost if its process ends.
  private var hasState = false
  /// A private copy of output.
  private var copy: [UInt8] = []

  /// The sizes of the two parts of a region.
  private static let inputSize = 64 << 10
  private static let outputSize = 192 << 10

  /// Makes an instance. Throws the error of the factory or a `WorkerError`.
  ///
  /// - Parameter number: The number of the registration.
  init(_ plugin: IsolatedPlugin, _ number: UInt32, _ arguments: [Value]) throws {
    (self.plugin, self.number, self.arguments) = (plugin, number, arguments)
    object = try Self.make(plugin, number, arguments)
  }

  deinit { plugin.worker.release(object.number, process: object.process) }

  private static func make(
    _ plugin: IsolatedPlugin, _ number: UInt32, _ arguments: [Value]
  ) throws -> (number: UInt32, process: Int) {
    try plugin.worker.call { call, process in (try make(plugin, number, arguments, &call, process), process) }
  }

  private static func make(
    _ plugin: IsolatedPlugin, _ number: UInt32, _ arguments: [Value], _ call: inout ChannelCall, _ process: Int
  ) throws -> UInt32 {
    let transfer = CallTransfer(plugin.worker, process: process, call.area)
    defer { transfer.endUse() }
    var header = RecordWriter()
    header.write(number: number)
    let message = try transfer.request(header, arguments, isPlain: true)
    return try call.answer(.make, message) { try RecordReader.value(UInt32.self, $0) }
  }

  func feed(_ bytes: Span<UInt8>, to output: any TransformOutput) throws {
    try bytes.withUnsafeBytes { bytes in
      var rest = bytes[...]
      while !rest.isEmpty {
        let piece = rest.prefix(Self.inputSize)
        try run(.feed, UnsafeRawBufferPointer(rebasing: piece), to: output)
        rest = rest.dropFirst(piece.count)
      }
    }
  }

  func finish(to output: any TransformOutput) throws { try run(.finish, UnsafeRawBufferPointer(start: nil, count: 0), to: output) }

  private func run(_ kind: MessageKind, _ input: UnsafeRawBufferPointer, to output: any TransformOutput) throws {
    try plugin.worker.call { call, process in
      if process != object.process { try makeAgain(&call, process) }
      guard let region = call.area.allocate(Self.inputSize + Self.outputSize) else {
        throw ChannelError.tooLarge(size: Self.inputSize + Self.outputSize, capacity: call.area.size)
      }
      region.bytes.copyMemory(from: input)
      hasState = true
      let piece = StreamPiece(
        object: object.number, offset: region.offset, inputSize: Self.inputSize, outputSize: Self.outputSize, count: input.count)
      try run(kind, piece, region, &call, to: output)
    }
  }

  /// Makes the instance in a new process of the worker. Throws if the instance had input.
  private func makeAgain(_ call: inout ChannelCall, _ process: Int) throws {
    guard !hasState else { throw WorkerError.crashed(.unknown, location: nil, .notStarted) }
    object = (try Self.make(plugin, number, arguments, &call, process), process)
  }

  private func run(
    _ kind: MessageKind, _ piece: StreamPiece, _ region: SharedRegion, _ call: inout ChannelCall, to output: any TransformOutput
  ) throws {
    var (kind, message) = (kind, RecordWriter.bytes(piece))
    var failure: (any Error)?
    while true {
      let (answer, bytes) = try call.exchange(kind: kind.rawValue, message.span.bytes) { kind, content in
        (MessageKind(rawValue: kind), content.withUnsafeBytes { [UInt8]($0) })
      }
      do {
        switch answer {
        case .output:
          do { try write(bytes, region, to: output) } catch let error where !(error is ReadError) { failure = failure ?? error }
          (kind, message) = (failure == nil ? .proceed : .stop, [])
        case .done:
          if let failure { throw failure }
          return try write(bytes, region, to: output)
        case .failed:
          let error = try TransferredError.error(bytes)
          throw failure ?? error
        default: throw ChannelError.malformed
        }
      } catch is ReadError {
        throw ChannelError.malformed
      }
    }
  }

  /// Writes the output in the region, whose number of bytes a message has.
  private func write(_ message: [UInt8], _ region: SharedRegion, to output: any TransformOutput) throws {
    let count = Int(try RecordReader.value(UInt32.self, message))
    guard count <= Self.outputSize else { throw ReadError("the output has \(count) bytes") }
    guard count > 0 else { return }
    copy.removeAll(keepingCapacity: true)
    copy.append(contentsOf: region.bytes[Self.inputSize..<Self.inputSize + count])
    try output.write(copy)
  }
}
