import Foundation
import TestSupport
import Testing

@Suite("Plugins in workers of the command")
struct IsolationTests {
  private static let plugins = Result {
    let directory = try TemporaryDirectory.untilExit()
    try Repo.compile([Repo.fixture("isolation/functions.c")], to: directory.file("functions.so"))
    return directory
  }

  /// Runs the command with the plugin.
  private func troupe(_ arguments: String...) throws -> Run {
    try run([Repo.troupe] + arguments + ["--plugins", Self.plugins.get().path])
  }

  @Test("--isolate runs a call in a worker, and a crash ends the call only")
  func call() throws {
    let area = try troupe("call", "area", "3", "4.5", "--isolate", "all")
    #expect(area.status == 0 && area.text == "13.5\n")
    // The plugin has a function that a worker cannot call, which is not the one that is called.
    #expect(area.errors == "")
    let unavailable = try troupe("call", "unknown_extent", "null", "--isolate", "all")
    #expect(unavailable.status == 69 && unavailable.errors.contains("values is a pointer of unknown extent"))
    let crash = try troupe("call", "misbehave", "crash", "--isolate", "org.example.functions")
    #expect(crash.status == 69)
    #expect(crash.errors.contains("SIGSEGV") && crash.errors.contains("functions.so+0x"))
    #expect(try troupe("call", "misbehave", "socket", "--isolate", "all").text == "-1\n")
    let refused = try troupe("call", "misbehave", "trace", "--isolate", "all")
    #expect(refused.status == 77 && refused.errors.contains("ptrace; fix the plugin, or allow the call with syscalls:ptrace"))
  }

  @Test(
    "Asynchronous and main-actor factories are awaited in a worker, also if the plugin brings the run loop of Foundation",
    arguments: ["", "import Foundation\n"])
  func awaited(imports: String) throws {
    let (directory, sources) = (try TemporaryDirectory(), try TemporaryDirectory())
    let source = try imports + String(contentsOfFile: Repo.fixture("healthy/contexts.swift"), encoding: .utf8)
    try Repo.compile([try sources.write("Contexts.swift", source.utf8)], to: directory.file("contexts.so"))
    for (tag, marks) in [("context", "abcd"), ("scoped", "e")] {
      let command = [Repo.troupe, "run", "--tag", tag, "--isolate", "all", "--plugins", directory.path]
      let stages = try run(command, input: Data("> ".utf8))
      #expect(stages.status == 0 && stages.text == "> " + marks, "\(stages.errors)")
    }
  }

  @Test("--deadline ends a call, and needs --isolate")
  func deadline() throws {
    let late = try troupe("call", "misbehave", "hang", "--isolate", "all", "--deadline", "2")
    #expect(late.status == 69)
    #expect(try troupe("call", "area", "3", "4", "--deadline", "2").status == 64)
  }

  @Test("A policy grants paths; a wrong one names the setting")
  func policy() throws {
    let files = try TemporaryDirectory()
    let file = try files.write("file", [1])
    #expect(try troupe("call", "read_file", file, "--isolate", "all").text == "-13\n")
    #expect(try troupe("call", "read_file", file, "--isolate", "all=read:\(files.path),memory:1G").text == "0\n")
    #expect(try troupe("call", "misbehave", "socket", "--isolate", "all=syscalls:socket").text == "0\n")
    let shell = ["env", "OMP_NUM_THREADS=5"]
    let variable = try run(
      shell + [Repo.troupe, "call", "variable", "OMP_NUM_THREADS", "--isolate", "all=env:OMP_NUM_THREADS"]
        + ["--plugins", Self.plugins.get().path])
    #expect(variable.text == "5\n")
    let misspelled = try troupe("call", "area", "3", "4", "--isolate", "all=syscalls:get_mempolcy")
    #expect(misspelled.status == 64 && misspelled.errors.contains("did you mean \"get_mempolicy\"?"))
    for wrong in [
      "all=read:relative", "all=memory:much", "all=env:LD_PRELOAD", "all=syscalls:", "all=speed:1", "=read:/",
      "org.example.other", "all=require:walls",
    ] {
      let result = try troupe("call", "area", "3", "4", "--isolate", wrong)
      #expect(result.status == 64 && result.errors.hasPrefix("troupe: --isolate"), "\(wrong): \(result.errors)")
    }
  }

  @Test("run, map and workers use workers")
  func others() throws {
    let files = try TemporaryDirectory()
    let input = try files.write("input", Array("text".utf8))
    let stream = try troupe("run", "--tag", "pass", "--arg", "0", "--isolate", "all", input)
    #expect(stream.status == 0 && stream.text == "text.")
    let table = try files.write("table.csv", Array("width,height\n1,2\n3,4\n".utf8))
    let map = try troupe("map", "area", table, "--isolate", "all")
    #expect(map.status == 0 && map.text.contains("12"))
    struct Worker: Decodable {
      let name: String
      let calls, restarts: Int
      let enforced: [String]
    }
    let workers = try JSONDecoder().decode([Worker].self, from: troupe("workers", "--json").output)
    #expect(workers.map(\.name) == ["org.example.functions"])
    #expect(workers[0].calls > 1000 && workers[0].restarts == 0 && workers[0].enforced.contains("calls"))
  }

