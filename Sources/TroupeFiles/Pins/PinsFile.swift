internal import Glibc
internal import TroupeManifest

/// A file of pins with all of its lines, so that a change keeps the user's comments.
package struct PinsFile {
  /// The largest size of a file in bytes.
  static let maximumSize: UInt64 = 1 << 20

  private let path: String
  private var lines: [Line] = []

  private struct Line {
    let text: String
    /// The entry; nil for a comment or a blank line.
    let entry: Pins.Entry?
  }

  /// The entries in the order of the lines.
  package var entries: [Pins.Entry] { lines.compactMap(\.entry) }

  /// The text of the file.
  var text: String { lines.map { $0.text + "\n" }.joined() }

  /// Reads a file that only root and the user can change.
  init(_ path: String) throws(PinsError) {
    self.path = path
    let file = try Self.trusted(path)
    guard file.bytes.count <= Self.maximumSize else {
      throw PinsError(
        path, .malformed, "has \(file.bytes.count) bytes, and \(Self.maximumSize) are allowed", "remove unused lines")
    }
    let bytes: [UInt8]
    do {
      bytes = try file.bytes.read(at: 0, count: Int(file.bytes.count))
    } catch {
      throw PinsError(path, .unreadable, "\(error)", "retry after the file is complete")
    }
    lines = try Self.lines(bytes, path)
  }

  /// Creates an empty file in memory.
  private init(new path: String) {
    self.path = path
  }

  /// Opens a file and checks that only root and the user can change it.
  private static func trusted(_ path: String) throws(PinsError) -> PluginFile {
    let trust = TrustedPath()
    let location: TrustedPath.Location
    let file: PluginFile
    do throws(SystemError) {
      location = try trust.locate(path)
    } catch {
      throw unreadable(path, PluginFile.unreadable(path, code: error.code))
    }
    do throws(PluginFile.Unreadable) {
      file = try PluginFile(location, path: path)
    } catch {
      throw unreadable(path, error)
    }
    if let fault = trust.fault(in: file) { throw PinsError(path, .untrusted, fault.problem, "fix it with \(fault.remedy)") }
    if let fault = location.fault { throw PinsError(path, .untrusted, fault.problem, fault.remedy) }
    return file
  }

  private static func unreadable(_ path: String, _ error: PluginFile.Unreadable) -> PinsError {
    PinsError(path, .unreadable, error.problem, "name a file of pins, such as troupe pin writes")
  }
}

// MARK: - The format

extension PinsFile {
  private static func lines(_ bytes: [UInt8], _ path: String) throws(PinsError) -> [Line] {
    var pieces = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    // The last line break does not begin another line.
    if pieces.last?.isEmpty == true { pieces.removeLast() }
    var lines: [Line] = []
    for piece in pieces {
      func fault(_ problem: String, _ remedy: String) -> PinsError {
        PinsError(path, line: lines.count + 1, .malformed, problem, remedy)
      }
      guard let text = String(validating: piece, as: UTF8.self) else {
        throw fault("is not UTF-8", "write the file as UTF-8")
      }
      guard !ManifestText.hasControlCharacters(text) else {
        throw fault("has a control character", "separate with spaces, and end lines with a plain newline")
      }
      do throws(Fault) {
        lines.append(Line(text: text, entry: try entry(text)))
      } catch {
        throw fault(error.problem, error.remedy)
      }
    }
    return lines
  }

  private struct Fault: Error {
    let problem, remedy: String
  }

  /// Parses a line. Returns nil for a comment or a blank line.
  private static func entry(_ text: String) throws(Fault) -> Pins.Entry? {
    let words = text.split(separator: " ")
    guard let digits = words.first, !digits.hasPrefix("#") else { return nil }
    let form = "write 64 hexadecimal digits, a space and the plugin's id, as troupe pin does"
    guard let hash = ContentHash(String(digits)) else {
      throw Fault(problem: "begins with \"\(digits)\", which is not a SHA-256 of 64 hexadecimal digits", remedy: form)
    }
    guard words.count >= 2 else { throw Fault(problem: "has a SHA-256 and no plugin's id behind it", remedy: form) }
    guard words.count == 2 else {
      throw Fault(
        problem: "has \"\(words[2])\" behind the plugin's id", remedy: "write comments on lines of their own that begin with #")
    }
    let id = String(words[1])
    if let fault = PluginIdentifier.fault(in: id) {
      throw Fault(problem: "has the id \"\(id)\", which \(fault)", remedy: "correct it; troupe list shows the plugins' ids")
    }
    return Pins.Entry(hash, plugin: id)
  }
}

