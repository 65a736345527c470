internal import Glibc

/// The files that are mapped into this process.
enum LoadedFile {
  /// The file whose mapping holds an address, or nil. Reads `/proc/self/maps`; see proc_pid_maps(5) for the format.
  static func path(containing address: UnsafeRawPointer) -> String? {
    // Not with Foundation, which takes the first piece that such a file gives for the whole.
    guard let maps = fopen("/proc/self/maps", "re") else { return nil }
    defer { fclose(maps) }
    var line: UnsafeMutablePointer<CChar>?
    var capacity = 0
    defer { free(line) }
    let wanted = UInt(bitPattern: address)
    while getline(&line, &capacity, maps) > 0, let text = line.map({ String(cString: $0) }) {
      let bounds = text.prefix { $0 != " " }.split(separator: "-").compactMap { UInt($0, radix: 16) }
      guard bounds.count == 2, bounds[0] <= wanted, wanted < bounds[1] else { continue }
      return text.firstIndex(of: "/").map { String(text[$0...].dropLast()) }
    }
    return nil
  }
}
