internal import Glibc

/// The files that are mapped into this process.
enum LoadedFile {
  /// A part of the address space.
  struct Mapping {
    let addresses: Range<UInt>
    /// Whether code may run there.
    let isExecutable: Bool
    /// Where in the file it begins.
    let offset: UInt64
    /// The file that is mapped; nil if it is none.
    let path: String?

    /// Reads a line of `/proc/self/maps`; see proc_pid_maps(5).
    init?(line: String) {
      let fields = line.split(separator: " ", maxSplits: 3)
      let bounds = fields.first?.split(separator: "-").compactMap { UInt($0, radix: 16) } ?? []
      guard fields.count == 4, bounds.count == 2, bounds[0] < bounds[1], let offset = UInt64(fields[2], radix: 16) else {
        return nil
      }
      addresses = bounds[0]..<bounds[1]
      isExecutable = fields[1].utf8.contains(UInt8(ascii: "x"))
      self.offset = offset
      path = line.firstIndex(of: "/").map { String(line[$0...]) }
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

  /// Goes through what is mapped, in ascending order, for as long as the answer is true. Reads `/proc/self/maps`.
  private static func forEachMapping(_ body: (Mapping) -> Bool) {
    // Not with Foundation, which takes the first piece that such a file gives for the whole.
    guard let maps = fopen("/proc/self/maps", "re") else { return }
    defer { fclose(maps) }
    var line: UnsafeMutablePointer<CChar>?
    var capacity = 0
    defer { free(line) }
    while getline(&line, &capacity, maps) > 0, let text = line.map({ String(cString: $0) }) {
      guard let mapping = Mapping(line: text.hasSuffix("\n") ? String(text.dropLast()) : text) else { continue }
      guard body(mapping) else { return }
    }
  }
}
