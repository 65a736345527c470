import CTroupe
import Testing
import Troupe

/// The C side of a host, reduced to the parts used by the entry of a Swift plugin.
private final class Host {
  /// The service that accepts assemblies, or nil for a host without it.
  var receiver: AssemblyReceiver?
  private(set) var failures: [String] = []
  private(set) var asked: [String] = []

  /// Runs an entry with this host.
  func run(_ make: () -> any Assembly) -> PluginEntry.Status {
    var host = CHost(
      struct_size: UInt32(MemoryLayout<CHost>.size), abi_major: UInt16(TROUPE_ABI_MAJOR), abi_minor: UInt16(TROUPE_ABI_MINOR),
      context: Unmanaged.passUnretained(self).toOpaque(), log: { _, _, _ in }, allocate: { _, _ in nil }, free: { _, _ in },
      configuration: { _, _ in nil },
      service: { host, id in
        let host = Host.from(host)
        host.asked.append(id.map { String(cString: $0) } ?? "")
        return host.receiver.map { UnsafeRawPointer(Unmanaged.passUnretained($0).toOpaque()) }
      },
      fail: { host, message in Host.from(host).failures.append(message.map { String(cString: $0) } ?? "") },
      setting: { _, _, _ in troupe_status(TROUPE_NOT_FOUND) })
    var resolver = CResolver(
      struct_size: UInt32(MemoryLayout<CResolver>.size), reserved: 0, context: host.context,
      resolve: { _, _, _ in troupe_status(TROUPE_NOT_FOUND) }, resolve_all: { _, _, _, _ in troupe_status(TROUPE_NOT_FOUND) },
      release: { _, _ in }, message: { _ in nil })
    return withUnsafePointer(to: &host) { host in
      withUnsafePointer(to: &resolver) { resolver in
        var registrar = CRegistrar(
          struct_size: UInt32(MemoryLayout<CRegistrar>.size), abi_major: UInt16(TROUPE_ABI_MAJOR),
          abi_minor: UInt16(TROUPE_ABI_MINOR), context: host.pointee.context, host: host, resolver: resolver,
          register_factory: { _, _ in troupe_status(TROUPE_FAILED) })
        return PluginEntry.run(&registrar, make: make)
      }
    }
  }

  private static func from(_ host: UnsafePointer<CHost>?) -> Host {
    guard let host else { fatalError("a host is called without itself") }
    return Unmanaged<Host>.fromOpaque(host.pointee.context).takeUnretainedValue()
  }
}

private final class Example: Assembly {
  func register(in registrar: any Registrar) {}
}

@Suite("The entry of a Swift plugin gives the host its assembly")
struct PluginEntryTests {
  @Test("The host gets the assembly, and the entry returns the host's status", arguments: [TROUPE_OK, TROUPE_DUPLICATE])
  func received(status: Int) {
    let example = Example()
    var received: [any Assembly] = []
    let host = Host()
    host.receiver = AssemblyReceiver {
      received.append($0)
      return troupe_status(status)
    }
    #expect(host.run { example } == status)
    #expect(host.asked == [AssemblyReceiver.service])
    #expect(received.count == 1)
    #expect(received.first as? Example === example)
    #expect(host.failures.isEmpty)
  }

  @Test("A host without support for Swift plugins gets an error, and no assembly is created")
  func noService() {
    let host = Host()
    let status = host.run {
      Issue.record("an assembly is made")
      return Example()
    }
    #expect(status == TROUPE_FAILED)
    #expect(host.failures == ["this host takes no plugins in Swift"])
  }
}
