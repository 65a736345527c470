internal import Glibc
internal import Troupe
internal import TroupeCall
internal import TroupeFiles
internal import TroupeSandbox

/// A C function of a plugin in a worker.
///
/// Numbers, and buffers of numbers that the function reads, cross as one flat block, without an allocation. Other values cross as a
/// record, in which callbacks and references are IDs:
///
///     flat      [ registration | word of each parameter | buffers ]                  ──►  [ word of the result ]
///     values    [ registration | lifetime | types of the callbacks | array of the arguments ]
///                                                                                    ──►  [ value ], or a callback first
///
/// The worker allocates what C gets pointers to, as a call in this process does, and keeps it for as long as the caller's lifetime exists.
final class IsolatedFunction: FunctionImplementation {
  let signature: Signature
  let registrationID: UInt32
  private let plugin: IsolatedPlugin
  /// Whether a call may run twice.
  let isIdempotent: Bool
  /// Whether the values are no callbacks and references, neither in nor out.
  private let isPlain: Bool
  /// Whether C gets pointers to memory of the call, so that it may keep them.
  private let lendsMemory: Bool
  /// The positions of the arguments from which references of the result borrow.
  private let borrowedFrom: [Int]
  /// The structs that references of results can be read as.
  private let definitions: CType.Definitions?
  /// Lets one thread at a time call the library; nil if several may. The worker has a lock, too. This one makes calls wait before their
  /// deadlines begin.
  private let lock: CallLock?
  /// The fast path for numbers and buffers of numbers; nil if the signature has other values.
  private let flat: FlatCall?
  /// The fast path of `map` for few rows of numbers.
  let flatMap: FlatMap?

  /// The largest block of the fast path in bytes.
  static let flatSize = 4096

  var worker: PluginWorker { plugin.worker }
  var calls: Worker { plugin.worker.calls }
  var local: LocalFunction? { nil }

  /// The key of the metadata that `TROUPE_IDEMPOTENT` adds.
  private static let idempotent = "troupe.idempotent"

  init(_ registration: RegistrationDescription, _ signature: Signature, registrationID: UInt32, of plugin: IsolatedPlugin) {
    (self.registrationID, self.plugin) = (registrationID, plugin)
    self.signature = signature
    isIdempotent = registration.metadata[Self.idempotent] == "true"
    isPlain = signature.hasOnlyValues
    lendsMemory = signature.parameters.contains(where: \.isBuffer)
    lock = registration.isCallableFromAnyThread ? nil : plugin.worker.lock(ofLibraryOf: plugin.id)
    borrowedFrom = signature.borrowedFromPositions
    definitions = signature.definitions
    flat = FlatCall(signature)
    flatMap = FlatMap(signature)
  }

  func call(_ arguments: [Value], keeping lifetime: ForeignLifetime?, token: CallToken?) throws -> CallOutcome {
    try lockLibrary(token)
    defer { unlockLibrary() }
    var limits = calls.limits(isIdempotent: isIdempotent, token: token)
    while true {
      var call = try calls.beginCall(limits)
      do {
        let value = try result(of: arguments, &call, keeping: lifetime)
        calls.endCall(call)
        return CallOutcome(value)
      } catch {
        try calls.endCall(call, after: error, &limits)
      }
    }
  }

  private func result(of arguments: [Value], _ call: inout WorkerCall, keeping lifetime: ForeignLifetime?) throws -> Value {
    // A block ends with the call.
    if let flat, lifetime == nil || !lendsMemory, let value = try callFlat(flat, arguments, &call.endpoint) { return value }
    return try callWithValues(arguments, &call.endpoint, process: call.process, keeping: lifetime)
  }

  /// Calls the function with a block. Returns nil, and does not call it, if an argument needs a conversion or more room.
  private func callFlat(_ flat: FlatCall, _ arguments: [Value], _ endpoint: inout HostEndpoint) throws -> Value? {
    let block = UnsafeMutableRawBufferPointer(rebasing: endpoint.buffer.prefix(Self.flatSize))
    guard let size = flat.write(arguments, to: block, at: 8) else { return nil }
    block.storeBytes(of: UInt64(registrationID), as: UInt64.self)
    try endpoint.answerFlat(.flatCall, count: size, answerSize: 8)
    return flat.value(block.load(as: UInt64.self))
  }

  /// Waits until no other thread calls the library. Throws `WorkerError.cancelled` if the program cancels the wait.
  func lockLibrary(_ token: CallToken? = nil) throws {
    guard let lock else { return }
    guard lock.lock(unless: { worker.isInterrupted?() == true || token?.isCancelled == true }) else {
      throw WorkerError.cancelled
    }
  }

  func unlockLibrary() { lock?.unlock() }

  /// Calls the function with a message of values, in which callbacks and references are IDs.
  private func callWithValues(
    _ arguments: [Value], _ endpoint: inout HostEndpoint, process: Int, keeping lifetime: ForeignLifetime?
  ) throws -> Value {
    let remote = try lifetime?.remote { (remote: RemoteLifetime) in
      remote.worker === worker && remote.process == process
    } or: {
      RemoteLifetime(try RecordReader.value(UInt32.self, endpoint.answer(.makeLifetime, [])), worker, process: process)
    }
    let objects = RemoteObjects(worker: worker, process: process, lock: lock, definitions: definitions)
    let transfer = CallTransfer(objects, endpoint.heap, lifetime)
    defer { transfer.endUse() }
    transfer.borrowedFrom = borrowedFrom.compactMap { arguments.indices.contains($0) ? arguments[$0].reference : nil }
    var header = RecordWriter()
    header.write(number: registrationID)
    header.write(number: remote?.id ?? 0)
    let message = try transfer.request(header, arguments, of: signature.callerParameters, isPlain: isPlain)
    let result = try transfer.run(.call, message, &endpoint, isPlain: isPlain)
    // Callers rely on the type.
    guard signature.isResult(result, of: arguments) else { throw ChannelError.malformed }
    transfer.finish(signature, arguments)
    try transfer.writeOutputs(result)
    return result
  }

