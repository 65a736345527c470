internal import TroupeCall
internal import TroupeFiles

/// The calls at a signal.
package struct Backtrace {
  package struct Frame: CustomStringConvertible {
    package let path: String?
    /// The function and the offset in the file.
    package let description: String
  }

  /// The calls from the innermost to the plugin's outermost.
  package let frames: [Frame]
  /// For an access behind the memory of an argument, the end of a sentence about the innermost call, such as `, which wrote behind the memory
  /// of argument 2 "exp" of frexp (4 bytes)`; else empty.
  package let overrunPhrase: String

  /// Looks up the files and functions of addresses.
  ///
  /// - Parameters:
  ///   - maps: The content of `/proc/self/maps`; see proc_pid_maps(5).
  ///   - library: The file of the plugin.
  ///   - host: The file of the host's code.
  ///   - copies: The original file for each copy in memory.
  package init(
    _ signal: CrashReport, maps: [UInt8], library: String? = nil, host: String? = nil, copies: [String: String] = [:]
  ) {
    let mappings = maps.split(separator: UInt8(ascii: "\n")).compactMap {
      Mapping(line: String(decoding: $0, as: UTF8.self))
    }
    // The handler and the signal trampoline come first.
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
      // A plugin may have forged the message.
      let offset = UInt64(address) - UInt64(mapping.addresses.lowerBound) &+ mapping.offset
      let place = "\(Path.lastComponent(of: path))+0x" + String(offset, radix: 16)
      // The first segment has equal offsets in file and memory. An outer frame is the address after its call.
      let start = mappings.first { $0.path == mapped }.map { UInt64($0.addresses.lowerBound) &- $0.offset } ?? 0
      // Reading the host's symbols takes long.
      let function = mapped == host ? nil : symbols.function(in: path, at: UInt64(address) &- start &- (index == 0 ? 0 : 1))
      frames.append(Frame(path: path, description: function.map { "\($0) (\(place))" } ?? place))
    }
    self.frames = frames
    overrunPhrase =
      signal.overrun.map { overrun in
        let function = mappings.first { $0.addresses.contains(UInt(overrun.function)) }.flatMap { mapping -> String? in
          guard let mapped = mapping.path, mapped != host else { return nil }
          let start = mappings.first { $0.path == mapped }.map { UInt64($0.addresses.lowerBound) &- $0.offset } ?? 0
          return symbols.function(in: copies[mapped] ?? mapped, at: overrun.function &- start)
        }
        return overrun.phrase(function: function)
      } ?? ""
  }

  /// The function, the file and the offset of the innermost call in one of some files, or else of the innermost in any file. Nil without such
  /// a call.
  ///
  /// - Parameters:
  ///   - maps: The content of `/proc/self/maps`.
  package static func location(of crash: CrashReport, maps: [UInt8], preferring files: Set<String>) -> String? {
    let mappings = maps.split(separator: UInt8(ascii: "\n")).compactMap { Mapping(line: String(decoding: $0, as: UTF8.self)) }
    // A return address may be that of the next function.
    let addresses = crash.calls.enumerated().map { $0.offset == 0 ? $0.element : $0.element &- 1 }
    let paths = addresses.map { address in mappings.first { $0.addresses.contains(UInt(address)) }?.path }
    guard let index = paths.firstIndex(where: { $0.map(files.contains) == true }) ?? paths.firstIndex(where: { $0 != nil })
    else { return nil }
    let backtrace = Backtrace(crash.at(addresses[index]), maps: maps, host: OwnLibrary.path)
    return backtrace.frames.first.map { $0.description + backtrace.overrunPhrase }
  }
}

extension CrashReport.Overrun {
  fileprivate func phrase(function: String?) -> String {
    let access = isWrite.map { $0 ? "wrote" : "read" } ?? "went"
    let argument = CallError.Argument(index: Int(position) - 1, name: name.isEmpty ? nil : name)
    let owner = function.map { " of \($0)" } ?? ""
    return ", which \(access) behind the memory of \(argument)\(owner) (\(counted(Int(clamping: size), "byte")))"
  }
}

/// Looks up functions in files and opens each file once.
private struct SymbolFiles {
  private var files: [String: ELFFile?] = [:]

  /// The demangled name of the function at an address in a file; nil if the file has no symbol for it.
  mutating func function(in path: String, at address: UInt64) -> String? {
    if files[path] == nil {
      files[path] = .some(try? ELFFile(path: path))
    }
    guard let file = files[path] ?? nil, let symbol = try? file.symbol(at: address) else { return nil }
    let name = SymbolName.readable(symbol.name)
    return name.count > Self.maximumLength ? name.prefix(Self.maximumLength) + "…" : name
  }

  private static let maximumLength = 120
}

/// A mapping in a line of `/proc/self/maps`; see proc_pid_maps(5).
private struct Mapping {
  let addresses: Range<UInt>
  let offset: UInt64
  /// The mapped file; nil for anonymous memory.
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
