internal import Dispatch
internal import Glibc
internal import Synchronization
internal import TroupeBase

/// Reports that plugins may have changed: files that were added, removed or completely written, and changes of the directories on their
/// paths. Uses inotify(7).
///
/// inotify watches directories, not paths, and a directory on a path may be removed, restored, created later, or be a link that is changed.
/// So each directory on a path is watched for the one name that follows it, and the last one for all names:
///
///     /home/ada/plugins      /: "home"   /home: "ada"   /home/ada: "plugins"   /home/ada/plugins: all names
///
/// The same applies to the targets of links in the directory, and to single files. An event is only a trigger: the host scans the
/// directories as a whole, and calls `look` again, which determines the watches anew.
package final class DirectoryWatch {
  /// Yields an element after one or more changes; buffers at most one. Ends when the watch is deinitialized.
  package let changes: AsyncStream<Void>
  private let inotify: Inotify
  private let source: any DispatchSourceRead
  private let interests = Interests()

  /// Creates a watch without directories. Throws a `SystemError` if the system allows no more inotify instances.
  package init() throws(SystemError) {
    try SystemError.checkCalls(for: .events)
    let inotify = try Inotify()
    self.inotify = inotify
    let (changes, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    self.changes = changes
    source = DispatchSource.makeReadSource(
      fileDescriptor: inotify.descriptor.rawValue, queue: DispatchQueue(label: "troupe.watch"))
    source.setEventHandler { [interests] in
      if interests.areMet(by: InotifyEvent.read(from: inotify.descriptor)) { continuation.yield() }
    }
    // The instance has to live until the source is cancelled.
    source.setCancelHandler { withExtendedLifetime(inotify) { continuation.finish() } }
    source.activate()
  }

  deinit { source.cancel() }

  private final class Inotify: Sendable {
    let descriptor: FileDescriptor

    init() throws(SystemError) {
      let rawValue = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
      guard rawValue >= 0 else { throw SystemError(code: errno) }
      descriptor = FileDescriptor(owning: rawValue)
    }
  }

  /// Watches the directories and files and removes all other watches. Later changes are reported, so the caller must scan the
  /// directories after this call.
  ///
  /// - Parameters:
  ///   - directories: Directories of plugins, which need not exist.
  ///   - files: Files elsewhere, which need not exist either.
  /// - Returns: True if a further directory is watched now.
  /// - Throws: A `SystemError` if the system has no watches left. The watches that were added before stay.
  @discardableResult
  package func look(at directories: [String], files: [String]) throws(SystemError) -> Bool {
    try interests.change { interests throws(SystemError) in
      let old = Set(interests.keys)
      var search = Search(inotify: inotify.descriptor.rawValue)
      defer { interests.merge(search.found) { _, new in new } }
      for directory in directories { try search.add(directory: directory) }
      for file in files { try search.add(file: file) }
      for descriptor in old where search.found[descriptor] == nil {
        inotify_rm_watch(inotify.descriptor.rawValue, descriptor)
        interests[descriptor] = nil
      }
      return !old.isSuperset(of: search.found.keys)
    }
  }

  /// The relevant names in a directory.
  private struct Interest {
    /// All names are relevant.
    var isWhole = false
    /// The relevant names otherwise.
    var names: Set<[UInt8]> = []
  }

  /// The relevant names by watch descriptor.
  private final class Interests: Sendable {
    private let state = Mutex<[Int32: Interest]>([:])

    /// Changes the names. Events that arrive meanwhile are checked afterwards.
    func change<Result, Failure>(
      _ body: (inout sending [Int32: Interest]) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
      try state.withLock(body)
    }

    func areMet(by events: [InotifyEvent]) -> Bool {
      state.withLock { state in
        events.contains { event in
          if event.isOverflow { return true }
          guard !event.isLast, let interest = state[event.watch] else { return false }
          return interest.isWhole || event.name.isEmpty || interest.names.contains(event.name)
        }
      }
    }
  }

  /// Follows paths and adds watches for the directories on them.
  private struct Search {
    let inotify: Int32
    private(set) var found: [Int32: Interest] = [:]
    /// The watch descriptors by path. Nil stands for a directory that cannot be watched.
    private var watches: [String: Int32?] = [:]

    init(inotify: Int32) { self.inotify = inotify }

    mutating func add(directory: String) throws(SystemError) {
      guard let end = try follow(directory), let descriptor = try watch(end) else { return }
      found[descriptor, default: Interest()].isWhole = true
      let names = (try? Path.entries(in: end)) ?? []
      for name in names where PluginFileName.isValid(name.utf8) {
        let path = end + "/" + name
        if (try? Path.status(path, followsLinks: false))?.kind == S_IFLNK { try add(file: path) }
      }
    }

    mutating func add(file: String) throws(SystemError) { _ = try follow(file) }

    /// Watches each lookup of a path. Returns nil if the path leads nowhere, and else the path without links.
    private mutating func follow(_ path: String) throws(SystemError) -> String? {
      guard var walk = try? PathWalk(path) else { return nil }
      while let lookup = walk.next {
        if let descriptor = try watch(lookup.directory) {
          found[descriptor, default: Interest()].names.insert(Path.key(lookup.name))
        }
        guard (try? walk.advance()) != nil else { return nil }
      }
      return walk.path
    }

    /// Watches a directory and returns the watch descriptor. Returns nil if the directory does not exist or cannot be read; the watch
    /// of the directory above reports when that changes.
    private mutating func watch(_ directory: String) throws(SystemError) -> Int32? {
      if let known = watches[directory] { return known }
      let watch = inotify_add_watch(inotify, directory, DirectoryWatch.events)
      if watch < 0 && (errno == ENOSPC || errno == ENOMEM) { throw SystemError(code: errno) }
      watches[directory] = .some(watch < 0 ? nil : watch)
      return watch < 0 ? nil : watch
    }
  }

  /// `IN_CLOSE_WRITE` reports a written file when it is closed; `IN_MOVED_TO` and `IN_CREATE` report a renamed or linked file under its
  /// new name.
  private static let events = UInt32(
    IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE | IN_DELETE | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF
      | IN_ONLYDIR)
}

/// An event of a directory; see inotify(7).
struct InotifyEvent {
  /// The watch descriptor.
  let watch: Int32
  /// The name in the directory. Empty for an event of the directory itself.
  let name: [UInt8]
  private let mask: UInt32

  /// Events of any directories were lost.
  var isOverflow: Bool { mask & UInt32(IN_Q_OVERFLOW) != 0 }
  /// The watch was removed. This is its last event.
  var isLast: Bool { mask & UInt32(IN_IGNORED) != 0 }

  /// Reads all pending events from a non-blocking descriptor.
  static func read(from descriptor: borrowing FileDescriptor) -> [InotifyEvent] {
    var events: [InotifyEvent] = []
    while let bytes = try? descriptor.readPiece(), !bytes.isEmpty {
      let count = bytes.count
      bytes.withUnsafeBytes { bytes in
        // The system returns whole events only: a header of constant size, then the name padded with NUL.
        var offset = 0
        while offset < count {
          let head = bytes.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
          let name = bytes[(offset + headSize)...].prefix(Int(head.len)).prefix { $0 != 0 }
          events.append(InotifyEvent(watch: head.wd, name: Array(name), mask: head.mask))
          offset += headSize + Int(head.len)
        }
      }
    }
    return events
  }

  private static let headSize = MemoryLayout<inotify_event>.size
}