  /// Allocates memory that is shared with the worker.
  func allocateBuffer(_ type: CType, count: Int) throws -> ForeignMemory {
    precondition(count >= 1, "memory has at least one element")
    let (size, overflow) = count.multipliedReportingOverflow(by: type.size)
    return try calls.call { endpoint, _ in
      guard !overflow, let region = endpoint.heap.allocate(size), let start = region.bytes.baseAddress else {
        throw ChannelError.tooLarge(size: overflow ? .max : size, capacity: endpoint.heap.size)
      }
      memset(start, 0, size)
      return ForeignMemory(type, at: start, count: count, library: region)
    }
  }
}

/// Keeps the arguments of calls in a worker's process.
final class RemoteLifetime: Sendable {
  let id: UInt32
  let worker: PluginWorker
  let process: Int

  init(_ id: UInt32, _ worker: PluginWorker, process: Int) { (self.id, self.worker, self.process) = (id, worker, process) }

  deinit { worker.release(id, process: process) }
}

/// The objects of a worker's process that the host has references to, by IDs. No ID is used twice.
struct RemoteObjects: Sendable {
  let worker: PluginWorker
  let process: Int
  /// The lock of the library, for the release of an object.
  var lock: CallLock?
  /// The structs that the objects can be read as.
  var definitions: CType.Definitions?

  /// The ID of an object. Throws if it belongs to an earlier process.
  func id(of reference: ForeignReference) throws(CallError) -> UInt64 {
    guard Int(reference.address.address >> 32) == process else { throw .endedWorker(reference.type) }
    return UInt64(reference.address.address & 0xFFFF_FFFF)
  }

  /// - Parameter known: References of which one may be to the object.
  func reference(
    _ id: UInt64, _ type: String, among known: [ForeignReference] = [], borrowedFrom: [ForeignReference] = []
  ) throws(ReadError) -> ForeignReference {
    guard let id = UInt32(exactly: id), id > 0 else { throw ReadError("\(id) is no ID of a reference") }
    let address = UInt(process) << 32 | UInt(id)
    if let known = known.first(where: { $0.address.address == address }) { return known }
    return ForeignReference(
      CType.Reference(name: type, definitions: definitions), number: address, in: worker, borrowedFrom: borrowedFrom
    ) { path throws(CallError) in
      try read(path, of: id, type)
    } release: {
      worker.release(id, process: process, lock)
    }
  }

  private func read(_ path: String, of id: UInt32, _ type: String) throws(CallError) -> Value {
    do {
      lock?.lock()
      defer { lock?.unlock() }
      return try worker.calls.call { endpoint, process in
        guard process == self.process else { throw CallError.endedWorker(type) }
        var message = RecordWriter.bytes(id)
        message += RecordWriter.bytes(path)
        let content = try endpoint.answer(.readObject, message)
        let record = RecordReader(content, memory: endpoint.heap.size)
        var values = ValueDecoder(record, reference: { try reference($0, $1) })
        let value = try values.value()
        try values.end()
        return value
      }
    } catch let error as CallError {
      throw error
    } catch {
      throw CallError(
        .handle, problem: "\(type) cannot be read: \(error)", remedy: "make the object again", argument: nil, row: nil)
    }
  }
}

/// The callbacks and references of a call of a worker. It is used on one thread.
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
  fileprivate static func endedWorker(_ type: String) -> CallError {
    CallError(
      .handle, problem: "a reference to \(type) belonged to a worker that has ended", remedy: "make it again", argument: nil,
      row: nil)
  }

  /// The error with the policy among the remedies, if the system has refused something.
  fileprivate var ofWorker: CallError {
    guard code == .system(EACCES) || code == .system(EPERM) else { return self }
    return CallError(
      code, problem: problem, remedy: "grant what it opens in the worker's policy, such as read:PATH, or \(remedy)",
      argument: argument, row: row)
  }
}

extension Signature {
  /// Whether no value is a reference or a callback, neither in nor out.
  fileprivate var hasOnlyValues: Bool { result.isOnlyValue && parameters.allSatisfy(\.type.isOnlyValue) }

  /// The positions among the caller's arguments of the references from which results and outputs borrow.
  fileprivate var borrowedFromPositions: [Int] {
    let borrowedFrom = Set(resultOwnership.borrowedFrom + parameters.flatMap(\.ownership.borrowedFrom))
    guard !borrowedFrom.isEmpty else { return [] }
    let positions = parameters.indices.filter { takesArgument[$0] }
    return positions.enumerated().filter { borrowedFrom.contains($0.element) }.map(\.offset)
  }
}

extension CType {
  fileprivate var isOnlyValue: Bool {
    switch self {
    case .reference, .function: false
    case .sequence(let element, _), .flexible(let element, _), .array(let element, _): element.isOnlyValue
    case .record(let record): record.members.allSatisfy(\.type.isOnlyValue)
    default: true
    }
  }
}
