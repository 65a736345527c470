import Foundation
import TestSupport
import Testing

@Suite("Registrations of a plugin in Swift", .timeLimit(.minutes(10)))
struct RegistrationTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
    try FileManager.default.createDirectory(atPath: directory.file("plugins"), withIntermediateDirectories: false)
    try Repo.compile([Repo.fixture("healthy/described.swift")], to: directory.file("plugins/described.so"))
  }

  private static let programs = Result {
    let directory = try TemporaryDirectory.untilExit()
    try succeed([
      "swiftc", "-swift-version", "6", "-I", Repo.products + "/Modules", "-I", Repo.headers, "-L", Repo.products, "-lTroupe",
      "-o", directory.file("program"), Repo.fixture("hosts/registrations.swift"),
    ])
    return directory
  }

  /// The variables of a program that shares its cache with the other programs of the test.
  private var environment: [String: String] {
    [
      "LD_LIBRARY_PATH": Repo.products, "XDG_CACHE_HOME": directory.file("cache"),
      "XDG_STATE_HOME": directory.file("state"),
    ]
  }

  /// Runs the program. Returns the lines that it prints, and expects no others on standard error.
  private func start(contract: String? = nil) throws -> [String] {
    let variables = environment.merging(contract.map { ["CONTRACT": $0] } ?? [:]) { own, _ in own }
    let run = try run(
      unset(except: variables.keys) + ["timeout", "60", Self.programs.get().file("program"), directory.file("plugins")],
      environment: variables)
    return output(of: run).split(separator: "\n").map(String.init)
  }

  @Test("Hosts with different contracts for a Swift type share one probe, and each describes the registration with its own")
  func contracts() throws {
    let resolve = { try troupe("resolve", "--tag", "width", plugins: directory.file("plugins"), environment: environment) }
    #expect(try output(of: resolve()).contains("4.5"))
    for contract in ["org.example.text/1", nil, "org.example.text/2"] as [String?] {
      let lines = try start(contract: contract)
      #expect(lines.first == "probes 0")
      #expect(lines.count { $0 == "prefix: troupe.transform/1, width: \(contract ?? "none")" } == 2, "\(lines)")
      #expect(lines.contains("active"))
      #expect(try output(of: resolve()).contains("4.5"))
    }
  }

  @Test("Texts of a registration are metadata of its entry before its plugin is open and after, and other values after")
  func metadata() throws {
    let lines = try start()
    #expect(
      lines == [
        "probes 1", "admitted", "prefix: troupe.transform/1, width: none", "byte 1, m 1, wide 0",
        "active", "prefix: troupe.transform/1, width: none", "byte 1, m 1, wide 1",
      ])
  }
}
