internal import TroupeCall
internal import TroupeSandbox

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

extension CallError {
  fileprivate static func endedWorker(_ type: String) -> CallError {
    CallError(
      .handle, problem: "a reference to \(type) belonged to a worker that has ended", remedy: "make it again", argument: nil,
      row: nil)
  }
}
