import CFunctions
import Foundation
import TroupeHost

/// What it costs to find and to load many plugins, beside what the loader takes for them. Each time is taken in a process of its own,
/// since a loader does not open a library twice.
enum PluginBenchmark {
  private static let tree = URL(filePath: #filePath).appending(path: "../../../..").standardized

  /// What a child of the benchmark does with the plugins in a folder.
  enum Work: String {
    case discover, open, load, enter

    /// Gives the nanoseconds that it takes.
    func run(_ folder: String) throws -> Double {
      let files = try FileManager.default.contentsOfDirectory(atPath: folder).map { folder + "/" + $0 }.sorted()
      let start = Measuring.now()
      switch self {
      case .discover: PluginHost(directories: [folder]).discover()
      case .load:
        let host = PluginHost(directories: [folder])
        host.load()
        let time = Measuring.now() - start
        precondition(host.plugins.count == files.count && host.plugins.allSatisfy { $0.state == .loaded })
        return time
      case .open: for file in files { precondition(open_library(file, 0) == 1) }
      case .enter: for file in files { precondition(open_library(file, 1) == 1) }
      }
      return Measuring.now() - start
    }
  }

  static func run(_ report: inout Report) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "troupe-benchmark-\(getpid())")
    defer { try? FileManager.default.removeItem(at: folder) }
    let (hundred, thousand) = (folder.appending(path: "100"), folder.appending(path: "1000"))
    try write(100, to: hundred)
    try write(1000, to: thousand)

    func nanoseconds(_ work: Work) throws -> Double {
      try (0..<5).map { _ in try Measuring.inChild(arguments: [work.rawValue, thousand.path]) }.min() ?? .nan
    }
    let (discover, open) = (try nanoseconds(.discover), try nanoseconds(.open))
    report.add("finding 1000 plugins, for each", nanoseconds: discover / 1000, discover / open)
    report.add("opening them, against finding them", nanoseconds: open / 1000, open / discover)
    report.add("microseconds to find one", discover / 1e6)
    let (load, enter) = (try nanoseconds(.load), try nanoseconds(.enter))
    report.add("loading them, against dlopen and entry", nanoseconds: load / 1000, load / enter)
    report.add("troupe list of 100, ms", list(hundred))
    report.add("troupe list of 1000, ms", list(thousand))
  }

  /// Copies of one plugin that differ in what has to differ.
  private static func write(_ count: Int, to folder: URL) throws {
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
    let library = try Data(contentsOf: tree.appending(path: "Benchmarks/.build/plugins/numbered.so"))
    for number in 0..<count {
      let digits = Data(String(String(1_000_000 + number).dropFirst()).utf8)
      var copy = library
      for text in ["org.example.numbered-", "b8b1f6a2-1c2d-4e3f-8a4b-5c6d7e"] {
        guard let place = copy.range(of: Data(text.utf8)) else { fatalError("the plugin has no \(text)") }
        copy.replaceSubrange(place.upperBound..<(place.upperBound + 6), with: digits)
      }
      let file = folder.appending(path: "\(number).so")
      try copy.write(to: file)
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file.path)
    }
  }

  /// How long the command takes for its list, from start to end, in milliseconds.
  private static func list(_ folder: URL) -> Double {
    (0..<10).map { _ in
      let time = run_program(tree.appending(path: ".build/release/troupe").path, "list", "--plugins", folder.path)
      precondition(time > 0, "troupe list failed")
      return time / 1e6
    }.min() ?? .nan
  }
}
