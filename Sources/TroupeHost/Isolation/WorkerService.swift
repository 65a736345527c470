internal import Glibc
internal import Synchronization
internal import Troupe
internal import TroupeCall
internal import TroupeFiles
internal import TroupeSandbox

/// Answers the calls of the host with the plugins of this process, on several threads.
final class WorkerService: Sendable {
  private let host: PluginHost
  private let registrations: [RegistrationDescription]
  private let functions: [ForeignFunction?]
  /// The functions that flat calls can have.
  private let flatFunctions: [FlatCall.Function?]
  private let flatMaps: [FlatMap?]
  private let memory: ChannelMemory
  private let objects = WorkerObjects()
  private let endedCallbacks = EndedCallbacks()
  /// The types of callbacks by their texts.
  private let signatures = Mutex<[String: Signature]>([:])

  /// - Parameter registrations: Those that the host knows, by their IDs.
  init(_ host: PluginHost, _ registrations: [RegistrationDescription], _ memory: ChannelMemory) {
    (self.host, self.registrations, self.memory) = (host, registrations, memory)
    functions = registrations.map { $0.isFunction ? try? host.function($0) : nil }
    flatFunctions = functions.map { $0?.prepared.flatMap { FlatCall.Function($0) } }
    flatMaps = functions.map { $0.flatMap { FlatMap($0.signature) } }
  }

  /// Answers the calls of a slot for as long as the process runs.
  func serve(_ end: WorkerEndpoint) -> Never {
    while true {
      // The host is gone or has broken the channel: it ends this process.
      guard let (kind, bytes) = try? end.receiveCall(flat: { callFlat($0, $1, $2, end) }) else { _exit(0) }
      do {
        let answer = Result { try self.answer(kind, bytes, end) }
        // Nobody waits for the error of a release.
        if kind != MessageKind.release.rawValue, let failure = endedCallbacks.takeFailure() { throw failure }
        try end.send(kind: .done, answer.get())
      } catch ChannelError.tooLarge {
        // The host has refused the answer, and knows it.
      } catch {
        // The text that explains the failure precedes it.
        end.announceOutput()
        guard (try? end.send(kind: .failed, RecordWriter.bytes(RemoteError(error)))) != nil else { _exit(0) }
      }
    }
  }

  private func answer(_ kind: UInt32, _ bytes: [UInt8], _ end: WorkerEndpoint) throws -> [UInt8] {
    var reader = RecordReader(bytes)
    switch MessageKind(rawValue: kind) {
    case .call: return try call(reader.number(), &reader, end)
    case .map: return try map(MapRequest(from: &reader), end)
    case .make: return try make(reader.number(), &reader)
    case .makeAsync: return try makeAsync(&reader)
    case .release:
      objects.release(try reader.number())
      return []
    case .readObject:
      let objectID: UInt32 = try reader.number()
      return try transfer(objects.reference(UInt64(objectID)).read(String(from: &reader)))
    case .makeLifetime: return RecordWriter.bytes(objects.add(ForeignLifetime()))
    case .feed, .finish: return try run(StreamChunk(from: &reader), isEnd: kind == MessageKind.finish.rawValue, end)
    default: throw ReadError("\(kind) is no kind of a call")
    }
  }

  // MARK: Functions

  /// Makes a flat call. Returns the kind of the answer and its range in the buffer; nil for a malformed message.
  private func callFlat(
    _ kind: MessageKind, _ buffer: UnsafeMutableRawBufferPointer, _ count: Int, _ end: WorkerEndpoint
  ) -> (MessageKind, Range<Int>)? {
    guard let result = runFlat(kind, buffer, count) else { return nil }
    guard endedCallbacks.hasFailure, let failure = endedCallbacks.takeFailure() else { return (.flatDone, result) }
    // The text that explains the failure precedes it.
    end.announceOutput()
    var error = RecordWriter.bytes(RemoteError(failure))
    if error.count > buffer.count { error = RecordWriter.bytes(RemoteError.other("\(failure)".shortened())) }
    buffer.copyBytes(from: error)
    return (.failed, 0..<error.count)
  }

