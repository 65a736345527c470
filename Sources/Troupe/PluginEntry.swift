public import CTroupe

/// The way from a Swift plugin's C entry to its assembly; what `@Plugin` writes calls it.
public enum PluginEntry {
  /// What the host passes to the entry.
  public typealias Registrar = CRegistrar
  /// What the entry returns.
  public typealias Status = troupe_status

  /// Makes the plugin's assembly and hands it to the host, which is the same image as this one.
  public static func run(_ registrar: UnsafePointer<Registrar>, make: () -> any Assembly) -> Status {
    let host = registrar.pointee.host
    guard let service = host.pointee.service(host, AssemblyReceiver.service) else {
      host.pointee.fail(host, "this host takes no plugins in Swift")
      return Status(TROUPE_FAILED)
    }
    return Unmanaged<AssemblyReceiver>.fromOpaque(service).takeUnretainedValue().receive(make())
  }
}

/// The host's side of `PluginEntry`, reached as the service `troupe.assembly/1`.
package final class AssemblyReceiver {
  /// The id of the service.
  package static let service = "troupe.assembly/1"

  package let receive: (any Assembly) -> troupe_status

  package init(receive: @escaping (any Assembly) -> troupe_status) {
    self.receive = receive
  }
}
