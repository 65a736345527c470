import Foundation
import TestSupport
import Testing

/// `--output-directory`, `--jobs` and `--resume` of `troupe run` and `troupe map`.
@Suite("Many files", .timeLimit(.minutes(60)))
struct ManyFilesTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  /// Runs the command in the directory, with the example plugins.
  private func troupe(_ words: String...) throws -> Run {
    try run(
      unset() + [Repo.troupe] + words.prefix(1) + ["--plugins", Examples.directory()] + words.dropFirst(),
      directory: directory.path)
  }

  /// Writes files with different content below the directory. Returns their paths.
  private func addFiles(_ count: Int) throws -> [String] {
    try (0..<count).map { number in
      let subdirectory = "in/\(number % 7)"
      try FileManager.default.createDirectory(atPath: directory.file(subdirectory), withIntermediateDirectories: true)
      try directory.write("\(subdirectory)/\(number).bin", "file \(number)".utf8)
      return "\(subdirectory)/\(number).bin"
    }
  }

  /// The names of all files below a subdirectory, with their content.
  private func contents(_ subdirectory: String) throws -> [String: String] {
    guard let names = FileManager.default.enumerator(atPath: directory.file(subdirectory)) else { return [:] }
    var contents: [String: String] = [:]
    for case let name as String in names where names.fileAttributes?[.type] as? FileAttributeType == .typeRegular {
      contents[name] = try String(contentsOfFile: directory.file("\(subdirectory)/\(name)"), encoding: .utf8)
    }
    return contents
  }

  private func encoded(_ paths: [String]) -> [String: String] {
    let text = { (path: String) in "file \(path.split(separator: "/").last?.prefix { $0 != "." } ?? "")" }
    return Dictionary(uniqueKeysWithValues: paths.map { ($0, Data(text($0).utf8).base64EncodedString() + "\n") })
  }

  private func setTime(_ path: String, _ seconds: Int) throws {
    try #require(utimes(directory.file(path), [timeval](repeating: timeval(tv_sec: seconds, tv_usec: 0), count: 2)) == 0)
  }

  @Test("Each file has an output below the directory, with any number of jobs", arguments: ["1", "3", "1024"])
  func outputs(jobs: String) throws {
    let files = try addFiles(50)
    let words = ["--tag", "base64-encode", "--output-directory", "out", "--jobs", jobs]
    let result = try run(
      unset() + [Repo.troupe, "run", "--plugins", Examples.directory()] + words + files, directory: directory.path)
    #expect(output(of: result) == "")
    #expect(try contents("out") == encoded(files))
  }

  @Test("The path of an output is that of its file, without its first slash and single dots")
  func paths() throws {
    _ = try addFiles(1)
    #expect(
      try output(
        of: troupe(
          "run", "--tag", "base64-encode", "--output-directory", "out", ".//in/./0/0.bin", directory.file("in/0/0.bin")))
        == "")
    #expect(Set(try contents("out").keys) == ["in/0/0.bin", String(directory.file("in/0/0.bin").dropFirst())])
  }

  @Test("Files without a place for their outputs, and options that do not fit, are refused before any file is processed")
  func refusals() throws {
    _ = try addFiles(2)
    let output = ["--output-directory", "out"]
    for (words, problem) in [
      (output + ["in/0/0.bin", "in/../in/1/1.bin"], "in/../in/1/1.bin: has no place in the output directory"),
      (output + ["in/0/0.bin", "-"], "--output-directory: standard input"),
      (output, "--output-directory: standard input"),
      (output + ["in/0/0.bin", "./in/0/0.bin"], "is the output of in/0/0.bin and of ./in/0/0.bin"),
      (output + ["--jobs", "0", "in/0/0.bin"], "--jobs"),
      (["--resume", "in/0/0.bin"], "--resume: needs --output-directory"),
      (["--jobs", "2", "in/0/0.bin"], "--jobs: needs --output-directory"),
    ] {
      let result = try run(
        unset() + [Repo.troupe, "run", "--tag", "base64-encode", "--plugins", Examples.directory()] + words,
        directory: directory.path)
      expectFailure(result, 64, problem)
    }
    expectFailure(try troupe("map", "hypot", "-o", "x.csv", "--output-directory", "out", "in/0/0.bin"), 64, "-o: excludes")
    #expect(try contents("out") == [:])
    try directory.write("file", "".utf8)
    expectFailure(try troupe("run", "--tag", "base64-encode", "--output-directory", "file", "in/0/0.bin"), 74, "file/in/0")
  }

  @Test("An unknown tag is an error of the command line, and creates no directory")
  func unknownTag() throws {
    _ = try addFiles(2)
    for words in [[], ["--resume"]] {
      let result = try run(
        unset() + [Repo.troupe, "run", "--tag", "unknown", "--plugins", Examples.directory(), "--output-directory", "out"]
          + words
          + ["in/0/0.bin", "in/1/1.bin"], directory: directory.path)
      expectFailure(result, 69, "unknown")
      #expect(!FileManager.default.fileExists(atPath: directory.file("out")))
    }
  }

  @Test("All jobs process a file at the same time")
  func jobs() throws {
    let count = 12
    let pipes = (0..<count).map { directory.file("pipe\($0)") }
    for pipe in pipes { try #require(mkfifo(pipe, 0o600) == 0) }
    let words = ["--tag", "base64-encode", "--jobs", "\(count)", "--output-directory", directory.file("out")] + pipes
    let process = try SpawnedProcess(
      [Repo.troupe, "run", "--plugins", try Examples.directory()] + words, environment: ["PATH": "/usr/bin:/bin"])
    // A pipe opens for writing when the command reads it. The last one opens first, so all jobs have to wait for their files.
    let writers = try pipes.reversed().map { try FileHandle(forWritingTo: URL(filePath: $0)) }
    for writer in writers { try writer.close() }
    #expect(output(of: try process.wait()) == "")
    #expect(try contents("out").count == count)
  }

  @Test("A crash in a worker fails its file, and the others are processed")
  func crash() throws {
    let plugins = try TemporaryDirectory()
    try Repo.compile(
      [Repo.fixture("isolation/functions.c")], to: plugins.file("functions.so"), options: ["-DID=\"org.example.functions\""])
    for (name, how) in [("a", "return"), ("b", "crash"), ("c", "return")] { try directory.write(name, "how\n\(how)\n".utf8) }
    let command =
      unset() + [
        Repo.troupe, "map", "misbehave", "--isolate", "all", "--log", "error", "--plugins", plugins.path, "--output-directory",
        "out", "a", "b",
        "c",
      ]
    let result = try run(command, directory: directory.path)
    #expect(result.status == 69 && result.errorLines.count == 2, "\(result.errors)")
    #expect(result.errors.hasPrefix("troupe: b:") && result.errors.contains("1 of 3 files failed"), "\(result.errors)")
    #expect(try contents("out") == ["a": "how,misbehave\nreturn,0\n", "c": "how,misbehave\nreturn,0\n"])
  }

  @Test("nohup keeps its effect: a command that ignores SIGHUP continues")
  func ignoredSignal() throws {
    try #require(mkfifo(directory.file("pipe"), 0o600) == 0)
    let line = "trap '' HUP; exec \"$0\" run --tag base64-encode --plugins \"$1\" --output-directory \"$2\" \"$3\""
    let process = try SpawnedProcess(
      ["/bin/sh", "-c", line, Repo.troupe, try Examples.directory(), directory.file("out"), directory.file("pipe")],
      environment: ["PATH": "/usr/bin:/bin"])
    let writer = try FileHandle(forWritingTo: URL(filePath: directory.file("pipe")))
    kill(process.processID, SIGHUP)
    try writer.write(contentsOf: Data("file".utf8))
    try writer.close()
    #expect(output(of: try process.wait()) == "")
    #expect(try contents("out").values.first == "ZmlsZQ==\n")
  }

  @Test("An output replaces no file that is an input, also through a symbolic link")
  func ownOutput() throws {
    try FileManager.default.createDirectory(atPath: directory.file("x/in/0"), withIntermediateDirectories: true)
    try directory.write("x/in/0/0.bin", "another input".utf8)
    _ = try addFiles(1)
    try #require(symlink(".", directory.file("link")) == 0)
    for output in [".", "link"] {
      let result = try troupe("run", "--tag", "base64-encode", "--output-directory", output, "in/0/0.bin")
      #expect(result.status == 64 && result.errors.contains("in/0/0.bin: is an input, too"), "\(result.errors)")
    }
    let other = try troupe("run", "--tag", "base64-encode", "--output-directory", "x", "in/0/0.bin", "x/in/0/0.bin")
    #expect(other.status == 64 && other.errors.contains("x/in/0/0.bin: is an input, too"), "\(other.errors)")
    // An output that is another input is not a complete output.
    let resumed = try troupe(
      "run", "--tag", "base64-encode", "--output-directory", "x", "--resume", "in/0/0.bin", "x/in/0/0.bin")
    #expect(resumed.status == 64, "\(resumed.errors)")
    #expect(try contents("in") == ["0/0.bin": "file 0"])
    #expect(try contents("x/in") == ["0/0.bin": "another input"])
  }

  @Test("A resumed command repeats no complete file, and repeats files that are newer than their outputs")
  func resume() throws {
    let files = try addFiles(30)
    let command = unset() + [Repo.troupe, "run", "--tag", "base64-encode", "--plugins", try Examples.directory()]
    let words = ["--output-directory", "out", "--jobs", "2"]
    #expect(output(of: try run(command + words + files.prefix(20), directory: directory.path)) == "")
    // Other content with a time of its own shows which outputs are written again.
    for path in files.prefix(20) {
      try directory.write("out/" + path, "kept".utf8)
      try setTime(path, 1000)
      try setTime("out/" + path, 1000)
    }
    try setTime(files[3], 1001)
    #expect(output(of: try run(command + words + ["--resume"] + files, directory: directory.path)) == "")
    var expected = encoded(files)
    for path in files.prefix(20) where path != files[3] { expected[path] = "kept" }
    #expect(try contents("out") == expected)
    #expect(output(of: try run(command + words + files, directory: directory.path)) == "")
    #expect(try contents("out") == encoded(files))
  }

  @Test("A failing file keeps its former output, and the others are processed")
  func failures() throws {
    let paths = try addFiles(14)
    for path in paths.dropFirst(2) { try directory.write(path, "====".utf8) }
    for path in paths.prefix(2) { try directory.write(path, "aGVsbG8=".utf8) }
    try FileManager.default.createDirectory(atPath: directory.file("out/in/2"), withIntermediateDirectories: true)
    try directory.write("out/in/2/2.bin", "former".utf8)
    let result = try run(
      unset() + [Repo.troupe, "run", "--tag", "base64-decode", "--plugins", Examples.directory(), "--output-directory", "out"]
        + paths,
      directory: directory.path)
    #expect(result.status == 65)
    // Ten failures, and the number of all.
    #expect(result.errorLines.count == 11 && result.errorLines.last == "troupe: 12 of 14 files failed", "\(result.errors)")
    #expect(result.errorLines.first?.hasPrefix("troupe: in/2/2.bin: base64-decode") == true)
    #expect(try contents("out") == ["in/0/0.bin": "hello", "in/1/1.bin": "hello", "in/2/2.bin": "former"])
  }

  @Test("A command that ends in the middle leaves no incomplete output", arguments: [SIGTERM, SIGINT, SIGHUP, SIGKILL])
  func interruption(signal: Int32) throws {
    try #require(mkfifo(directory.file("pipe"), 0o600) == 0)
    let home = try TemporaryDirectory()
    let words = ["--tag", "base64-encode", "--output-directory", directory.file("out"), directory.file("pipe")]
    let process = try SpawnedProcess(
      [Repo.troupe, "run", "--plugins", try Examples.directory()] + words,
      environment: ["PATH": "/usr/bin:/bin", "HOME": home.path])
    // Opens when the command reads the file, and so after it has created the output.
    let writer = try FileHandle(forWritingTo: URL(filePath: directory.file("pipe")))
    try writer.write(contentsOf: Data(count: 300_000))
    let before = try contents("out").keys
    #expect(before.count == 1 && before.first?.contains("/.pipe.") == true)
    kill(process.processID, signal)
    let run = try process.wait()
    #expect(run.status == -signal, "\(run.errors)")
    #expect(try contents("out").count == (signal == SIGKILL ? 1 : 0))
    try writer.close()

    // The same command completes the output, and removes what a killed one left an hour ago.
    for name in try contents("out").keys { try setTime("out/" + name, 1000) }
    try FileManager.default.removeItem(atPath: directory.file("pipe"))
    try directory.write("pipe", "file".utf8)
    let path = String(directory.file("pipe").dropFirst())
    #expect(try output(of: troupe("run", "--tag", "base64-encode", "--output-directory", "out", directory.file("pipe"))) == "")
    #expect(try contents("out") == [path: "ZmlsZQ==\n"])
  }

  @Test("A signal leaves no temporary file while other jobs create further ones")
  func interruptedJobs() throws {
    try #require(mkfifo(directory.file("pipe"), 0o600) == 0)
    let files = try [directory.file("pipe")] + addFiles(2000).map(directory.file)
    let words = ["--tag", "base64-encode", "--jobs", "3", "--output-directory", directory.file("out")]
    let process = try SpawnedProcess(
      [Repo.troupe, "run", "--plugins", try Examples.directory()] + words + files, environment: ["PATH": "/usr/bin:/bin"])
    let writer = try FileHandle(forWritingTo: URL(filePath: directory.file("pipe")))
    kill(process.processID, SIGTERM)
    #expect(try process.wait().status == -SIGTERM)
    #expect(try contents("out").keys.allSatisfy { !$0.hasSuffix("troupe-partial") })
    try writer.close()
  }

  @Test("Too few descriptors or a wrong name end the command before it processes a file")
  func resources() throws {
    let files = try addFiles(100).joined(separator: " ")
    let run = "cd '\(directory.path)' && \"$troupe\" run --tag base64-encode --plugins \"$plugins\" --output-directory out"
    expectFailure(try shell("ulimit -n 64; \(run) --jobs 100 \(files)"), 71, "--jobs: only", "ulimit -n")
    #expect(try output(of: shell("ulimit -n 64; \(run) --jobs 10 \(files)")) == "")
    #expect(try contents("out").count == 100)
    expectFailure(try shell("\(run) ''"), 64, "FILE: is empty")
  }

  @Test("A link in the output directory gives no two files one output")
  func links() throws {
    for name in ["a", "b", "out/b"] {
      try FileManager.default.createDirectory(atPath: directory.file(name), withIntermediateDirectories: true)
    }
    for name in ["a/1", "b/1"] { try directory.write(name, "x".utf8) }
    try #require(symlink("b", directory.file("out/a")) == 0)
    let result = try troupe("run", "--tag", "base64-encode", "--output-directory", "out", "a/1", "b/1")
    expectFailure(result, 64, "is the output of two files")
    #expect(try contents("out") == [:])
  }

  @Test("A file that is missing or a directory fails alone")
  func missing() throws {
    let files = try addFiles(2)
    let result = try troupe("run", "--tag", "base64-encode", "--output-directory", "out", "gone", files[0], "in", files[1])
    #expect(result.status == 66 && result.errorLines.count == 3, "\(result.errors)")
    #expect(result.errors.hasPrefix("troupe: gone: cannot be read") && result.errors.contains("2 of 4 files failed"))
    #expect(try contents("out") == encoded(files))
  }

  @Test("Names are bytes: two spellings of a letter are two files")
  func spellings() throws {
    let names = ["d\u{E9}/1", "de\u{301}/1"]
    for name in names {
      try FileManager.default.createDirectory(
        atPath: directory.path + "/" + name.split(separator: "/")[0], withIntermediateDirectories: false)
      try directory.write(name, "x".utf8)
    }
    #expect(try output(of: troupe("run", "--tag", "base64-encode", "--output-directory", "out", names[0], names[1])) == "")
    for name in names { #expect(FileManager.default.fileExists(atPath: directory.file("out/\(name)"))) }
  }

  @Test("Each table has an output with its own header, and a failing one has none")
  func tables() throws {
    try directory.write("1.csv", "width,height\n3,4.5\n".utf8)
    try directory.write("2.csv", "name,height,width\na,12,5\n".utf8)
    try directory.write("3.csv", "width,height\n3,4\n3,z\n".utf8)
    let result = try troupe("map", "area", "--output-directory", "out", "--jobs", "2", "1.csv", "2.csv", "3.csv")
    #expect(result.status == 65 && result.errorLines.count == 2, "\(result.errors)")
    #expect(result.errors.contains("3.csv:3: ") && result.errors.contains("1 of 3 files failed"))
    #expect(
      try contents("out") == ["1.csv": "width,height,area\n3,4.5,13.5\n", "2.csv": "name,height,width,area\na,12,5,60.0\n"])
    try directory.write("out/1.csv", "kept".utf8)
    #expect(try output(of: troupe("map", "area", "--output-directory", "out", "--resume", "1.csv", "2.csv")) == "")
    #expect(try contents("out")["1.csv"] == "kept")
  }

  @Test("A function that is not declared callable on any thread is not called by several jobs")
  func threads() throws {
    try directory.write("1.csv", "x\nabc\n".utf8)
    try FileManager.default.createDirectory(
      atPath: directory.file("plugins"), withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755])
    try directory.write(
      "plugins/own.troupe.json",
      """
      {
        "id": "org.example.own", "name": "Own", "version": "1.0.0", "library": "libc.so.6",
        "functions": [
          {"uuid": "0d6a7f10-52c5-4a3c-9a1b-3f6f0b0c9a78", "name": "length", "symbol": "strlen", "signature": "size_t (const char *x)"}
        ]
      }

      """.utf8)
    let command = unset() + [Repo.troupe, "map", "length", "--plugins", "plugins", "--output-directory", "out", "1.csv"]
    expectFailure(try run(command + ["--jobs", "2"], directory: directory.path), 64, "--jobs: length is not declared callable")
    #expect(output(of: try run(command, directory: directory.path)) == "")
    #expect(try contents("out") == ["1.csv": "x,length\nabc,3\n"])
  }

  @Test("The commands of the guide share the files among threads, processes and jobs")
  func guide() throws {
    let blocks = try Document("Documentation/TroupeCommand.docc/ManyFiles.md").blocks("sh")
    #expect(blocks.count == 4)
    let files = try addFiles(600)
    try directory.write("files.txt", (files.joined(separator: "\n") + "\n").utf8)
    let path = "\(Repo.products):\(ProcessInfo.processInfo.environment["PATH"] ?? "")"
    let home = try TemporaryDirectory()
    for (index, block) in blocks.enumerated() {
      // The last command takes one half of the files in each of two jobs; the one to continue finds complete outputs.
      for job in index == 3 ? 0..<2 : 0..<1 {
        let result = try run(
          unset(except: ["HOME"]) + ["sh", "-c", "export TROUPE_PLUGIN_PATH=$plugins\n" + block],
          environment: [
            "PATH": path, "plugins": Examples.directory(), "SLURM_ARRAY_TASK_ID": "\(job)", "SLURM_ARRAY_TASK_COUNT": "2",
            "HOME": home.path,
          ], directory: directory.path)
        #expect(output(of: result) == "")
        if index == 3, job == 0 { #expect(try contents("out").count == 300) }
      }
      #expect(try contents("out") == encoded(files))
      if index != 0 { try FileManager.default.removeItem(atPath: directory.file("out")) }
    }
  }
}