  private func runFlat(_ kind: MessageKind, _ buffer: UnsafeMutableRawBufferPointer, _ count: Int) -> Range<Int>? {
    guard count >= 8, let registrationID = Int(exactly: buffer.load(as: UInt64.self)),
      functions.indices.contains(registrationID)
    else { return nil }
    if kind == .flatMap {
      return flatMaps[registrationID].flatMap { map in functions[registrationID]?.loop.flatMap { map.run($0, buffer, at: 8) } }
    }
    let block = UnsafeMutableRawBufferPointer(rebasing: buffer[..<count])
    guard let word = flatFunctions[registrationID]?.run(block, at: 8) else { return nil }
    buffer.storeBytes(of: word, as: UInt64.self)
    return 0..<8
  }

  private func call(_ registrationID: UInt32, _ reader: inout RecordReader, _ end: WorkerEndpoint) throws -> [UInt8] {
    guard functions.indices.contains(Int(registrationID)), let function = functions[Int(registrationID)] else {
      throw ReadError("there is no function \(registrationID)")
    }
    let lifetime = try objects.lifetime(reader.number())
    let context = CallContext(
      end, objects, endedCallbacks, function: registrations[Int(registrationID)].name, lock: function.prepared?.lock)
    let arguments = try arguments(&reader, context)
    defer { objects.releaseTaken(arguments) }
    context.name(arguments, of: function.signature.callerParameters)
    let result = Result { try lifetime.map { try function.call(arguments, keeping: $0) } ?? function.call(arguments) }
    if let failure = context.finish() { throw failure }
    return try transfer(result.get())
  }

  private func map(_ request: MapRequest, _ end: WorkerEndpoint) throws -> [UInt8] {
    let start = Int(request.offset)
    let memory = memory.heapBytes(start..<start + Int(request.size))
    guard functions.indices.contains(Int(request.registrationID)), let function = functions[Int(request.registrationID)] else {
      throw ReadError("there is no function \(request.registrationID)")
    }
    guard let (inputs, outputs) = request.columns.columns(in: memory) else {
      throw ReadError("the columns for function \(request.registrationID) do not fit in their shared memory")
    }
    let failures = Mutex<[MapReport.FailedRow]>([])
    let options = MapOptions(rowFailure: request.failureIsNull ? .isNull : .ends, threads: Int(request.threads)) { row, error in
      failures.withLock { $0.append(MapReport.FailedRow(row: row, error: error)) }
    }
    let nullCount = try function.map(inputs, rows: request.columns.rows, into: outputs, options: options)
    let report = MapReport(nullCount: nullCount, failures: failures.withLock(\.self))
    if !report.failures.isEmpty { end.announceOutput() }
    return RecordWriter.bytes(report)
  }

  private func make(_ registrationID: UInt32, _ reader: inout RecordReader) throws -> [UInt8] {
    // The host decides how many instances there are, so each has a scope of its own.
    let instance = try host.factories.instance(
      of: factory(registrationID), arguments: .values(arguments(&reader)), in: host.container.scope())
    return RecordWriter.bytes(try add(instance))
  }

  /// Makes an instance in a task, for which the thread of the slot waits.
  private func makeAsync(_ reader: inout RecordReader) throws -> [UInt8] {
    let offset: UInt64 = try reader.number()
    guard let signal = FactorySignal(memory, at: offset) else { throw ReadError("there is no signal at \(offset)") }
    let registration = try factory(reader.number())
    let arguments = FactoryArguments.values(try arguments(&reader))
    let result = Mutex<Result<UInt32, any Error>?>(nil)
    let task = Task { [self] in
      defer { signal.finish() }
      do {
        let instance = try await host.factories.instanceAsync(
          of: registration, arguments: arguments, in: host.container.scope())
        let objectID = try add(instance)
        result.withLock { $0 = .success(objectID) }
      } catch {
        result.withLock { $0 = .failure(error) }
      }
    }
    signal.wait { task.cancel() }
    guard let made = result.withLock(\.self) else { throw ReadError("the signal at \(offset) was changed") }
    return RecordWriter.bytes(try made.get())
  }

  private func factory(_ registrationID: UInt32) throws -> RegistrationDescription {
    guard registrations.indices.contains(Int(registrationID)) else { throw ReadError("there is no factory \(registrationID)") }
    return registrations[Int(registrationID)]
  }

