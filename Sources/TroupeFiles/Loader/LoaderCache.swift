/// The cache of ldconfig(8), which maps the names of the system's libraries to files.
///
/// The file has a header of 48 bytes, entries of 24 bytes (flags, the offsets of a name and of a path, the version of the
/// system, the capabilities of the processor), and the texts. Offsets count from the header. See `dl-cache.h` of glibc.
struct LoaderCache {
  private let view: ByteView?
  private let count: Int

  init(path: String = "/etc/ld.so.cache") {
    guard let bytes = try? RegularFile(path: path).bytes, bytes.count < 1 << 26,
      let view = try? bytes.view(at: 0, count: Int(bytes.count)), view.has(Self.magic, at: 0), view.count >= 48
    else {
      (view, count) = (nil, 0)
      return
    }
    self.view = view
    count = min(Int(view.uint32(20)), (view.count - 48) / 24)
  }

  /// Returns the paths for a name, in the order of the cache. They may be for other machines.
  func files(_ name: String) -> [String] {
    guard let view else { return [] }
    let wanted = Array(name.utf8) + [0]
    return (0..<count).compactMap { index in
      let entry = 48 + index * 24
      let path = Int(view.uint32(entry + 8))
      guard view.has(wanted, at: Int(view.uint32(entry + 4))), path < view.count else { return nil }
      return view.terminatedText(at: path)
    }
  }

  private static let magic = Array("glibc-ld.so.cache1.1".utf8)
}
