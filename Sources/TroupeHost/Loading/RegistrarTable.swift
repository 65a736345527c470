internal import CTroupe
internal import Troupe
internal import TroupeFiles

/// The registrar of a plugin's entry, `troupe_registrar` in C.
final class RegistrarTable: @unchecked Sendable {
  // Sendable because the initializer sets up all members and nothing changes them later.
  let registrations: PluginRegistrations
  private let services: HostTable
  private let resolver: ResolverTable
  private let table: UnsafeMutablePointer<CRegistrar>

  init(services: HostTable, resolver: ResolverTable, registrations: PluginRegistrations) {
    self.services = services
    self.resolver = resolver
    self.registrations = registrations
    table = .allocate(capacity: 1)
    table.initialize(
      to: CRegistrar(
        struct_size: UInt32(MemoryLayout<CRegistrar>.size), abi_major: UInt16(TROUPE_ABI_MAJOR),
        abi_minor: UInt16(TROUPE_ABI_MINOR), context: table, host: services.pointer, resolver: resolver.pointer,
        register_factory: { registrar, factory in
          guard let registrar else { return troupe_status(TROUPE_INVALID_ARGUMENT) }
          let table = Unmanaged<RegistrarTable>.fromOpaque(registrar.pointee.context).takeUnretainedValue()
          return table.register(factory)
        }))
    table.pointee.context = Unmanaged.passUnretained(self).toOpaque()
  }

  deinit { table.deallocate() }

  /// The pointer for the entry; valid for as long as this object.
  var pointer: UnsafePointer<CRegistrar> { UnsafePointer(table) }

  private func register(_ factory: UnsafePointer<CFactory>?) -> troupe_status {
    do {
      let (description, code) = try FactoryCode.reading(
        factory, plugin: registrations.context.id, abiMinor: registrations.abiMinor)
      try registrations.add(description, code, resolver: resolver)
      return troupe_status(TROUPE_OK)
    } catch {
      registrations.refuse(error)
      return error.code.status
    }
  }
}