  private func add(_ instance: Any) throws -> UInt32 {
    guard let transform = instance as? any Transform else { throw ReadError("the instance is no transform") }
    return objects.add(transform)
  }

  /// Reads the types of the callbacks, and then the arguments.
  private func arguments(_ reader: inout RecordReader, _ context: CallContext? = nil) throws -> [Value] {
    let types = try [String](from: &reader)
    guard types.isEmpty || context != nil else { throw ReadError("a factory takes no callbacks") }
    let callbacks = try types.enumerated().map { number, text in
      // The function may keep the callback, which must not keep what keeps the callback. The call fails with an error of another thread.
      try Callback(signature: signature(text), unhandled: { _ in }) { [weak context] arguments in
        guard let context else { throw IsolatedPluginError("the call of the callback has ended") }
        return try context.call(number, arguments)
      }
    }
    context?.callbacks = callbacks
    var values = ValueDecoder(reader) { number in
      guard callbacks.indices.contains(Int(number)) else { throw ReadError("there is no callback \(number)") }
      return callbacks[Int(number)]
    } shared: { [memory] range in
      guard range.upperBound <= memory.shape.heap, let start = memory.heapBytes(range).baseAddress else {
        throw ReadError("the range \(range) is not shared")
      }
      return start
    } reference: { [objects] number, _ in
      try objects.reference(number)
    }
    guard case .array(let arguments) = try values.value() else { throw ReadError("arguments are an array") }
    return arguments
  }

  private func signature(_ text: String) throws -> Signature {
    if let known = signatures.withLock({ $0[text] }) { return known }
    let signature = try Signature(parsing: text)
    signatures.withLock { $0[text] = signature }
    return signature
  }

  private func transfer(_ value: Value) throws -> [UInt8] {
    var writer = ValueEncoder(reference: { [objects] in objects.id(of: $0) })
    try writer.write(value)
    return writer.record.bytes
  }

  // MARK: Transforms

  private func run(_ chunk: StreamChunk, isEnd: Bool, _ end: WorkerEndpoint) throws -> [UInt8] {
    let transform = try objects.transform(chunk.object)
    let start = Int(chunk.offset)
    guard let region = StreamRegion(memory.heapBytes(start..<start + StreamRegion.size)) else {
      throw ReadError("the region is too small")
    }
    let output = RegionOutput(region, end)
    if isEnd {
      try transform.finish(to: output)
    } else {
      try feed(transform, region, count: Int(chunk.count), to: output)
    }
    if let failure = output.failure { throw failure }
    return RecordWriter.bytes(UInt32(output.count))
  }

  /// Feeds a transform with the input, part by part as the host writes it.
  private func feed(_ transform: any Transform, _ region: StreamRegion, count: Int, to output: RegionOutput) throws {
    var position = 0
    while position < count {
      // The host copies the next part meanwhile, and does not wait.
      let ready = region.waitForInput(beyond: position)
      // The host does not write to this part again before the answer.
      let part = UnsafeRawBufferPointer(rebasing: region.input[position..<min(ready, count)])
      try transform.feed(part.bindMemory(to: UInt8.self).span, to: output)
      position += part.count
    }
  }
}

/// The output of a transform, which writes to the shared memory and asks the host to empty it when it is full.
private final class RegionOutput: TransformOutput {
  private let region: StreamRegion
  private let end: WorkerEndpoint
  private(set) var count = 0
  /// The error after which the output takes no more bytes.
  private(set) var failure: (any Error)?

  init(_ region: StreamRegion, _ end: WorkerEndpoint) { (self.region, self.end) = (region, end) }

  func write(_ bytes: Span<UInt8>) throws {
    if let failure { throw failure }
    try bytes.withUnsafeBytes { bytes in
      var rest = bytes[...]
      while !rest.isEmpty {
        if count == StreamRegion.outputSize { try empty() }
        let piece = rest.prefix(StreamRegion.outputSize - count)
        UnsafeMutableRawBufferPointer(rebasing: region.output[count...]).copyMemory(
          from: UnsafeRawBufferPointer(rebasing: piece))
        count += piece.count
        region.outputCount = count
        rest = rest.dropFirst(piece.count)
      }
    }
  }

