internal import Glibc
internal import TroupeCall
internal import TroupeSandbox

/// Carries the values of one call to a worker and back: callbacks, references and memory cross as IDs, or as copies in the shared heap.
///
/// While the function runs, the worker may ask for callbacks, which run here. Used on one thread.
final class CallTransfer {
  /// The callbacks that the worker may call, by their numbers.
  private var callbacks: [(callback: Callback, call: PreparedCall)] = []
  /// The first error of a callback, for which the worker has the text only.
  private var callbackError: (any Error)?
  private var references: [ForeignReference] = []
  /// Memory of the caller, with the region of the heap that has a copy of it.
  private var copies: [(memory: ForeignMemory, region: SharedRegion, isWritten: Bool)] = []
  /// Memory of the caller that gets the elements of an output, by its name.
  private var outputs: [(memory: ForeignMemory, name: String)] = []
  private let objects: RemoteObjects
  private let heap: SharedHeap
  private let lifetime: ForeignLifetime?
  /// The references from which those of the result borrow.
  var borrowedFrom: [ForeignReference] = []

  init(_ objects: RemoteObjects, _ heap: SharedHeap, _ lifetime: ForeignLifetime? = nil) {
    (self.objects, self.heap, self.lifetime) = (objects, heap, lifetime)
  }

  /// Returns a message with arguments.
  ///
  /// - Parameters:
  ///   - header: The begin of the message.
  ///   - parameters: The parameters of a function, of which there may be fewer.
  ///   - isPlain: Whether no argument is a callback or a reference.
  func request(
    _ header: RecordWriter, _ arguments: [Value], of parameters: [Signature.Parameter] = [], isPlain: Bool
  ) throws -> [UInt8] {
    var header = header
    if isPlain {
      header.write([String]())
      var writer = ValueEncoder(header, shared: shared)
      try write(arguments, of: parameters, to: &writer)
      return writer.record.bytes
    }
    var writer = ValueEncoder { [unowned self] callback in
      let call = try PreparedCall(signature: callback.signature, function: callback.address)
      callbacks.append((callback, call))
      return UInt32(callbacks.count - 1)
    } reference: { [unowned self] reference in
      try reference.beginUse(in: objects.worker)
      references.append(reference)
      return try objects.id(of: reference)
    } shared: { [unowned self] memory in
      shared(memory)
    }
    try write(arguments, of: parameters, to: &writer)
    header.write(callbacks.map(\.callback.signature.description))
    header.append(writer.record.bytes)
    return header.bytes
  }

  /// Appends arguments as one array. Throws a `CallError` that names the argument that cannot be transferred.
  private func write(_ arguments: [Value], of parameters: [Signature.Parameter], to writer: inout ValueEncoder) throws {
    try writer.writeArray(arguments.count) { index, writer in
      do {
        try writer.write(transferable(arguments[index], index < parameters.count ? parameters[index] : nil))
      } catch let error as NotTransferable {
        throw CallError(
          .argumentType, problem: "\(error)", remedy: "give a value that a worker can receive",
          argument: CallError.Argument(index: index, name: nil), row: nil)
      }
    }
  }

  /// Returns an argument that the worker can receive. Copies memory of the caller: numbers to the heap, other elements to values.
  private func transferable(_ argument: Value, _ parameter: Signature.Parameter?) throws -> Value {
    guard case .memory(let memory) = argument, shared(memory) == nil, let parameter else { return argument }
    let isWritten: Bool
    if case .pointer(let pointer) = parameter.type, !parameter.isBuffer {
      isWritten = !pointer.isConstant
    } else {
      guard parameter.isBuffer else { return argument }
      isWritten = parameter.givesBack
    }
    // Kept memory crosses by value: the shared region ends with the call.
    if ValueEncoder.canShare(memory.type), !parameter.ownership.isKept {
      return .memory(try copy(memory, isWritten: isWritten))
    }
    if isWritten {
      // The caller's memory would point to texts that end with the call.
      guard parameter.isBuffer, memory.type.isBitwiseCopyable else { return argument }
      outputs.append((memory, parameter.name ?? ""))
    }
    let value = try memory.read()
    return memory.count == 1 ? .array([value]) : value
  }

  private func copy(_ memory: ForeignMemory, isWritten: Bool) throws -> ForeignMemory {
    guard let region = heap.allocate(memory.size), let start = region.bytes.baseAddress else {
      throw ChannelError.tooLarge(size: memory.size, capacity: heap.size)
    }
    memory.withUnsafeMutableBytes { region.bytes.copyMemory(from: UnsafeRawBufferPointer($0)) }
    copies.append((memory, region, isWritten))
    lifetime?.keep(region)
    return ForeignMemory(memory.type, at: start, count: memory.count)
  }

