/// Where a process was when a signal came.
struct Backtrace {
  /// One call.
  struct Frame: CustomStringConvertible {
    /// The file that it lies in, or nil.
    let path: String?
    /// As a person reads it.
    let description: String
  }

  /// Each call, the innermost first.
  let frames: [Frame]

  /// Finds out which files the addresses lie in.
  ///
  /// - Parameter maps: What was mapped, as `/proc/self/maps` has it; see proc_pid_maps(5).
  init(_ signal: ProbeSignal, maps: [UInt8]) {
    let mappings = maps.split(separator: UInt8(ascii: "\n")).compactMap {
      Mapping(line: String(decoding: $0, as: UTF8.self))
    }
    // In front of it are the handler, and how the system calls one.
    let first = signal.frames.firstIndex(of: signal.instruction) ?? 0
    frames = signal.frames[first...].map { address in
      guard let mapping = mappings.first(where: { $0.addresses.contains(UInt(address)) }), let path = mapping.path else {
        return Frame(path: nil, description: "0x" + String(address, radix: 16))
      }
      let offset = UInt64(address) - UInt64(mapping.addresses.lowerBound) + mapping.offset
      return Frame(path: path, description: "\(Path.lastComponent(of: path))+0x" + String(offset, radix: 16))
    }
  }
}

/// A part of an address space that a line of `/proc/self/maps` tells of; see proc_pid_maps(5).
private struct Mapping {
  let addresses: Range<UInt>
  /// Where in the file it begins.
  let offset: UInt64
  /// The file that is mapped; nil if it is none.
  let path: String?

  init?(line: String) {
    let fields = line.split(separator: " ", maxSplits: 3)
    let bounds = fields.first?.split(separator: "-").compactMap { UInt($0, radix: 16) } ?? []
    guard fields.count == 4, bounds.count == 2, bounds[0] < bounds[1], let offset = UInt64(fields[2], radix: 16) else {
      return nil
    }
    addresses = bounds[0]..<bounds[1]
    self.offset = offset
    path = line.firstIndex(of: "/").map { String(line[$0...]) }
  }
}
