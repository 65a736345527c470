// The header documents the public functions.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import CTroupeHost
internal import TroupeHost

extension CArena {
  /// Returns the state of a worker as a C struct.
  fileprivate func worker(_ worker: WorkerStatus) -> UnsafePointer<troupe_worker> {
    UnsafePointer(
      new(
        troupe_worker(
          struct_size: UInt32(MemoryLayout<troupe_worker>.size), process: worker.process ?? 0, name: text(worker.name),
          plugins: array(worker.plugins.map { text($0) }), plugin_count: worker.plugins.count,
          circuit: text(worker.circuit.rawValue),
          enforced: text(worker.enforced.map(\.rawValue).sorted().joined(separator: " ")), calls: UInt64(worker.calls),
          failures: UInt64(worker.failures), restarts: UInt64(worker.restarts),
          median_ns: UInt64(worker.median?.nanoseconds ?? 0),
          p99_ns: UInt64(worker.percentile99?.nanoseconds ?? 0), memory: UInt64(worker.memory ?? 0))))
  }
}

@c @implementation
public func troupe_host_workers(
  _ host: OpaquePointer?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> UnsafeMutablePointer<troupe_worker_list>? {
  CError.pointer(error) {
    let host = try Handle<CHost>.borrow(host, as: "host").host
    let arena = CArena()
    let items = host.workers.map { arena.worker($0) }
    return arena.publish(troupe_worker_list(count: items.count, items: arena.array(items)))
  }
}

@c @implementation
public func troupe_worker_list_free(_ list: UnsafeMutablePointer<troupe_worker_list>?) { CArena.release(list) }
