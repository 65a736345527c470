import CFunctions
import Foundation
import TroupeHost

/// The cost of finding and loading many plugins, as multiples of the time of the loader. Each time is taken in a process of
/// its own, since a loader does not open a library twice.
enum PluginBenchmark {
  private static let tree = URL(filePath: #filePath).appending(path: "../../../..").standardized

  /// The work of a child of the benchmark with the plugins of a directory.
  enum Work: String {
    case discover, open, load, enter, probe

    /// Gives the nanoseconds that it takes.
    func run(_ directory: String) async throws -> Double {
      let files = try FileManager.default.contentsOfDirectory(atPath: directory).map { directory + "/" + $0 }.sorted()
      let start = Measuring.now()
      switch self {
      case .discover:
        let host = PluginHost(directories: [directory])
        host.discover()
        let time = Measuring.now() - start
        precondition(host.plugins.count == files.count && host.plugins.allSatisfy { $0.state == .admitted })
        return time
      case .load:
        // All of them at once and in this process, as the loader does it.
        var options = PluginHost.Options(directories: [directory])
        (options.loading, options.probing) = (.eager, .never)
        let host = PluginHost(options)
        try host.load()
        let time = Measuring.now() - start
        precondition(host.plugins.count == files.count && host.plugins.allSatisfy { $0.state == .loaded })
        return time
      case .probe: return await lateness(directory)
      case .open: for file in files { precondition(open_library(file, 0) == 1) }
      case .enter: for file in files { precondition(open_library(file, 1) == 1) }
      }
      return Measuring.now() - start
    }

    /// Starts a host with new plugins, and returns by how many nanoseconds a task that sleeps for a millisecond at a time wakes too late
    /// at most.
    private func lateness(_ directory: String) async -> Double {
      let cache = FileManager.default.temporaryDirectory.appending(path: "troupe-benchmark-cache-\(getpid())").path
      defer { try? FileManager.default.removeItem(atPath: cache) }
      var options = PluginHost.Options(directories: [directory])
      (options.cacheDirectory, options.quarantineDirectory) = (cache, nil)
      let host = PluginHost(options)
      let clock = Task.detached {
        var worst = 0.0
        while !Task.isCancelled {
          let start = Measuring.now()
          try? await Task.sleep(for: .milliseconds(1))
          if !Task.isCancelled { worst = max(worst, Measuring.now() - start - 1e6) }
        }
        return worst
      }
      await host.start()
      clock.cancel()
      precondition(host.registrations.count == host.plugins.count)
      return await clock.value
    }
  }

  static func run(_ report: inout Report) throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "troupe-benchmark-\(getpid())")
    defer { try? FileManager.default.removeItem(at: directory) }
    // The quarantine and the cache of the user's hosts are not used.
    for variable in ["XDG_STATE_HOME", "XDG_CACHE_HOME"] { setenv(variable, directory.appending(path: variable).path, 1) }
    let (hundred, thousand, small) = (
      directory.appending(path: "100"), directory.appending(path: "1000"), directory.appending(path: "small")
    )
    // Finding is held against opening what people write, in the languages that they write it in: the smallest library in C that
    // there can be needs nothing but to be mapped, which nobody's plugins do.
    let examples = try examples()
    try write(100, of: examples, to: hundred)
    try write(1000, of: examples, to: thousand)
    // Loading is held against the bare entry of as many plugins in C, where the host's own part of it is largest.
    try write(1000, of: [try numbered()], to: small)

