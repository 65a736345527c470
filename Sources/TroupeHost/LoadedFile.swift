internal import Glibc

/// The files that are mapped into this process.
enum LoadedFile {
  /// A part of the address space.
  struct Mapping {
    let addresses: Range<UInt>
    /// Whether code may run there.
    let isExecutable: Bool
    /// What follows in the line, which is there for as long as the body runs.
    fileprivate let rest: UnsafeMutablePointer<CChar>

    /// The file that is mapped; nil if it is none.
    var path: String? {
      strchr(rest, CInt(UInt8(ascii: "/"))).map { String(String(cString: $0).prefix { $0 != "\n" }) }
    }
  }

  /// The file whose mapping holds an address, or nil.
  static func path(containing address: UnsafeRawPointer) -> String? {
    let wanted = UInt(bitPattern: address)
    var path: String?
    forEachMapping { mapping in
      guard mapping.addresses.contains(wanted) else { return true }
      path = mapping.path
      return false
    }
    return path
  }

  /// The addresses at which code may run, in ascending order.
  static func executableAddresses() -> [Range<UInt>] {
    var addresses: [Range<UInt>] = []
    forEachMapping { mapping in
      if mapping.isExecutable { addresses.append(mapping.addresses) }
      return true
    }
    return addresses
  }

  /// Goes through what is mapped, in ascending order, for as long as the answer is true. Reads `/proc/self/maps`; see
  /// proc_pid_maps(5) for the format.
  private static func forEachMapping(_ body: (Mapping) -> Bool) {
    // Not with Foundation, which takes the first piece that such a file gives for the whole.
    guard let maps = fopen("/proc/self/maps", "re") else { return }
    defer { fclose(maps) }
    var line: UnsafeMutablePointer<CChar>?
    var capacity = 0
    defer { free(line) }
    while getline(&line, &capacity, maps) > 0, let line {
      // Numbers and text where they stand: there are many lines, and hardly any is looked at more closely.
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
