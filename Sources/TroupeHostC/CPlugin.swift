// The header documents the public functions.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import CTroupeHost
internal import FoundationEssentials
internal import TroupeHost

extension CArena {
  /// Returns a plugin as a C struct.
  ///
  /// - Parameter count: The number of its registrations, or nil if it is not known.
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
          state: text(plugin.state.name), fault: plugin.state.fault.map { pointer(to: CError($0)) },
          library: optionalText(plugin.library))))
  }

  /// Returns a registration as a C struct.
  func registration(_ registration: Registration) -> UnsafePointer<troupe_registration> {
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
  let host = Handle<CHost>.borrow(host).host
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
  let items = Handle<CHost>.borrow(host).host.registrations.map { arena.registration($0) }
  return arena.publish(troupe_registration_list(count: items.count, items: arena.array(items)))
}

@c @implementation
public func troupe_registration_list_free(_ list: UnsafeMutablePointer<troupe_registration_list>?) { CArena.release(list) }
