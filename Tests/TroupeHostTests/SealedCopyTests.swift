import Foundation
import TestSupport
import Testing

@testable import TroupeFiles
@testable import TroupeHost
@testable import TroupeSandbox

@Suite("Sealed copies") struct SealedCopyTests {
  private static func copy(_ path: String, name: String = "org.example.copy") throws -> SealedCopy {
    try SealedCopy(of: RegularFile(path: path), name: name)
  }

  @Test("A copy has the file's content and cannot be written, truncated or extended")
  func sealed() throws {
    let directory = try TemporaryDirectory()
    let content = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    let copy = try Self.copy(directory.write("file", content))
    #expect(try copy.bytes.read(at: 0, count: content.count) == content)
    #expect(try ContentHash(of: copy.bytes) == ContentHash(of: content))
    let descriptor = open(copy.path, O_RDWR)
    defer { close(descriptor) }
    #expect(descriptor >= 0)
    #expect(write(descriptor, [1], 1) < 0 && errno == EPERM)
    #expect(ftruncate(descriptor, 1) < 0 && errno == EPERM)
    #expect(ftruncate(descriptor, 2_000_000) < 0 && errno == EPERM)
    #expect(mmap(nil, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0) == MAP_FAILED)
    #expect(try copy.bytes.read(at: 0, count: content.count) == content)
  }

  @Test("A copy is made of the open file, not of its replacement")
  func swapped() throws {
    let directory = try TemporaryDirectory()
    let file = try RegularFile(path: directory.write("file", "first".utf8))
    try directory.write("other", "second".utf8)
    #expect(rename(directory.file("other"), directory.file("file")) == 0)
    #expect(try ContentHash(of: SealedCopy(of: file, name: "x").bytes) == ContentHash(of: Array("first".utf8)))
  }

  @Test("A file that has become shorter gives no copy")
  func shorter() throws {
    let directory = try TemporaryDirectory()
    let file = try RegularFile(path: directory.write("file", "first".utf8))
    #expect(truncate(directory.file("file"), 1) == 0)
    let failure = try #require(throws: Diagnosis.self) { try SealedCopy(of: file, name: "x") }
    #expect(failure.code == .changed)
  }

