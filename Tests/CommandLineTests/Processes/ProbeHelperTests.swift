import Foundation
import TestSupport
import Testing

/// Hosts that have troupe-probe started instead of their own executable.
@Suite("The helper for probes", .timeLimit(.minutes(60)))
struct ProbeHelperTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
    try FileManager.default.createDirectory(atPath: directory.file("plugins"), withIntermediateDirectories: false)
  }

  private static let helper = URL(filePath: Repo.products + "/troupe-probe").resolvingSymlinksInPath().path

  /// A Swift program with a host. It finds libTroupe.so by LD_LIBRARY_PATH.
  private static func program() throws -> String { try programs.get().file("program") }

  private static let programs = Result {
    let directory = try TemporaryDirectory.untilExit()
    try succeed([
      "swiftc", "-swift-version", "6", "-I", Repo.products + "/Modules", "-I", Repo.headers, "-L", Repo.products, "-lTroupe",
      "-o", directory.file("program"), Repo.fixture("hosts/probing.swift"),
    ])
    return directory
  }

  private func add(_ fixtures: String...) throws {
    for fixture in fixtures {
      let name = URL(filePath: fixture).deletingPathExtension().lastPathComponent
      try Repo.compile([Repo.fixture(fixture)], to: directory.file("plugins/\(name).so"))
    }
  }

  /// Starts the program. Returns the standard executable for probes, a line for each plugin, and the text on standard error.
  private func start(
    library: String = Repo.products, _ environment: [String: String]
  ) throws -> (standard: String, plugins: [String], errors: String) {
    let variables = [
      "LD_LIBRARY_PATH": library, "XDG_CACHE_HOME": directory.file("cache"), "XDG_STATE_HOME": directory.file("state"),
    ].merging(environment) { _, new in new }
    let run = try run(
      unset(except: variables.keys) + ["timeout", "60", Self.program(), directory.file("plugins")], environment: variables)
    #expect(run.status == 0, "\(run.errors)")
    let lines = run.text.split(separator: "\n").map(String.init)
    return (lines.first ?? "", Array(lines.dropFirst()), run.errors)
  }

  /// Expects that the helper cannot be used, so that the host rejects a plugin with a fault that contains these parts.
  private func expectUnusable(
    _ helper: String, _ parts: String..., sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try add("healthy/naming.c")
    let (_, plugins, errors) = try start(["PROBE": helper])
    #expect(plugins == ["naming.so rejected missingResource"], sourceLocation: sourceLocation)
    for part in [
      "\(directory.file("plugins/naming.so")) is rejected, since it cannot be probed: the probe executable \(helper) "
    ]
      + parts
    {
      #expect(errors.contains(part), "\(errors)", sourceLocation: sourceLocation)
    }
  }

  @Test("A crashing and a hanging plugin are quarantined, a good one registers, and the program is not started")
  func probes() throws {
    try add("faulty/crash-in-entry.c", "faulty/hang-in-entry.c", "healthy/naming.c")
    let (_, plugins, errors) = try start(["PROBE": Self.helper])
    #expect(
      plugins == [
        "crash-in-entry.so quarantined crashed", "hang-in-entry.so quarantined timedOut", "naming.so active none",
      ])
    #expect(errors.contains("prints when it is loaded: \"\(Self.helper)\""), "\(errors)")
  }

  @Test("Without the option the program's own executable is started")
  func ownExecutable() throws {
    try add("healthy/naming.c")
    let (_, plugins, errors) = try start([:])
    #expect(plugins == ["naming.so active none"])
    #expect(errors.contains("prints when it is loaded: \"\(try Self.program())\""), "\(errors)")
  }

  @Test(
    "The standard helper of a build tree is beside its library, that of an installation in libexec", arguments: Place.allCases)
  func standard(place: Place) throws {
    let (library, helper) =
      switch place {
      case .built: (Repo.products, Self.helper)
      case .installed: (try Place.prefix() + "/lib", try Place.prefix() + "/libexec/troupe/troupe-probe")
      }
    try add("healthy/naming.c", "faulty/crash-in-entry.c")
    let standard = try start(library: library, ["PROBE": helper]).standard
    #expect(try Data(contentsOf: URL(filePath: standard)) == Data(contentsOf: URL(filePath: helper)))
    let (_, plugins, errors) = try start(library: library, ["PROBE": standard, "XDG_CACHE_HOME": directory.file("second")])
    #expect(plugins == ["crash-in-entry.so quarantined crashed", "naming.so active none"])
    #expect(errors.contains("prints when it is loaded: \"\(standard)\""), "\(errors)")
  }

  @Test("A package of another project has library and helper in the same directories as an installation")
  func package() throws {
    for name in ["lib", "libexec/troupe"] { try succeed(["mkdir", "-p", "-m", "755", directory.file("package/\(name)")]) }
    try succeed(["cp", Repo.products + "/libTroupe.so", directory.file("package/lib")])
    try succeed(["cp", Self.helper, directory.file("package/libexec/troupe")])
    try add("healthy/naming.c")
    let helper = directory.file("package/libexec/troupe/troupe-probe")
    let (standard, plugins, errors) = try start(library: directory.file("package/lib"), ["PROBE": helper])
    #expect(standard == helper)
    #expect(plugins == ["naming.so active none"])
    #expect(errors.contains("prints when it is loaded: \"\(helper)\""), "\(errors)")
  }

  @Test("A missing helper, a directory, and a file without the permission to execute are reported with the remedy")
  func missing() throws {
    try expectUnusable(directory.file("absent"), "does not exist; set the probe executable to", "or reinstall Troupe")
    try expectUnusable(directory.file("plugins"), "is not a regular file; set the probe executable to")
    let plain = try directory.write("plain", "".utf8)
    try expectUnusable(plain, "cannot be used: permission denied; set the probe executable to")
  }

  @Test("A helper that another user can change is not started")
  func untrusted() throws {
    let copy = directory.file("troupe-probe")
    try succeed(["cp", Self.helper, copy])
    try setMode(0o757, of: copy)
    try expectUnusable(copy, "is writable by all users; fix it with chmod o-w \(copy)")
    try succeed(["mkdir", directory.file("open")])
    try succeed(["cp", Self.helper, directory.file("open/troupe-probe")])
    try setMode(0o777, of: directory.file("open"))
    try expectUnusable(
      directory.file("open/troupe-probe"), "depends on \(directory.file("open"))",
      "writable by all users; fix it with chmod o-w")
  }

  @Test("A helper that is no program, that has no library, or that is another program is reported")
  func unanswering() throws {
    let text = try directory.write("text", "no program".utf8)
    try setMode(0o755, of: text)
    try expectUnusable(text, "cannot be started: exec format error; set the probe executable to")
    let alone = directory.file("alone")
    try succeed(["cp", Self.helper, alone])
    try expectUnusable(alone, "does not answer as a probe: it ended with status 70", "cannot open libTroupe.so")
    try expectUnusable("/bin/true", "does not answer as a probe: it ended with status 0; set the probe executable to")
  }

  @Test("A program that sets a helper and answers probes itself may set only one of both")
  func contradiction() throws {
    try add("healthy/naming.c")
    let (_, plugins, errors) = try start(["PROBE": Self.helper, "ANSWERS": "1"])
    #expect(plugins == ["naming.so rejected notProbed"])
    #expect(errors.contains("set only one of the options probeExecutable and answersProbes"), "\(errors)")
  }

  @Test("Stored results need no helper")
  func stored() throws {
    try add("healthy/naming.c")
    for helper in [Self.helper, directory.file("absent")] {
      #expect(try start(["PROBE": helper]).plugins == ["naming.so active none"])
    }
  }

  @Test("Started by hand, the helper prints one line that explains it, and ends with 64")
  func byHand() throws {
    let run = try run(["-u", "TROUPE_PROBE", Self.helper, "plugin.so"])
    #expect(run.status == 64)
    #expect(run.text == "")
    #expect(run.errorLines.count == 1)
    #expect(run.errors.hasPrefix("troupe-probe: "))
  }

  @Test(
    "With a channel that is not from a host, the helper ends with a message",
    arguments: [
      ("0", "no host sends a request on descriptor 0; unset TROUPE_PROBE"),
      ("7", "no host sends a request on descriptor 7; unset TROUPE_PROBE"),
      ("none", "the environment requests a role that this program does not have: TROUPE_PROBE=none; unset it"),
      ("worker:3:x", "no host shares memory on descriptor 3; unset TROUPE_PROBE"),
    ])
  func foreignChannel(value: String, problem: String) throws {
    let run = try run([Self.helper], environment: ["TROUPE_PROBE": value])
    #expect(run.status == 70)
    #expect(run.errorLines.count == 1 && run.errors.contains(problem), "\(run.errors)")
  }
}
