internal import TroupeManifest

/// What this library itself was built with.
enum SwiftToolchain {
  /// The compiler that built this library, or nil if its file does not say.
  static let compiler: String? = ownPath.flatMap { path in
    guard let file = try? PluginFile(path: path) else { return nil }
    return try? ELFFile(file.bytes).swiftCompiler()
  }

  /// The file that this code was loaded from: libTroupe.so, or a program that links it statically.
  static let ownPath: String? = {
    // Any address within this image will do; the metadata of a type of ours is one.
    LoadedFile.file(containing: unsafeBitCast(Manifest.self as Any.Type, to: UnsafeRawPointer.self))?.path
  }()
}
