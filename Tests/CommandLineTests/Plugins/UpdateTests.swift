import Foundation
import TestSupport
import Testing

/// Programs that retire, remove or replace a plugin while its new version is being activated.
@Suite("Changes of a plugin during its update", .timeLimit(.minutes(60)))
struct UpdateTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
    try FileManager.default.createDirectory(atPath: directory.file("plugins"), withIntermediateDirectories: false)
    for (name, plugin) in [("one", "plugins/gated.so"), ("two", "two.so")] {
      try FileManager.default.copyItem(atPath: Self.products.get().file(name + ".so"), toPath: directory.file(plugin))
    }
  }

  /// The two versions of the plugin, and a Swift program with a host, which finds libTroupe.so by LD_LIBRARY_PATH.
  private static let products = Result {
    let directory = try TemporaryDirectory.untilExit()
    let fixture = Repo.fixture("healthy/gated.swift")
    try Repo.compile([fixture], to: directory.file("one.so"))
    let second = try String(contentsOfFile: fixture, encoding: .utf8).replacing("1.0.0", with: "2.0.0")
    try directory.write("two.swift", second.utf8)
    try Repo.compile([directory.file("two.swift")], to: directory.file("two.so"))
    try succeed([
      "swiftc", "-swift-version", "6", "-I", Repo.products + "/Modules", "-I", Repo.headers, "-L", Repo.products, "-lTroupe",
      "-o", directory.file("updating"), Repo.fixture("hosts/updating.swift"),
    ])
    return directory
  }

  @Test(
    "Whoever retires a plugin during its update retires both versions, and a failed activation restores the old one",
    arguments: [
      ("pass", ["refresh: true", "org.example.gated 2.0.0 active", "versions: 2.0.0"]),
      ("cancel", ["refresh: true", "org.example.gated 2.0.0 active", "versions: 2.0.0"]),
      ("fail", ["refresh: true", "org.example.gated 1.0.0 active", "versions: 1.0.0"]),
      ("retire", ["refresh: true", "org.example.gated 2.0.0 retired", "versions: none"]),
      ("shutdown", ["refresh: true", "org.example.gated 2.0.0 retired", "versions: none"]),
      ("remove", ["refresh: true", "later refresh: true", "versions: none"]),
      ("start", ["second start: active", "org.example.gated 1.0.0 active", "versions: 1.0.0"]),
    ])
  func update(action: String, lines: [String]) throws {
    let variables = [
      "LD_LIBRARY_PATH": Repo.products, "XDG_CACHE_HOME": directory.file("cache"), "XDG_STATE_HOME": directory.file("state"),
    ]
    let program = try Self.products.get().file("updating")
    let result = try run(
      unset(except: variables.keys) + [program, directory.file("plugins"), directory.file("two.so"), action],
      environment: variables)
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.text.split(separator: "\n").map(String.init) == lines, "\(result.errors)")
  }
}
