import Foundation

/// The cost of many files with an output for each: `troupe run --output-directory` with one job, with two, and resumed, beside `base64` in
/// GNU parallel.
enum FileBenchmark {
  private static let tree = URL(filePath: #filePath).appending(path: "../../../..").standardized
  private static let count = 10_000
  private static let size = 65_536

  static func run(_ report: inout Report) throws {
    // In memory, since the speed of a disk varies more than the ratios.
    let memory = FileManager.default.isWritableFile(atPath: "/dev/shm")
    let base = memory ? URL(filePath: "/dev/shm") : FileManager.default.temporaryDirectory
    let directory = base.appending(path: "troupe-benchmark-\(getpid())")
    defer { try? FileManager.default.removeItem(at: directory) }
    let files = try write(to: directory)
    let (one, two) = try times(files, directory)
    // The fastest round of each.
    let (best, both) = (one.min() ?? .nan, two.min() ?? .nan)
    report.add("10,000 files through base64", nanoseconds: best / Double(count), 1)
    report.add("files in two jobs, against one", nanoseconds: both / Double(count), best / both)
    try resume(&report, files, directory)
    try compareWithParallel(&report, files, directory, both / Double(count))
  }

  /// Writes the files. Returns their paths in the directory.
  private static func write(to directory: URL) throws -> [String] {
    var generator = SystemRandomNumberGenerator()
    let bytes = Data((0..<size / 8).flatMap { _ in withUnsafeBytes(of: generator.next(), Array.init) })
    return try (0..<count).map { number in
      let path = "in/\(number / 100)/\(number).bin"
      let file = directory.appending(path: path)
      if number % 100 == 0 {
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      }
      try bytes.write(to: file)
      return path
    }
  }

  /// The nanoseconds of runs with one job and with two, in turns.
  private static func times(_ files: [String], _ directory: URL) throws -> (one: [Double], two: [Double]) {
    var (one, two): ([Double], [Double]) = ([], [])
    for _ in 0..<7 {
      try FileManager.default.removeItemIfExists(directory.appending(path: "1"))
      one.append(try troupe(["--output-directory", "1"] + files, directory))
      try FileManager.default.removeItemIfExists(directory.appending(path: "2"))
      two.append(try troupe(["--output-directory", "2", "--jobs", "2"] + files, directory))
    }
    return (one, two)
  }

  /// Removes half of the outputs and resumes the run. A rewritten file has another inode.
  private static func resume(_ report: inout Report, _ files: [String], _ directory: URL) throws {
    let output = directory.appending(path: "2")
    for path in files[(count / 2)...] { try FileManager.default.removeItem(at: output.appending(path: path)) }
    let before = try files.prefix(count / 2).map { try inode(output.appending(path: $0)) }
    let time = try troupe(["--output-directory", "2", "--jobs", "2", "--resume"] + files, directory)
    let after = try files.prefix(count / 2).map { try inode(output.appending(path: $0)) }
    report.add(
      "complete files that a resumed run repeats", nanoseconds: time / Double(count),
      Double(zip(before, after).count { $0 != $1 }))
    let outputs = try FileManager.default.subpathsOfDirectory(atPath: output.path).filter { $0.hasSuffix(".bin") }
    precondition(outputs.count == count)
  }

  private static func inode(_ file: URL) throws -> UInt64 {
    (try FileManager.default.attributesOfItem(atPath: file.path)[.systemFileNumber] as? UInt64) ?? 0
  }

  private static func compareWithParallel(_ report: inout Report, _ files: [String], _ directory: URL, _ unit: Double) throws {
    let name = "two jobs, against base64 in GNU parallel"
    let list = directory.appending(path: "list")
    try files.prefix(1_000).joined(separator: "\n").write(to: list, atomically: false, encoding: .utf8)
    try FileManager.default.createDirectory(at: directory.appending(path: "parallel"), withIntermediateDirectories: true)
    let script =
      "command -v parallel >/dev/null || exit 3; parallel --will-cite --jobs 2 'base64 {} > parallel/{#}' < list"
    let (status, time) = try program("/bin/sh", ["-c", script], directory)
    guard status == 0 else { return report.omit(name, since: "GNU parallel is missing") }
    report.add(name, unit / (time / 1_000))
  }

  /// The nanoseconds of a run of the command.
  private static func troupe(_ words: [String], _ directory: URL) throws -> Double {
    let build = tree.appending(path: ".build")
    let plugins = ["run", "--tag", "base64-encode", "--plugins", build.appending(path: "plugins").path]
    let (status, time) = try program(build.appending(path: "release/troupe").path, plugins + words, directory)
    precondition(status == 0, "troupe run ended with \(status)")
    return time
  }

  /// Runs a program in a directory. Returns its status, and the nanoseconds until it closes standard output: `Process` reports the end late.
  private static func program(_ path: String, _ words: [String], _ directory: URL) throws -> (status: Int32, time: Double) {
    let (process, output) = (Process(), Pipe())
    (process.executableURL, process.arguments, process.currentDirectoryURL) = (URL(filePath: path), words, directory)
    process.standardOutput = output
    let start = Measuring.now()
    try process.run()
    _ = output.fileHandleForReading.readDataToEndOfFile()
    let time = Measuring.now() - start
    process.waitUntilExit()
    return (process.terminationStatus, time)
  }
}

extension FileManager {
  fileprivate func removeItemIfExists(_ url: URL) throws {
    if fileExists(atPath: url.path) { try removeItem(at: url) }
  }
}