    func nanoseconds(_ work: Work, _ directory: URL) throws -> Double {
      try (0..<5).map { _ in try Measuring.inChild(arguments: [work.rawValue, directory.path]) }.min() ?? .nan
    }
    let (discover, open) = (try nanoseconds(.discover, thousand), try nanoseconds(.open, thousand))
    report.add("finding 1000 plugins, for each", nanoseconds: discover / 1000, discover / open)
    report.add("opening them, against finding them", nanoseconds: open / 1000, open / discover)
    report.add("microseconds to find one", discover / 1e6)
    let (found, opened) = (try nanoseconds(.discover, small), try nanoseconds(.open, small))
    report.add("opening the smallest, against finding them", nanoseconds: opened / 1000, opened / found)
    let (load, enter) = (try nanoseconds(.load, small), try nanoseconds(.enter, small))
    report.add("loading them, against dlopen and entry", nanoseconds: load / 1000, load / enter)
    let new = directory.appending(path: "new")
    try write(200, of: [try numbered()], to: new)
    report.add("a task beside the probing of 200, late by ms", try nanoseconds(.probe, new) / 1e6)
    report.add("probing 1000 new plugins, ms for each", probing(small, directory))
    report.add("troupe list of 100, ms", list(hundred))
    report.add("troupe list of 1000, ms", list(thousand))
    compare(&report, with: hundred)
  }

  /// The command's list beside that of GStreamer's own plugins, of which there are about as many in Debian, each from its registry.
  private static func compare(_ report: inout Report, with directory: URL) {
    let (name, other) = ("troupe list of 100 against gst-inspect", "/usr/bin/gst-inspect-1.0")
    guard FileManager.default.isExecutableFile(atPath: other) else { return report.omit(name, since: "not installed") }
    var (own, others): ([Double], [Double]) = ([], [])
    // The first time it makes its registry. In turn, so that both see the same machine.
    _ = run_program(other, "--no-colors", nil, nil)
    for _ in 0..<40 {
      own.append(time(of: directory))
      others.append(run_program(other, "--no-colors", nil, nil))
    }
    report.add(name, own.sorted()[20] / others.sorted()[20])
  }

  /// A plugin's file and the texts in it behind which every copy has a number of its own, of so many bytes.
  private typealias Original = (file: Data, places: [Range<Int>])

  /// The example plugins in C, C++ and Swift. Each copy has an id of its own, as long as the example's.
  private static func examples() throws -> [Original] {
    try ["base64", "counter", "dataurl", "geometry", "grep", "order", "wordcount"].map { name in
      let file = try Data(contentsOf: tree.appending(path: ".build/plugins/\(name).so"))
      return (file, [place(of: name, behind: "{\"id\":\"org.example.", in: file)])
    }
  }

  private static func numbered() throws -> Original {
    let file = try Data(contentsOf: tree.appending(path: "Benchmarks/.build/plugins/numbered.so"))
    let texts = ["org.example.numbered-", "b8b1f6a2-1c2d-4e3f-8a4b-5c6d7e"]
    return (file, texts.map { place(of: "000000", behind: $0, in: file) })
  }

  private static func place(of text: String, behind other: String, in file: Data) -> Range<Int> {
    guard let place = file.range(of: Data((other + text).utf8)) else { fatalError("a plugin has no \(other)\(text)") }
    return place.upperBound - text.utf8.count..<place.upperBound
  }

  /// Copies of some plugins in turn, which differ in what has to differ.
  private static func write(_ count: Int, of originals: [Original], to directory: URL) throws {
    try FileManager.default.createDirectory(
      at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
    for number in 0..<count {
      var (copy, places) = originals[number % originals.count]
      for place in places {
        let digits = String(repeating: "0", count: place.count) + String(number)
        copy.replaceSubrange(place, with: Data(digits.suffix(place.count).utf8))
      }
      let file = directory.appending(path: "\(number).so")
      try copy.write(to: file)
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file.path)
    }
  }

  /// How long the command takes to probe and load 1,000 plugins for the first time, in milliseconds for each.
  private static func probing(_ plugins: URL, _ directory: URL) -> Double {
    let command = tree.appending(path: ".build/release/troupe").path
    let cache = ProcessInfo.processInfo.environment["XDG_CACHE_HOME"] ?? ""
    defer { setenv("XDG_CACHE_HOME", cache, 1) }
    return (0..<3).map { round in
      setenv("XDG_CACHE_HOME", directory.appending(path: "cache \(round)").path, 1)
      let time = run_program(command, "resolve", "--plugins=" + plugins.path, "--tag=geometry")
      precondition(time > 0, "troupe resolve failed")
      return time / 1e9
    }.min() ?? .nan
  }

  /// How long the command takes for its list, from start to end, in milliseconds.
  private static func list(_ directory: URL) -> Double {
    (0..<10).map { _ in time(of: directory) / 1e6 }.min() ?? .nan
  }

  /// How long it takes once, in nanoseconds.
  private static func time(of directory: URL) -> Double {
    let time = run_program(tree.appending(path: ".build/release/troupe").path, "list", "--plugins", directory.path)
    precondition(time > 0, "troupe list failed")
    return time
  }
}