  private func empty() throws {
    let full = count
    count = 0
    region.outputCount = 0
    try end.send(kind: .output, RecordWriter.bytes(UInt32(full)))
    guard try end.receive().kind == MessageKind.proceed.rawValue else {
      // The host throws the error of its output.
      let error = IsolatedPluginError("the output takes no more bytes")
      failure = error
      throw error
    }
  }
}

extension RemoteError {
  init(_ error: any Error) {
    switch error {
    case let error as CallError: self = .call(error)
    case let error as ForeignFactoryError:
      self = .factory(plugin: error.plugin, name: error.factory, reason: error.hasReason ? error.reason : nil)
    case let error as TransformError: self = .transform(text: error.description, status: error.status)
    case let diagnosis as Diagnosis: self = .diagnosis(diagnosis)
    case is CancellationError: self = .cancelled
    default: self = .other("\(error)")
    }
  }
}

/// The objects of a worker that its host refers to by IDs: references of C libraries, lifetimes of arguments, and transforms. No ID is used
/// twice.
final class WorkerObjects: Sendable {
  /// A transform, which one call at a time uses, since the host has one owner of it.
  final class Stage: @unchecked Sendable {
    // Sendable because `Transform` requires its users to use it on one thread at a time, and the host's side passes that on.
    let transform: any Transform
    init(_ transform: any Transform) { self.transform = transform }
  }

  private struct State {
    var last: UInt32 = 0
    var references: [UInt32: ForeignReference] = [:]
    var referenceIDs: [ObjectIdentifier: UInt32] = [:]
    var stages: [UInt32: Stage] = [:]
    var lifetimes: [UInt32: ForeignLifetime] = [:]
  }

  private let state = Mutex(State())

  /// Returns the ID of a reference, the same one for as long as the host has it.
  func id(of reference: ForeignReference) -> UInt64 {
    state.withLock { state in
      if let known = state.referenceIDs[ObjectIdentifier(reference)] { return UInt64(known) }
      state.last += 1
      state.references[state.last] = reference
      state.referenceIDs[ObjectIdentifier(reference)] = state.last
      return UInt64(state.last)
    }
  }

  func reference(_ id: UInt64) throws -> ForeignReference {
    guard let reference = state.withLock({ $0.references[UInt32(truncatingIfNeeded: id)] }) else {
      throw ReadError("there is no reference \(id)")
    }
    return reference
  }

  /// Releases the references among the arguments of a call that the call has taken over.
  func releaseTaken(_ arguments: [Value]) {
    for case .reference(let reference) in arguments where reference.isReleased {
      if let id = state.withLock({ $0.referenceIDs[ObjectIdentifier(reference)] }) { release(id) }
    }
  }

  func add(_ transform: any Transform) -> UInt32 {
    let stage = Stage(transform)
    return state.withLock { state in
      state.last += 1
      state.stages[state.last] = stage
      return state.last
    }
  }

  func add(_ lifetime: ForeignLifetime) -> UInt32 {
    state.withLock { state in
      state.last += 1
      state.lifetimes[state.last] = lifetime
      return state.last
    }
  }

  /// - Parameter id: 0 for none.
  func lifetime(_ id: UInt32) throws -> ForeignLifetime? {
    guard id > 0 else { return nil }
    guard let lifetime = state.withLock({ $0.lifetimes[id] }) else { throw ReadError("there is no lifetime \(id)") }
    return lifetime
  }

  func transform(_ id: UInt32) throws -> any Transform {
    guard let stage = state.withLock({ $0.stages[id] }) else { throw ReadError("there is no instance \(id)") }
    return stage.transform
  }

  func release(_ id: UInt32) {
    // Released outside the lock: that runs code of the plugin.
    let released: (ForeignReference?, Stage?, ForeignLifetime?) = state.withLock { state in
      let reference = state.references.removeValue(forKey: id)
      if let reference { state.referenceIDs[ObjectIdentifier(reference)] = nil }
      return (reference, state.stages.removeValue(forKey: id), state.lifetimes.removeValue(forKey: id))
    }
    withExtendedLifetime(released) {}
  }
}