  @Test("A file above the process's limit of file sizes is not copied, and the process continues")
  func limited() async throws {
    await #expect(processExitsWith: .success) {
      let file = try RegularFile(path: "/proc/self/exe")
      var limit = rlimit(rlim_cur: 4096, rlim_max: 4096)
      setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
      do throws(Diagnosis) {
        _ = try SealedCopy(of: file, name: "x")
        exit(1)
      } catch {
        exit(error.problem == "cannot be copied into memory, which could not be filled: file too large" ? 0 : 2)
      }
    }
  }

  @Test("The loader opens 300 copies as 300 libraries, each with its own content, although they share descriptors")
  func manyCopies() throws {
    let libraries = try (1...2).map { try PluginDirectory.library("healthy/numbered.c", ["-DNUMBER=\($0)"]) }
    let directory = try TemporaryDirectory()
    let files = try libraries.enumerated().map { try directory.write("\($0).so", $1) }
    var handles: [UnsafeMutableRawPointer] = []
    var paths: Set<String> = []
    var descriptors: Set<String> = []
    for number in 0..<300 {
      let copy = try Self.copy(files[number % 2], name: "copy-\(number)")
      paths.insert(copy.path)
      descriptors.insert(copy.path.split(separator: "/").last.map(String.init) ?? "")
      handles.append(try #require(dlopen(copy.path, RTLD_NOW | RTLD_LOCAL)))
    }
    #expect(paths.count == 300)
    #expect(Set(handles).count == 300)
    // Other tests open files at the same time, so the descriptor varies.
    #expect(descriptors.count < 150)
    let maps = try succeed(["cat", "/proc/\(getpid())/maps"]).text
    for number in 0..<300 { #expect(maps.contains("/memfd:copy-\(number) (deleted)")) }
    for handle in handles { dlclose(handle) }
    let rest = try succeed(["cat", "/proc/\(getpid())/maps"]).text
    #expect(!rest.contains("/memfd:copy-"))
  }

  @Test("A long name is cut to the system's limit")
  func longName() throws {
    let directory = try TemporaryDirectory()
    let copy = try Self.copy(directory.write("file", []), name: String(repeating: "n", count: 255))
    #expect(copy.bytes.count == 0)
  }

  // MARK: - Libraries beside the file of a copy

  /// A unique library name, because the loader identifies libraries by name.
  private static var uniqueName: String { "libbeside-\(UUID()).so" }

  /// Creates a directory with a library and a plugin that links it.
  ///
  /// - Parameter soname: The library's SONAME; nil for none.
  private static func beside(
    _ name: String, soname: String?, _ runPath: String = "-Wl,-rpath,$ORIGIN"
  ) throws -> (plugins: PluginDirectory, file: String) {
    let plugins = try PluginDirectory()
    let library = plugins.directory.file(name)
    let options = soname.map { ["-Wl,-soname," + $0] } ?? []
    try Repo.compile([Repo.fixture("healthy/beside-library.c")], to: library, options: options)
    let file = try Repo.compile(
      [Repo.fixture("healthy/beside.c")], to: plugins.directory.file("beside.so"),
      options: ["-L", plugins.path, "-l:" + name, runPath])
    return (plugins, file)
  }

  private static func host(_ file: String) -> PluginHost {
    var options = PluginHost.Options(files: [file], log: LogLines().log)
    (options.loading, options.probing) = (.eager, .never)
    (options.opensCopies, options.unloadsImages) = (true, true)
    return PluginHost(options)
  }

  @Test(
    "A copy finds a library in the directory of its file, with either form of the run path",
    arguments: [
      "-Wl,-rpath,$ORIGIN", "-Wl,-rpath,${ORIGIN}/../here", "-Wl,--disable-new-dtags,-rpath,/nowhere:$ORIGIN",
    ])
  func origin(_ runPath: String) throws {
    let parent = try TemporaryDirectory()
    let name = Self.uniqueName
    let (plugins, _) = try Self.beside(name, soname: name, runPath)
    let here = parent.file("here")
    try succeed(["cp", "-r", plugins.path, here])
    let host = Self.host(here + "/beside.so")
    try host.load()
    #expect(host.states == ["beside.so loaded"], "\(host.plugins)")
    #expect(try host.call("beside") == .integer(42))
    #expect(try isMapped(here + "/" + name))
    #expect(try !isMapped(here + "/beside.so"))
    #expect(try isMapped("/memfd:org.example.beside (deleted)"))
    host.shutdown()
    #expect(try !isMapped(here + "/" + name))
  }

  @Test("A library beside a plugin without a matching SONAME is a fault")
  func originWithoutName() throws {
    for soname in [nil, "libother.so"] {
      let name = Self.uniqueName
      // The plugin needs the name that the library had at link time.
      let (plugins, file) = try Self.beside(name, soname: nil)
      if let soname {
        try Repo.compile(
          [Repo.fixture("healthy/beside-library.c")], to: plugins.directory.file(name), options: ["-Wl,-soname," + soname])
      }
      let host = Self.host(file)
      try host.load()
      let diagnosis = try #require(host.diagnosis(file))
      #expect(diagnosis.code == .notLoadable)
      #expect(
        diagnosis.problem
          == "cannot be opened as a copy: it needs \(name), which lies in its own directory and has no SONAME of that name, so that the loader would not find it"
      )
      #expect(diagnosis.remedy == "link \(name) with -Wl,-soname,\(name), or let the host open the file itself")
    }
  }

  @Test("A missing library is reported by the loader, and a run path without $ORIGIN is left to the loader")
  func otherDirectories() throws {
    let name = Self.uniqueName
    let (plugins, file) = try Self.beside(name, soname: name)
    try FileManager.default.removeItem(atPath: plugins.directory.file(name))
    let host = Self.host(file)
    try host.load()
    #expect(host.diagnosis(file)?.code == .notLoadable)
    #expect(host.diagnosis(file)?.problem.contains("\(name): cannot open shared object file") == true)

    let directory = try TemporaryDirectory()
    let other = Self.uniqueName
    let (elsewhere, plugin) = try Self.beside(other, soname: nil, "-Wl,-rpath,\(directory.path)")
    try succeed(["mv", elsewhere.directory.file(other), directory.path])
    let second = Self.host(plugin)
    try second.load()
    #expect(try second.call("beside") == .integer(42))
  }

  // MARK: - Hosts

  @Test("Writing over a plugin's file changes nothing for a host that has opened a copy")
  func overwritten() throws {
    let directory = try PluginDirectory()
    let path = try directory.add("healthy/numbered.c")
    let host = Self.host(path)
    try host.load()
    #expect(try host.call("number") == .integer(1))
    // Overwrites in place, as cp does: the inode stays the same.
    let handle = try FileHandle(forWritingTo: URL(filePath: path))
    try handle.write(contentsOf: Data(repeating: 0, count: try PluginDirectory.library("healthy/numbered.c").count))
    try handle.close()
    #expect(try host.call("number") == .integer(1))
  }

  @Test("A link map shows whether its library is still loaded")
  func closed() throws {
    let directory = try PluginDirectory()
    let copy = try Self.copy(directory.add("healthy/empty.c"))
    let handle = try #require(dlopen(copy.path, RTLD_NOW))
    let map = try #require(LinkMap(handle))
    #expect(map.name == copy.path)
    #expect(map.isOpen)
    dlclose(handle)
    #expect(!map.isOpen)
  }

  @Test("An adopted library is opened as a copy, unless the process has already loaded it")
  func adopted() throws {
    let directory = try PluginDirectory()
    let (file, library) = try AdoptionTests.add(to: directory)
    let host = Self.host(file)
    try host.load()
    #expect(try host.call("twice", .integer(21)) == .integer(42))
    #expect(try !isMapped(library))
    #expect(try isMapped("/memfd:org.example.boxes (deleted)"))

    let functions = """
      {"uuid": "ad090000-0000-4000-8000-000000000101", "name": "own", "symbol": "getpid", "signature": "int (void)"}
      """
    let libc = try directory.write(
      "libc.troupe.json", AdoptionTests.text("libc.so.6", id: "org.example.own-libc", functions).utf8)
    let own = Self.host(libc)
    try own.load()
    #expect(try own.call("own") == .integer(Int128(getpid())))
    #expect(try !isMapped("/memfd:org.example.own-libc"))
  }
}