  @Test("workers fails if no plugin runs in a worker since all are at fault, and not in an empty directory")
  func noWorkers() throws {
    let directory = try TemporaryDirectory()
    let words = [Repo.troupe, "workers", "--plugins", directory.path]
    #expect(try run(unset() + words).status == 0)
    let text = try directory.write("text.so", "no library".utf8)
    for format in [[], ["--json"]] {
      let result = try run(unset() + words + format)
      #expect(result.status == 69 && result.errors.contains("\(text): is not an ELF file"), "\(result)")
    }
    try succeed(["rm", text])
    try Repo.compile([Repo.fixture("faulty/abort.c")], to: directory.file("abort.so"))
    #expect(try run(unset() + words).status == 69)
    #expect(try run(unset() + words + ["--isolate", "org.example.abort"]).status == 69)
  }

  @Test("The last lines of a plugin that ends its worker are part of the error")
  func lastLines() throws {
    let aborted = try troupe("call", "tell", "7", "2", "--isolate", "all")
    #expect(aborted.status == 69)
    #expect(aborted.errors.contains("crashed (SIGABRT) in tell (functions.so+0x"))
    #expect(aborted.errors.contains("and said \"line 7 / rest of 7\""))
    let exited = try troupe("call", "tell", "7", "3", "--isolate", "all")
    #expect(exited.status == 69 && exited.errors.contains("exited with status 3"))
    #expect(exited.errors.contains("and said \"line 7 / rest of 7\""))
  }

  private static let hasFortran = FileManager.default.isExecutableFile(atPath: "/usr/bin/gfortran")

  @Test(
    "What a Fortran plugin prints comes before the result, and is part of the error", .enabled(if: hasFortran, "needs gfortran")
  )
  func fortran() throws {
    let directory = try TemporaryDirectory()
    let plugins = try TemporaryDirectory()
    try succeed([
      "gcc", "-std=gnu11", "-fPIC", "-c", "-I", Repo.headers, "-o", directory.file("telling.o"),
      Repo.fixture("isolation/telling.c"),
    ])
    try succeed([
      "gfortran", "-fPIC", "-shared", "-J", directory.path, "-o", plugins.file("telling.so"),
      Repo.fixture("isolation/telling.f90"),
      directory.file("telling.o"),
    ])
    // To a file, since the library of Fortran does not buffer for a pipe.
    let output = directory.file("output")
    let command = "'\(Repo.troupe)' call tell 3 --plugins '\(plugins.path)' >'\(output)' 2>&1"
    #expect(try run(["sh", "-c", command]).status == 0)
    #expect(try String(contentsOfFile: output, encoding: .utf8) == "line 3\n4\n")
    let aborted = try run([Repo.troupe, "call", "tell", "--isolate", "all", "--plugins", plugins.path, "--", "-3"])
    #expect(aborted.status == 69 && aborted.errors.contains("line -3"), "\(aborted.errors)")
  }

  @Test("A killed command leaves no worker behind")
  func killed() throws {
    let environment = ProcessInfo.processInfo.environment
    let command = [Repo.troupe, "call", "misbehave", "hang", "--isolate", "all", "--plugins", try Self.plugins.get().path]
    var host: SpawnedProcess? = try SpawnedProcess(command, environment: environment)
    // The worker is a child of the host.
    var worker: String?
    while worker == nil {
      sched_yield()
      worker = try Self.children(of: #require(host).processID).first
    }
    let status = "/proc/\(try #require(worker))/stat"
    #expect(FileManager.default.fileExists(atPath: status))
    host = nil
    while let text = try? String(contentsOfFile: status, encoding: .utf8), !text.contains(") Z ") { sched_yield() }
  }

  /// The children of all threads of a process.
  private static func children(of process: pid_t) -> [String] {
    let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task")) ?? []
    return tasks.flatMap { task in
      let text = try? String(contentsOfFile: "/proc/\(process)/task/\(task)/children", encoding: .utf8)
      return (text ?? "").split(separator: " ").map(String.init)
    }
  }

  @Test("A trap and an error of a plugin in Swift end the call only")
  func swiftPlugin() throws {
    let directory = try TemporaryDirectory()
    let source = try directory.write(
      "Trap.swift",
      Array(
        """
        import Troupe

        final class Trap: Transform {
          func feed(_ bytes: Span<UInt8>, to output: any TransformOutput) throws {
            if bytes.count == 4 { fatalError("four bytes") }
            if bytes.count == 5 { throw TransformError("five bytes") }
            try output.write("\\(bytes.count)")
          }
          func finish(to output: any TransformOutput) throws {}
        }

        @Plugin(id: "org.example.trap", name: "Trap", version: "1.0.0")
        struct TrapPlugin: Assembly {
          func register(in registrar: any Registrar) {
            registrar.register((any Transform).self, tags: "trap") { _ in Trap() }
          }
        }
        """.utf8))
    let plugins = try TemporaryDirectory()
    try Repo.compile([source], to: plugins.file("trap.so"))
    func outcome(_ text: String) throws -> Run {
      let input = try directory.write("input", Array(text.utf8))
      return try run([Repo.troupe, "run", "--tag", "trap", "--isolate", "all", "--plugins", plugins.path, input])
    }
    #expect(try outcome("abc").text == "3")
    let trap = try outcome("abcd")
    #expect(trap.status == 69 && trap.errors.contains("its worker crashed"))
    let error = try outcome("abcde")
    #expect(error.status == 65 && error.errors.contains("five bytes"))
  }
}
