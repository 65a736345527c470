/// The toolchain that built this library.
package enum SwiftToolchain {
  /// The compiler that built this library, or nil if its file does not name one.
  package static let compiler: String? = OwnLibrary.path.flatMap { path in
    guard let file = try? PluginFile(path: path) else { return nil }
    return try? ELFFile(file.bytes).swiftCompiler()
  }
}