  /// Copies to memory of the caller what the function has written, also if it has failed.
  private func copyBack() {
    for (memory, region, isWritten) in copies where isWritten {
      memory.withUnsafeMutableBytes { bytes in
        bytes.copyMemory(from: UnsafeRawBufferPointer(region.bytes))
        // A Swift `Bool` is no other value.
        if memory.type == .bool { for index in bytes.indices where bytes[index] > 1 { bytes[index] = 1 } }
      }
    }
  }

  /// Writes outputs to the memory that the caller gave for them. Throws a `CallError` for values of another type.
  func writeOutputs(_ result: Value) throws {
    for (memory, name) in outputs {
      let elements: [Value] =
        switch result[name] {
        case .array(let elements)?: elements
        case .packedArray(let elements)?: Array(elements)
        default: []
        }
      for (index, element) in elements.prefix(memory.count).enumerated() {
        try memory.write(element, to: memory.count == 1 ? "" : "[\(index)]")
      }
    }
  }

  private func shared(_ memory: ForeignMemory) -> Int? { memory.address.rawPointer.flatMap { heap.offset(of: $0) } }

  /// Sends the message and answers callbacks until the result arrives.
  func run(_ kind: MessageKind, _ message: [UInt8], _ endpoint: inout HostEndpoint, isPlain: Bool) throws -> Value {
    var (kind, message) = (kind, message)
    while true {
      let (answer, content) = try endpoint.exchange(kind: kind.rawValue, message.span.bytes)
      do {
        switch MessageKind(rawValue: answer) {
        case .done:
          copyBack()
          let record = RecordReader(content, memory: heap.size)
          var reader = isPlain ? ValueDecoder(record) : reader(record)
          let value = try reader.value()
          try reader.end()
          return value
        case .failed:
          copyBack()
          let error = try RemoteError.error(content, memory: heap.size)
          throw (error as? CallError)?.code == .callback ? callbackError ?? error : (error as? CallError)?.ofWorker ?? error
        case .callback: (kind, message) = try callBack(content)
        default: throw ChannelError.malformed
        }
      } catch let error as ReadError {
        // Within the call the worker waits for the result of the callback.
        throw answer == MessageKind.callback.rawValue ? ChannelError.malformed : ChannelError(error, limit: heap.size)
      }
    }
  }

  /// Runs the callback that the worker names, and returns the answer. Its arguments exist four times meanwhile: as values, as C passes them,
  /// as values for the callback, and as its program wants them.
  private func callBack(_ content: [UInt8]) throws -> (MessageKind, [UInt8]) {
    var record = RecordReader(content, memory: heap.size / 4)
    let number: UInt32 = try record.number()
    guard callbacks.indices.contains(Int(number)) else { throw ReadError("there is no callback \(number)") }
    var values = reader(record)
    do {
      guard case .array(let arguments) = try values.value() else { throw ReadError("arguments are an array") }
      let result = try callbacks[Int(number)].call.call(arguments)
      var writer = ValueEncoder()
      try writer.write(result)
      return (.proceed, writer.record.bytes)
    } catch let error as ReadError {
      guard let memory = error.memory else { throw error }
      callbackError = callbackError ?? WorkerError.tooLarge(size: memory, limit: heap.size / 4)
      return (.stop, RecordWriter.bytes("\(error)"))
    } catch {
      callbackError = callbackError ?? error
      return (.stop, RecordWriter.bytes("\(error)"))
    }
  }

  /// A reader that makes references of the IDs of the worker's objects.
  private func reader(_ record: RecordReader) -> ValueDecoder {
    ValueDecoder(record) { number in
      throw ReadError("a worker returns no callback \(number)")
    } reference: { [unowned self] id, type in
      try objects.reference(id, type, among: references, borrowedFrom: borrowedFrom)
    }
  }

  /// Marks the references as released that a call has taken over.
  func finish(_ signature: Signature, _ arguments: [Value]) {
    for (parameter, argument) in zip(signature.callerParameters, arguments) where parameter.ownership.isConsumed {
      guard case .reference(let reference) = argument, let index = references.firstIndex(where: { $0 === reference }) else {
        continue
      }
      references.remove(at: index)
      reference.endUse()
      // Another thread may have begun a call with it.
      if (try? reference.take()) != nil { reference.finishTake(isReleased: true) }
    }
  }

  func endUse() {
    for reference in references { reference.endUse() }
    references = []
  }
}

extension CallError {
  /// The error with the policy among the remedies, if the system has refused something.
  fileprivate var ofWorker: CallError {
    guard code == .system(EACCES) || code == .system(EPERM) else { return self }
    return CallError(
      code, problem: problem, remedy: "grant what it opens in the worker's policy, such as read:PATH, or \(remedy)",
      argument: argument, row: row)
  }
}
