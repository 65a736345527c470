internal import Glibc

/// The mappings of this process, as `/proc/self/maps` lists them; see proc_pid_maps(5).
///
/// They tell which file an address belongs to, whether a file is still mapped, and where code may run. Each question reads the whole list,
/// some hundred lines.
package enum MemoryMap {
  package struct File {
    /// The device and inode, in the form of stat(2).
    package let device: UInt64
    package let inode: UInt64
    /// The path at which the file was mapped. Memory without a file has none.
    let path: String?
  }

  /// A part of the address space.
  struct Mapping {
    let addresses: Range<UInt>
    let isExecutable: Bool
    /// The rest of the line, valid while the body runs: the offset, the device, the inode and the path.
    fileprivate let rest: UnsafeMutablePointer<CChar>

    var file: File {
      var end: UnsafeMutablePointer<CChar>? = rest
      func number(_ base: CInt) -> UInt64 {
        guard let start = end else { return 0 }
        let number = strtoull(start, &end, base)
        if let last = end, last.pointee == CChar(UInt8(ascii: ":")) { end = last + 1 }
        return number
      }
      _ = number(16)
      let (major, minor) = (number(16), number(16))
      let path = strchr(rest, CInt(UInt8(ascii: "/"))).map { String(String(cString: $0).prefix { $0 != "\n" }) }
      return File(device: Self.device(major, minor), inode: number(10), path: path)
    }

    /// A device number as makedev(3) computes it.
    private static func device(_ major: UInt64, _ minor: UInt64) -> UInt64 {
      (major & 0xFFF) << 8 | (major & ~0xFFF) << 32 | minor & 0xFF | (minor & ~0xFF) << 12
    }
  }

  package static func file(containing address: UnsafeRawPointer) -> File? {
    let wanted = UInt(bitPattern: address)
    var file: File?
    forEachMapping { mapping in
      guard mapping.addresses.contains(wanted) else { return true }
      file = mapping.file
      return false
    }
    return file
  }

  package static func isMapped(device: UInt64, inode: UInt64) -> Bool {
    var isMapped = false
    forEachMapping { mapping in
      let file = mapping.file
      isMapped = file.inode == inode && file.device == device
      return !isMapped
    }
    return isMapped
  }

  /// Returns the path that the list shows for a file in memory; see memfd_create(2).
  package static func pathOfMemoryFile(_ name: String) -> String { "/memfd:\(name) (deleted)" }

  /// The ranges are in ascending order.
  package static func executableAddresses() -> [Range<UInt>] {
    var addresses: [Range<UInt>] = []
    forEachMapping { mapping in
      if mapping.isExecutable { addresses.append(mapping.addresses) }
      return true
    }
    return addresses
  }

  /// Passes the mappings to a closure in ascending order until the closure returns false.
  private static func forEachMapping(_ body: (Mapping) -> Bool) {
    // Foundation would read only the first piece of such a file.
    guard let maps = fopen("/proc/self/maps", "re") else { return }
    defer { fclose(maps) }
    var line: UnsafeMutablePointer<CChar>?
    var capacity = 0
    defer { free(line) }
    while getline(&line, &capacity, maps) > 0, let line {
      // Parsed in place: the file has many lines, and the caller needs the details of few.
      var end: UnsafeMutablePointer<CChar>?
      let lower = UInt(strtoul(line, &end, 16))
      guard let hyphen = end, hyphen.pointee == CChar(UInt8(ascii: "-")) else { continue }
      let upper = UInt(strtoul(hyphen + 1, &end, 16))
      guard let space = end, space.pointee == CChar(UInt8(ascii: " ")), lower < upper, strlen(space) > 4 else { continue }
      let isExecutable = space[3] == CChar(UInt8(ascii: "x"))
      guard body(Mapping(addresses: lower..<upper, isExecutable: isExecutable, rest: space + 5)) else { return }
    }
  }
}

/// The file that this code was loaded from: libTroupe.so, or a program that links it statically.
package enum OwnLibrary {
  package static let path: String? = {
    // The metadata of one of its types is an address within the image.
    MemoryMap.file(containing: unsafeBitCast(MemoryMap.File.self as Any.Type, to: UnsafeRawPointer.self))?.path
  }()
}

/// The addresses of code in this process, kept between lookups. They are read again if a lookup fails, since code may have been loaded
/// meanwhile.
package struct CodeAddresses {
  private var known: [Range<UInt>] = []

  package init() {}

  /// Returns true also if the system does not list the mappings.
  package mutating func contains(_ address: UnsafeRawPointer) -> Bool {
    if isKnown(address) { return true }
    known = MemoryMap.executableAddresses()
    return known.isEmpty || isKnown(address)
  }

  private func isKnown(_ address: UnsafeRawPointer) -> Bool {
    known.contains { $0.contains(UInt(bitPattern: address)) }
  }
}
