internal import TroupeBase

/// The file of this library.
package enum OwnLibrary {
  /// The file that this code was loaded from: libTroupe.so, or a program that links it statically.
  package static let path: String? = {
    // An address within this image: the metadata of one of its types.
    MemoryMap.file(containing: unsafeBitCast(SystemError.self as Any.Type, to: UnsafeRawPointer.self))?.path
  }()
}
