public import CTroupe

/// Connects a Swift plugin's C entry with its assembly. The code that `@Plugin` adds calls it.
public enum PluginEntry {
  /// The argument of the entry.
  public typealias Registrar = CRegistrar
  /// The result of the entry.
  public typealias Status = troupe_status

  /// Creates the plugin's assembly and passes it to the host, which is in the same image as this function.
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
