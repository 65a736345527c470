import Foundation
import TestSupport
import Testing

@Suite("Crashes in plugins of a program that reports them", .timeLimit(.minutes(60)))
struct ProgramCrashTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
    try succeed(["mkdir", directory.file("plugins")])
  }

  private static let programs = Result {
    let directory = try TemporaryDirectory.untilExit()
    try succeed([
      "swiftc", "-swift-version", "6", "-I", Repo.products + "/Modules", "-I", Repo.headers, "-L", Repo.products, "-lTroupe",
      "-Xlinker", "-rpath=" + Repo.products, "-o", directory.file("swift"), Repo.fixture("hosts/crashing.swift"),
    ])
    try succeed([
      "cc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-I", Repo.headers, Repo.fixture("hosts/crashing.c"), "-L",
      Repo.products, "-lTroupe", "-Wl,-rpath," + Repo.products, "-o", directory.file("c"),
    ])
    return directory
  }

  /// Runs a program with its plugins, and with Swift's backtraces on request.
  private func run(_ program: String, _ word: String, backtrace: Bool = false) throws -> Run {
    let variables = [
      "XDG_CACHE_HOME": directory.file("cache"), "XDG_STATE_HOME": directory.file("state"),
      "SWIFT_BACKTRACE": backtrace ? "enable=yes,color=no,interactive=no,threads=crashed,images=none" : "enable=no",
    ]
    return try TestSupport.run(
      unset(except: variables.keys) + [Self.programs.get().file(program), directory.file("plugins"), word],
      environment: variables)
  }

  private func reports(_ run: Run) -> [Substring] { run.errorLines.filter { $0.hasPrefix("troupe: ") } }

  @Test(
    "A trap in a Swift plugin is reported of it, and the next start quarantines it",
    arguments: [
      ("fatal", SIGILL, "Fatal error: no config"), ("unwrap", SIGILL, nil), ("bounds", SIGILL, nil),
      ("exclusive", SIGABRT, "Simultaneous accesses to "),
    ])
  func swift(input: String, signal: Int32, text: String?) throws {
    try Repo.compile([Repo.fixture("healthy/trapping.swift")], to: directory.file("plugins/trapping.so"))
    let first = try run("swift", input)
    #expect(first.status == -signal)
    let name = signal == SIGILL ? "SIGILL" : "SIGABRT"
    let path = directory.file("plugins/trapping.so")
    #expect(reports(first).count == 1, "\(first.errors)")
    #expect(
      reports(first).first?.hasPrefix("troupe: \(path): crashed with \(name), at ") == true, "\(first.errors)")
    if let text { #expect(first.errors.contains(text), "\(first.errors)") }
    let second = try run("swift", input)
    #expect(second.status == 0, "\(second.errors)")
    #expect(second.text == "org.example.trapping quarantined\n")
    #expect(
      second.errors.contains("passed its probe and then crashed with \(name) while the program used it, at "),
      "\(second.errors)")
  }

  @Test("Swift's backtrace follows the report, and the process ends by the signal")
  func backtrace() throws {
    try Repo.compile([Repo.fixture("healthy/trapping.swift")], to: directory.file("plugins/trapping.so"))
    let result = try run("swift", "fatal", backtrace: true)
    #expect(result.status == -SIGILL)
    let report = try #require(result.errors.range(of: "troupe: \(directory.file("plugins/trapping.so")): crashed with SIGILL"))
    let trace = try #require(result.errors.range(of: "Backtracing from "), "\(result.errors)")
    #expect(report.lowerBound < trace.lowerBound)
  }

  @Test("A trap in a worker is an error with the text of the runtime and the location in the plugin")
  func worker() throws {
    try Repo.compile([Repo.fixture("healthy/trapping.swift")], to: directory.file("plugins/trapping.so"))
    let result = try shell(
      #"printf fatal | "$troupe" run --tag trap --isolate all --plugins "$plugins""#,
      environment: ["plugins": directory.file("plugins"), "XDG_CACHE_HOME": directory.file("cache")])
    #expect(result.status == 69)
    #expect(result.errors.contains("crashed (SIGILL) in trapping.Trap.feed (trapping.so+0x"), "\(result.errors)")
    #expect(result.errors.contains("trapping.swift:20: Fatal error: no config\""), "\(result.errors)")
  }

  @Test("A crash in the program's own code that a plugin calls is not the plugin's")
  func own() throws {
    try Repo.compile([Repo.fixture("healthy/trapping.swift")], to: directory.file("plugins/trapping.so"))
    let first = try run("swift", "own")
    #expect(first.status == -SIGILL)
    #expect(reports(first).isEmpty, "\(first.errors)")
    #expect(try run("swift", "text").text == "org.example.trapping admitted\n4 bytes\n")
  }

  @Test(
    "A crash in a function in C is reported, the next start quarantines its plugin, and the doctor names the location",
    arguments: [("segfault", SIGSEGV, "SIGSEGV", "write_nowhere"), ("stop", SIGABRT, "SIGABRT", "stop")])
  func c(function: String, signal: Int32, name: String, location: String) throws {
    try Repo.compile([Repo.fixture("healthy/crashing.c")], to: directory.file("plugins/crashing.so"))
    let first = try run("c", function)
    #expect(first.status == -signal)
    let line = "troupe: \(directory.file("plugins/crashing.so")): crashed with \(name), at \(location) (crashing.so+0x"
    #expect(reports(first).count == 1 && reports(first)[0].hasPrefix(line), "\(first.errors)")
    let second = try run("c", function)
    #expect(second.status == 69)
    #expect(second.text == "org.example.crashing quarantined\n")

    // Another probe would pass, so that no command of the fix may release the plugin.
    struct Report: Decodable {
      struct Cause: Decodable { let remedy, command: String }
      let cause: Cause
    }
    let plugins = directory.file("plugins")
    let variables = ["XDG_CACHE_HOME": directory.file("cache"), "XDG_STATE_HOME": directory.file("state")]
    let doctor = try TestSupport.run(
      unset(except: variables.keys) + [Repo.troupe, "doctor", "--plugins", plugins, "--json", "org.example.crashing"],
      environment: variables)
    #expect(doctor.status == 69)
    let cause = try JSONDecoder().decode(Report.self, from: Data(doctor.text.utf8)).cause
    #expect(cause.remedy.hasPrefix("fix the crash at \(location) (crashing.so+0x"), "\(cause.remedy)")
    #expect(cause.remedy.hasSuffix(") and rebuild it"))
    #expect(cause.command.hasPrefix("troupe doctor ") && !cause.command.contains("quarantine"), "\(cause.command)")
  }
}
