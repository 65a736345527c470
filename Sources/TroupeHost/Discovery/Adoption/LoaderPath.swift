internal import Glibc

/// The directories that the loader searches for a library without a path: the run path of the program, `LD_LIBRARY_PATH` and the
/// defaults of the loader, without the cache of ldconfig(8).
package enum LoaderPath {
  /// Returns the directories in search order, each once; none if the loader reports none. Opens no file.
  package static func directories() -> [String] {
    // Swift's Glibc shows neither dlinfo(3) nor its structs, which are extensions of GNU. In older releases the function is
    // not in the C library itself, which is why it is looked up.
    guard let symbol = dlsym(nil, "dlinfo"), let program = dlopen(nil, RTLD_NOW) else { return [] }
    defer { dlclose(program) }
    let information = unsafeBitCast(symbol, to: Information.self)
    var header = Header()
    guard information(program, sizeRequest, &header) == 0, header.size >= MemoryLayout<Header>.stride else { return [] }

    // A header, then one element for each directory, then their names: as many bytes as the header says.
    let memory = UnsafeMutableRawPointer.allocate(byteCount: header.size, alignment: MemoryLayout<Header>.alignment)
    defer { memory.deallocate() }
    memory.initializeMemory(as: UInt8.self, repeating: 0, count: header.size)
    // The second call expects the size and the count in the memory that it fills in.
    guard information(program, sizeRequest, memory) == 0, information(program, request, memory) == 0 else { return [] }
    let count = Int(memory.load(as: Header.self).count)
    guard count <= (header.size - MemoryLayout<Header>.stride) / MemoryLayout<Element>.stride else { return [] }
    var known: Set<[UInt8]> = []
    return (0..<count).compactMap { index in
      let offset = MemoryLayout<Header>.stride + index * MemoryLayout<Element>.stride
      guard let name = memory.load(fromByteOffset: offset, as: Element.self).name else { return nil }
      let directory = String(cString: name)
      // An empty entry of LD_LIBRARY_PATH is the current directory.
      return known.insert(Path.key(directory)).inserted ? (directory.isEmpty ? "." : directory) : nil
    }
  }

  private typealias Information = @convention(c) (UnsafeMutableRawPointer, CInt, UnsafeMutableRawPointer) -> CInt

  /// `RTLD_DI_SERINFO` and `RTLD_DI_SERINFOSIZE` in dlfcn.h.
  private static let request: CInt = 4
  private static let sizeRequest: CInt = 5

  /// `Dl_serinfo` without the elements that follow it.
  private struct Header {
    var size = 0
    var count: CUnsignedInt = 0
    var padding: CUnsignedInt = 0
  }

  /// `Dl_serpath`.
  private struct Element {
    var name: UnsafePointer<CChar>?
    var flags: CUnsignedInt
  }
}
