import Synchronization
import TestSupport
import Testing

@testable import TroupeHost

@Suite("Activation of assemblies", .inProcess) struct ActivationTests {
  private let directory: PluginDirectory
  private let log = LogLines()

  init() throws {
    directory = try PluginDirectory()
    try directory.add("healthy/assembling.c")
  }

  @Test("The log names a plugin whose activation takes long, after 10 s and each time that has doubled")
  func long() async throws {
    let end = TaskEvent()
    let waits = Mutex<[Duration]>([])
    let entry = EntryService { Activated { await end.wait() } }
    var options = directory.options(log: log, services: [entry.service])
    options.activationTimer = { duration in
      let count = waits.withLock { waits in
        waits.append(duration)
        return waits.count
      }
      guard count == 4 else { return }
      end.signal()
      throw CancellationError()
    }
    let host = PluginHost(options)
    await host.start()
    #expect(host.states == ["assembling.so active"])
    #expect(waits.withLock(\.self) == [10, 10, 20, 40].map { .seconds($0) })
    let rest = "and start, reload and refresh wait for it; find what it waits for, or remove \(directory.path)/assembling.so"
    #expect(
      log.texts
        == [10, 20, 40].map {
          "warning org.example.assembling: registered(to:) has not returned for \($0) s, \(rest)"
        })
  }

  @Test("An assembly that is added after the entry is refused, and is neither registered nor activated")
  func late() async throws {
    let calls = Mutex<[String]>([])
    @Sendable func note(_ call: String) { calls.withLock { $0.append(call) } }
    let entry = EntryService {
      Keeping {
        Activated {
          note("activated")
        } register: { _ in
          note("registered")
        }
      }
    }
    let host = directory.host(log: log, services: [entry.service])
    await host.start()
    #expect(host.states == ["assembling.so active"])
    #expect(calls.withLock(\.self) == [])
    #expect(
      log.texts == [
        "error org.example.assembling: it registers after its entry has returned; register in troupe_plugin_main, or in register(in:)"
      ])
  }
}

/// The service with which `healthy/assembling.c` runs the entry of a plugin in Swift within the test.
private final class EntryService: Sendable {
  private typealias Run = @convention(c) (UnsafeRawPointer, UnsafePointer<PluginEntry.Registrar>) -> PluginEntry.Status

  /// The C struct, and behind it what only this type knows.
  private struct Table {
    let run: Run = { table, registrar in
      PluginEntry.run(registrar, make: table.load(as: Table.self).make)
    }
    let make: @Sendable () -> any Assembly
  }

  let service: HostService
  // Written in the initializer alone, and freed with the last reference.
  nonisolated(unsafe) private let table: UnsafeMutablePointer<Table>

  init(_ make: @escaping @Sendable () -> any Assembly) {
    table = .allocate(capacity: 1)
    table.initialize(to: Table(make: make))
    service = HostService("org.example.entry/1", table)
  }

  deinit {
    table.deinitialize(count: 1)
    table.deallocate()
  }
}

private struct Activated: Assembly {
  let activate: @Sendable () async throws -> Void
  var register: @Sendable (any Registrar) -> Void = { _ in }

  func register(in registrar: any Registrar) { register(registrar) }
  func registered(to resolver: any Resolver) async throws { try await activate() }
}

/// Keeps its registrar, and adds another assembly when it is activated.
private final class Keeping: Assembly {
  private let make: () -> Activated
  private var registrar: (any Registrar)?

  init(_ make: @escaping () -> Activated) { self.make = make }

  func register(in registrar: any Registrar) { self.registrar = registrar }
  func registered(to resolver: any Resolver) async throws { registrar?.register(assembly: make()) }
}
