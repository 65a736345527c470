import Foundation

/// A shared library that is compiled from C text for the tests.
///
/// `@unchecked Sendable` because the handle is only given to `dlsym`, which any thread may call.
final class CLibrary: @unchecked Sendable {
  private let handle: UnsafeMutableRawPointer

  /// Compiles, loads, and removes the files again; the image stays mapped for as long as the process runs.
  init(source: String) throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "troupe-call-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    let sourceFile = directory.appending(path: "fixture.c")
    let library = directory.appending(path: "fixture.so")
    try Data(source.utf8).write(to: sourceFile)

    try Self.run(["cc", "-std=c11", "-O1", "-shared", "-fPIC", "-o", library.path, sourceFile.path])
    guard let handle = dlopen(library.path, RTLD_NOW | RTLD_LOCAL) else { throw Failure(String(cString: dlerror())) }
    self.handle = handle
  }

  /// Runs a program that is found on the path and waits for it. Unlike `Process`, this leaks nothing that a leak check finds.
  private static func run(_ command: [String]) throws {
    var arguments = command.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var process = pid_t()
    let problem = posix_spawnp(&process, command[0], nil, nil, &arguments, environ)
    guard problem == 0 else { throw Failure("\(command[0]) does not start: \(String(cString: strerror(problem)))") }
    var status: Int32 = 0
    guard waitpid(process, &status, 0) == process, status == 0 else { throw Failure("\(command[0]) failed: \(status)") }
  }

  /// The address of a function in the library.
  func function(_ name: String) throws -> UnsafeRawPointer {
    guard let address = dlsym(handle, name) else { throw Failure("there is no \(name)") }
    return UnsafeRawPointer(address)
  }

  /// The address of a function of the process, such as one of libc's.
  static func systemFunction(_ name: String) throws -> UnsafeRawPointer {
    guard let address = dlsym(nil, name) else { throw Failure("there is no \(name)") }
    return UnsafeRawPointer(address)
  }

  struct Failure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
  }
}
