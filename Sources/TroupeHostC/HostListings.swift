// include/troupe-host.h documents the public functions.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import CTroupeHost
internal import FoundationEssentials
internal import TroupeHost

// The lists of `troupe-host.h`: plugins, registrations and workers as they were at the call, each list in an arena of its own.

// MARK: Plugins and registrations

extension CArena {
  /// - Parameter count: The number of its registrations; nil if it is unknown.
  func plugin(_ plugin: Plugin, count: Int?) -> UnsafePointer<troupe_plugin> {
    let manifest = plugin.manifest
    return UnsafePointer(
      new(
        troupe_plugin(
          struct_size: UInt32(MemoryLayout<troupe_plugin>.size),
          registration_count: Int32(clamping: count ?? -1), path: text(plugin.path),
          id: optionalText(manifest?.id),
          name: optionalText(manifest?.name), version: optionalText(manifest.map { "\($0.version)" }),
          language: optionalText(manifest?.language),
          state: text(plugin.state.name), fault: plugin.state.diagnosis.map { pointer(to: ErrorHandle($0)) },
          library: optionalText(plugin.library))))
  }

  func registration(_ registration: RegistrationDescription) -> UnsafePointer<troupe_registration> {
    let metadata = registration.metadata.sorted { $0.key < $1.key }
    return UnsafePointer(
      new(
        troupe_registration(
          struct_size: UInt32(MemoryLayout<troupe_registration>.size), lifetime: registration.lifetime.constant,
          is_function: registration.isFunction ? 1 : 0, tag_count: UInt32(registration.tags.count),
          plugin: text(registration.plugin), uuid: optionalText(registration.uuid?.uuidString.lowercased()),
          name: text(registration.name), contract: optionalText(registration.contract), signature: text(registration.signature),
          tags: array(registration.tags.map { text($0) }),
          metadata: array(metadata.map { CMetadata(key: text($0.key), value: text($0.value)) }),
          metadata_count: metadata.count)))
  }
}

extension Lifetime {
  fileprivate var constant: troupe_lifetime {
    switch self {
    case .singleton: troupe_lifetime(TROUPE_SINGLETON)
    case .scoped: troupe_lifetime(TROUPE_SCOPED)
    default: troupe_lifetime(TROUPE_TRANSIENT)
    }
  }
}

@c @implementation
public func troupe_host_plugins(_ host: OpaquePointer) -> UnsafeMutablePointer<troupe_plugin_list> {
  let arena = CArena()
  let host = HostHandle.borrow(host).host
  let counts = Dictionary(host.registrations.map { ($0.plugin, 1) }, uniquingKeysWith: +)
  let items = host.plugins.map { plugin in
    let isOpen = [.loaded, .active].contains(plugin.state)
    return arena.plugin(plugin, count: isOpen ? plugin.manifest.map { counts[$0.id] ?? 0 } : plugin.registrationCount)
  }
  return arena.publish(troupe_plugin_list(count: items.count, items: arena.array(items)))
}

@c @implementation
public func troupe_plugin_list_free(_ list: UnsafeMutablePointer<troupe_plugin_list>?) { CArena.release(list) }

@c @implementation
public func troupe_host_registrations(_ host: OpaquePointer) -> UnsafeMutablePointer<troupe_registration_list> {
  let arena = CArena()
  let items = HostHandle.borrow(host).host.registrations.map { arena.registration($0) }
  return arena.publish(troupe_registration_list(count: items.count, items: arena.array(items)))
}

@c @implementation
public func troupe_registration_list_free(_ list: UnsafeMutablePointer<troupe_registration_list>?) { CArena.release(list) }

// MARK: Workers

extension CArena {
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
  ErrorHandle.pointer(error) {
    let host = try HostHandle.borrow(host, as: "host").host
    let arena = CArena()
    let items = host.workers.map { arena.worker($0) }
    return arena.publish(troupe_worker_list(count: items.count, items: arena.array(items)))
  }
}

@c @implementation
public func troupe_worker_list_free(_ list: UnsafeMutablePointer<troupe_worker_list>?) { CArena.release(list) }
