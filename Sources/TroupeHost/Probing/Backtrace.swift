/// Where a process was when a signal came.
struct Backtrace {
  /// One call.
  struct Frame: CustomStringConvertible {
    /// The file that it lies in, or nil.
    let path: String?
    /// As a person reads it.
    let description: String
  }

  /// Each call, the innermost first, as far as the plugin: what called it says nothing about it.
  let frames: [Frame]

  /// Finds out which files the addresses lie in, and which functions, as far as the files say.
  ///
  /// - Parameters:
  ///   - maps: What was mapped, as `/proc/self/maps` has it; see proc_pid_maps(5).
  ///   - library: The plugin's file.
  ///   - host: The file of the host's own code.
  ///   - copies: For what is mapped as a copy in memory, the file that it is of.
  init(_ signal: ProbeSignal, maps: [UInt8], library: String? = nil, host: String? = nil, copies: [String: String] = [:]) {
    let mappings = maps.split(separator: UInt8(ascii: "\n")).compactMap {
      Mapping(line: String(decoding: $0, as: UTF8.self))
    }
    // In front of it are the handler, and how the system calls one.
    let first = signal.frames.firstIndex(of: signal.instruction) ?? 0
    var symbols = SymbolFiles()
    var frames: [Frame] = []
    let files = signal.frames[first...].map { address in
      mappings.first { $0.addresses.contains(UInt(address)) }.flatMap(\.path)
    }
    let last = files.lastIndex { $0 != nil && $0 != host && copies[$0 ?? "", default: $0 ?? ""] == library }
    let end = last.map { $0 + 1 } ?? max(files.firstIndex { $0 != nil && $0 == host } ?? files.count, 1)
    for (index, address) in signal.frames[first...].prefix(end).enumerated() {
      guard let mapping = mappings.first(where: { $0.addresses.contains(UInt(address)) }), let mapped = mapping.path else {
        frames.append(Frame(path: nil, description: "0x" + String(address, radix: 16)))
        continue
      }
      let path = copies[mapped] ?? mapped
      // What a plugin may have written in the probe's stead need not make sense.
      let offset = UInt64(address) - UInt64(mapping.addresses.lowerBound) &+ mapping.offset
      let place = "\(Path.lastComponent(of: path))+0x" + String(offset, radix: 16)
      // The first part of a library has the same place in the file and in memory. What is not the innermost returns behind its
      // call.
      let start = mappings.first { $0.path == mapped }.map { UInt64($0.addresses.lowerBound) &- $0.offset } ?? 0
      // The host's own symbols take long to read.
      let function = mapped == host ? nil : symbols.function(in: path, at: UInt64(address) &- start &- (index == 0 ? 0 : 1))
      frames.append(Frame(path: path, description: function.map { "\($0) (\(place))" } ?? place))
    }
    self.frames = frames
  }
}

/// Finds functions in files, each of which is opened once.
private struct SymbolFiles {
  private var files: [String: ELFFile?] = [:]

  /// The function at an address as a file has it, as source has its name; nil if the file does not say.
  mutating func function(in path: String, at address: UInt64) -> String? {
    if files[path] == nil {
      files[path] = .some((try? PluginFile(path: path)).flatMap { try? ELFFile($0.bytes) })
    }
    guard let file = files[path] ?? nil, let symbol = try? file.symbol(at: address) else { return nil }
    let name = SymbolName.readable(symbol.name)
    return name.count > Self.maximumLength ? name.prefix(Self.maximumLength) + "…" : name
  }

  private static let maximumLength = 120
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
