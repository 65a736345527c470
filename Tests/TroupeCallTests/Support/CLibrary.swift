import Foundation
import TestSupport

/// A shared library that is compiled from C text for the tests.
///
/// `@unchecked Sendable` because the handle is only passed to `dlsym`, which any thread may call.
final class CLibrary: @unchecked Sendable {
  private let handle: UnsafeMutableRawPointer

  /// Compiles and loads the sources, and removes the files; the image stays mapped until the process ends.
  ///
  /// - Parameters:
  ///   - sources: The text of each file. Two compilers run at the same time.
  ///   - compilers: A compiler with its options for the first file, the second and so on, from the start again after the last.
  init(sources: [String], compilers: [[String]] = [["cc", "-O0"]]) throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "troupe-call-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    let library = directory.appending(path: "fixture.so")
    var objects: [String] = []
    var running: [pid_t] = []
    for (index, source) in sources.enumerated() {
      let file = directory.appending(path: "fixture\(index).c")
      try Data(source.utf8).write(to: file)
      objects.append(directory.appending(path: "fixture\(index).o").path)
      if running.count == 2 { try Self.wait(for: [running.removeFirst()]) }
      running.append(
        try Self.start(
          compilers[index % compilers.count] + ["-std=c11", "-w", "-Wno-psabi", "-c", "-fPIC", "-o", objects[index], file.path])
      )
    }
    try Self.wait(for: running)
    try Self.wait(for: [Self.start(["cc", "-shared", "-o", library.path] + objects)])
    guard let handle = dlopen(library.path, RTLD_NOW | RTLD_LOCAL) else { throw TestError(String(cString: dlerror())) }
    self.handle = handle
  }

  convenience init(source: String) throws { try self.init(sources: [source]) }

  /// - Parameter fixture: The name of a file in `Fixtures/calls`.
  convenience init(fixture: String) throws { try self.init(source: Self.fixture(fixture)) }

  /// Returns the text of a file in `Fixtures/calls`.
  static func fixture(_ name: String) throws -> String {
    try String(contentsOfFile: Repo.fixture("calls/" + name), encoding: .utf8)
  }

  /// Whether PATH has a program.
  static func hasProgram(_ name: String) -> Bool {
    let directories = ProcessInfo.processInfo.environment["PATH"] ?? ""
    return directories.split(separator: ":").contains { access("\($0)/\(name)", X_OK) == 0 }
  }

  /// Starts a program, which is looked up in PATH. Unlike `Process`, leaks nothing that a leak check reports.
  private static func start(_ command: [String]) throws -> pid_t {
    var arguments = command.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var process = pid_t()
    let problem = posix_spawnp(&process, command[0], nil, nil, &arguments, environ)
    guard problem == 0 else { throw TestError("\(command[0]) does not start: \(String(cString: strerror(problem)))") }
    return process
  }

  /// Waits for all of several programs and throws if one failed.
  private static func wait(for processes: [pid_t]) throws {
    var failure: TestError?
    for process in processes {
      var status: Int32 = 0
      if waitpid(process, &status, 0) != process || status != 0 { failure = TestError("cc failed: \(status)") }
    }
    if let failure { throw failure }
  }

  /// Returns the address of a function in the library.
  func function(_ name: String) throws -> UnsafeRawPointer {
    guard let address = dlsym(handle, name) else { throw TestError("there is no \(name)") }
    return UnsafeRawPointer(address)
  }

  /// Returns the address of a function in the process, such as one of libc's.
  static func systemFunction(_ name: String) throws -> UnsafeRawPointer {
    guard let address = dlsym(nil, name) else { throw TestError("there is no \(name)") }
    return UnsafeRawPointer(address)
  }

  struct TestError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
  }
}
