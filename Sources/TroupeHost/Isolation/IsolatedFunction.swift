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