// MARK: - Changing

extension PinsFile {
  /// Adds entries behind the last line of the same plugin, or at the end. Unless `keepsOthers` is true, removes the plugin's other
  /// lines. Lines with the same entry stay.
  package mutating func pin(_ entries: [Pins.Entry], keepsOthers: Bool = false) {
    for (plugin, new) in Dictionary(grouping: entries, by: \.plugin).sorted(by: { $0.key < $1.key }) {
      let wanted = Set(new)
      let place = lines.lastIndex { $0.entry?.plugin == plugin }
      var known: Set<Pins.Entry> = []
      var end = place.map { $0 + 1 } ?? lines.count
      if !keepsOthers {
        // Removing lines in front of the end moves it up.
        end -= lines[..<end].count { $0.entry?.plugin == plugin && $0.entry.map(wanted.contains) == false }
        lines.removeAll { $0.entry?.plugin == plugin && $0.entry.map(wanted.contains) == false }
      }
      known.formUnion(lines.compactMap(\.entry))
      lines.insert(contentsOf: new.filter { known.insert($0).inserted }.map { Line(text: "\($0)", entry: $0) }, at: end)
    }
  }

  /// Removes the pins of a plugin and returns them.
  package mutating func remove(_ plugin: String) -> [Pins.Entry] {
    let removed = lines.compactMap(\.entry).filter { $0.plugin == plugin }
    lines.removeAll { $0.entry?.plugin == plugin }
    return removed
  }

  /// Reads or creates a file, runs a closure that changes it, and writes it. Waits for other processes that do the same.
  ///
  /// The file is replaced atomically and keeps its mode and owner. A new file has mode 0600, and missing directories are created with
  /// mode 0700.
  ///
  /// - Parameter isWritten: Whether to write the file; if false, nothing is created.
  package static func change<Result>(
    _ path: String, isWritten: Bool = true, _ body: (inout PinsFile) throws -> Result
  ) throws -> Result {
    guard isWritten else {
      var file = try existing(path) ?? PinsFile(new: path)
      return try body(&file)
    }
    // If the path is a link, the link stays and its target is replaced.
    let path = Path.resolved(path) ?? path
    do {
      try AtomicFile.makeDirectory(Path.directory(of: path), 0o700)
    } catch {
      throw unwritable(path, error)
    }
    let lock = try lock(path)
    defer { _ = lock }
    let old = try existing(path)
    var file = old ?? PinsFile(new: path)
    let result = try body(&file)
    if old?.text != file.text { try file.write() }
    return result
  }

  private static func existing(_ path: String) throws(PinsError) -> PinsFile? {
    var status = stat()
    if stat(path, &status) != 0 && errno == ENOENT { return nil }
    return try PinsFile(path)
  }

  /// Locks the folder of the file, since the file itself is replaced. The end of the returned descriptor unlocks it.
  private static func lock(_ path: String) throws(PinsError) -> FileDescriptor {
    do throws(SystemError) {
      let folder = try FileDescriptor(opening: Path.directory(of: path), O_RDONLY | O_DIRECTORY)
      while flock(folder.number, LOCK_EX) != 0 {
        guard errno == EINTR else { throw SystemError(code: errno) }
      }
      return folder
    } catch {
      throw unwritable(path, error)
    }
  }

  private func write() throws(PinsError) {
    var status = stat()
    let isThere = stat(path, &status) == 0
    do {
      try AtomicFile.write(Array(text.utf8), to: path)
    } catch {
      throw Self.unwritable(path, error)
    }
    guard isThere else { return }
    // Only root can keep the owner.
    _ = chown(path, status.st_uid, status.st_gid)
    guard chmod(path, status.st_mode & 0o777) == 0 else { throw Self.unwritable(path, SystemError(code: errno)) }
  }

  private static func unwritable(_ path: String, _ error: SystemError) -> PinsError {
    PinsError(path, .unwritable, "cannot be written: \(error)", "name another, or fix its folder")
  }
}
