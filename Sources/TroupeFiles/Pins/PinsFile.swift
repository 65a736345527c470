internal import Glibc
internal import TroupeManifest
internal import TroupeBase

/// A file of pins as its lines, so that a change keeps the user's comments.
///
/// Parsing is strict: a pin that is misread could admit or reject the wrong plugin. `change` is the only way to write the file. It locks the
/// directory, so that two commands do not lose each other's pins, and replaces the file atomically.
package struct PinsFile {
  /// In bytes.
  static let maximumSize: UInt64 = 1 << 20

  private let path: String
  private var lines: [Line] = []

  private struct Line {
    let text: String
    /// Nil for a comment or a blank line.
    let entry: Pins.Entry?
  }

  /// In the order of the lines.
  package var entries: [Pins.Entry] { lines.compactMap(\.entry) }

  var text: String { lines.map { $0.text + "\n" }.joined() }

  /// Reads a file that only root and the user can change.
  init(_ path: String) throws(Diagnosis) {
    self.path = path
    let file = try Self.trusted(path)
    guard file.bytes.count <= Self.maximumSize else {
      throw Diagnosis(
        .tooLarge, path, problem: "has \(file.bytes.count) bytes, and \(Self.maximumSize) are allowed",
        remedy: "remove unused lines")
    }
    lines = try Self.lines(file.content(path), path)
  }

  private init(new path: String) {
    self.path = path
  }

  private static func trusted(_ path: String) throws(Diagnosis) -> RegularFile {
    let trust = TrustedPath()
    let location: TrustedPath.Location
    let file: RegularFile
    do {
      location = try trust.locate(path)
      file = try RegularFile(location, path: path)
    } catch {
      let diagnosis = error as? Diagnosis ?? RegularFile.unreadable(path, code: (error as? SystemError)?.code ?? 0)
      throw Diagnosis(.unreadable, path, problem: diagnosis.problem, remedy: "name a file of pins, such as troupe pin writes")
    }
    try trust.check(
      file.bytes.descriptor, file.status, path, location.exposure, trustsUnknownOwners: location.trustsUnknownOwners)
    return file
  }
}

// MARK: - The format

extension PinsFile {
  private static func lines(_ bytes: [UInt8], _ path: String) throws(Diagnosis) -> [Line] {
    var pieces = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    // The last line break does not begin another line.
    if pieces.last?.isEmpty == true { pieces.removeLast() }
    var lines: [Line] = []
    for piece in pieces {
      func diagnosis(_ problem: String, _ remedy: String) -> Diagnosis {
        Diagnosis(.invalidPins, "\(path):\(lines.count + 1)", problem: problem, remedy: remedy)
      }
      guard let text = String(validating: piece, as: UTF8.self) else {
        throw diagnosis("is not UTF-8", "write the file as UTF-8")
      }
      guard !ManifestText.hasControlCharacters(text) else {
        throw diagnosis("has a control character", "separate with spaces, and end lines with a plain newline")
      }
      lines.append(Line(text: text, entry: try entry(text, diagnosis)))
    }
    return lines
  }

  /// Parses a line. Returns nil for a comment or a blank line.
  private static func entry(_ text: String, _ diagnosis: (String, String) -> Diagnosis) throws(Diagnosis) -> Pins.Entry? {
    let words = text.split(separator: " ")
    guard let digits = words.first, !digits.hasPrefix("#") else { return nil }
    let form = "write 64 hexadecimal digits, a space and the plugin's id, as troupe pin does"
    guard let hash = ContentHash(String(digits)) else {
      throw diagnosis("begins with \"\(digits)\", which is not a SHA-256 of 64 hexadecimal digits", form)
    }
    guard words.count >= 2 else { throw diagnosis("has a SHA-256 and no plugin's id behind it", form) }
    guard words.count == 2 else {
      throw diagnosis(
        "has \"\(words[2])\" behind the plugin's id", "write comments on lines of their own that begin with #")
    }
    let id = String(words[1])
    if let problem = PluginIdentifier.problem(in: id) {
      throw diagnosis("has the id \"\(id)\", which \(problem)", "correct it; troupe list shows the plugins' ids")
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

  /// Returns the removed pins.
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
  /// - Parameter isWritten: False for a dry run, which creates nothing.
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
    if old == nil { try checkDirectory(of: path) }
    var file = old ?? PinsFile(new: path)
    let result = try body(&file)
    if old?.text != file.text { try file.write() }
    return result
  }

  /// Throws if another user could change a new file. No host would read it.
  private static func checkDirectory(of path: String) throws(Diagnosis) {
    let exposure: TrustedPath.Exposure?
    do throws(SystemError) {
      exposure = try TrustedPath().locate(Path.directory(of: path)).exposure
    } catch {
      throw unwritable(path, error)
    }
    if let exposure { throw exposure.diagnosis(of: path) }
  }

  private static func existing(_ path: String) throws(Diagnosis) -> PinsFile? {
    if access(path, F_OK) != 0 && errno == ENOENT { return nil }
    return try PinsFile(path)
  }

  /// Locks the directory of the file, since the file itself is replaced. Closing the returned descriptor unlocks it.
  private static func lock(_ path: String) throws(Diagnosis) -> FileDescriptor {
    do throws(SystemError) {
      let directory = try FileDescriptor(opening: Path.directory(of: path), O_RDONLY | O_DIRECTORY)
      while flock(directory.rawValue, LOCK_EX) != 0 {
        guard errno == EINTR else { throw SystemError(code: errno) }
      }
      return directory
    } catch {
      throw unwritable(path, error)
    }
  }

  private func write() throws(Diagnosis) {
    let former = try? Path.status(path)
    do {
      try AtomicFile.write(Array(text.utf8), to: path)
    } catch {
      throw Self.unwritable(path, error)
    }
    guard let former else { return }
    // Only root can keep the owner.
    _ = chown(path, former.st_uid, former.st_gid)
    guard chmod(path, former.st_mode & 0o777) == 0 else { throw Self.unwritable(path, SystemError(code: errno)) }
  }

  private static func unwritable(_ path: String, _ error: SystemError) -> Diagnosis {
    Diagnosis(
      .inputOutput, path, problem: "cannot be written: \(error)", remedy: "name a file in a directory that you may write")
  }
}
