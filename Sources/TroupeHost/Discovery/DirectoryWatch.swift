internal import Dispatch
internal import Glibc
internal import Synchronization

/// Notices that files in directories come, go or are finished, by inotify(7), and that the directories themselves do.
///
/// A directory is watched, and so are those above it, for the one name in them that leads to it: it may be taken away and put
/// back, be put there later, or be a link that is switched. The same is done for every link to a plugin in it, and for files
/// elsewhere. What is watched is found out by `look`, anew after each change.
final class DirectoryWatch {
  /// One element for any number of changes that nobody has asked about yet. It never ends by itself.
  let changes: AsyncStream<Void>
  private let descriptor: Int32
  private let source: any DispatchSourceRead
  private let interests = Interests()

  /// Watches nothing yet. Throws a `SystemError` if the system allows no more of these.
  init() throws(SystemError) {
    let descriptor = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
    guard descriptor >= 0 else { throw SystemError(code: errno) }
    self.descriptor = descriptor
    let (changes, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    self.changes = changes
    source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: DispatchQueue(label: "troupe.watch"))
    source.setEventHandler { [interests] in
      // What happened is not looked at further: the directories are, as a whole.
      if interests.areMet(by: InotifyEvent.read(from: descriptor)) { continuation.yield() }
    }
    source.setCancelHandler {
      close(descriptor)
      continuation.finish()
    }
    source.activate()
  }

  deinit { source.cancel() }

  /// Finds out what has to be watched, and watches that and nothing else. What comes to be there after this is noticed; so whoever
  /// looks at the directories does so behind it.
  ///
  /// - Parameters:
  ///   - directories: Directories of plugins, which need not be there.
  ///   - files: Files elsewhere, which need not be there either.
  /// - Returns: Whether a directory is watched now that was not before.
  /// - Throws: A `SystemError` if the system has no watches left; what has been found out so far is watched then.
  @discardableResult
  func look(at directories: [String], files: [String]) throws(SystemError) -> Bool {
    try interests.change { interests throws(SystemError) in
      let old = Set(interests.keys)
      var search = Search(descriptor: descriptor)
      defer { interests.merge(search.found) { _, new in new } }
      for directory in directories { try search.add(directory: directory) }
      for file in files { try search.add(file: file) }
      for number in old where search.found[number] == nil {
        inotify_rm_watch(descriptor, number)
        interests[number] = nil
      }
      return !old.isSuperset(of: search.found.keys)
    }
  }

  /// What matters in one directory.
  private struct Interest {
    /// Whether everything does.
    var isWhole = false
    /// Else the names that do.
    var names: Set<[UInt8]> = []
  }

  /// What matters, by the number that the system gives a directory.
  private final class Interests: Sendable {
    private let state = Mutex<[Int32: Interest]>([:])

    /// Changes them; what happens meanwhile is judged when that is done.
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

  /// One search for what has to be watched, which begins to watch what it finds.
  private struct Search {
    let descriptor: Int32
    private(set) var found: [Int32: Interest] = [:]
    /// By path; nil for those that cannot be watched.
    private var numbers: [String: Int32?] = [:]

    init(descriptor: Int32) { self.descriptor = descriptor }

    mutating func add(directory: String) throws(SystemError) {
      guard let end = try follow(directory), let number = try watch(end) else { return }
      found[number, default: Interest()].isWhole = true
      let names = (try? Directory.names(in: end)) ?? []
      for name in names where name.utf8.first != UInt8(ascii: ".") && (name.hasSuffix(".so") || AdoptionFile.isName(name)) {
        var status = stat()
        let path = end + "/" + name
        if lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK { try add(file: path) }
      }
    }

    mutating func add(file: String) throws(SystemError) { _ = try follow(file) }

    /// Watches each lookup of a path. Returns the path without links, or nil if it leads nowhere.
    private mutating func follow(_ path: String) throws(SystemError) -> String? {
      guard var walk = try? PathWalk(path) else { return nil }
      while let lookup = walk.next {
        if let number = try watch(lookup.directory) {
          found[number, default: Interest()].names.insert(Path.key(lookup.name))
        }
        guard (try? walk.advance()) != nil else { return nil }
      }
      return walk.path
    }

    /// Watches a directory, and gives its number; nil if it is not there, or may not be read, which shows in the one above it
    /// once it is different.
    private mutating func watch(_ directory: String) throws(SystemError) -> Int32? {
      if let known = numbers[directory] { return known }
      let number = inotify_add_watch(descriptor, directory, DirectoryWatch.events)
      if number < 0 && (errno == ENOSPC || errno == ENOMEM) { throw SystemError(code: errno) }
      numbers[directory] = .some(number < 0 ? nil : number)
      return number < 0 ? nil : number
    }
  }

  /// A file that is written is looked at when it is closed, and one that is renamed or linked when it has its name.
  private static let events = UInt32(
    IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE | IN_DELETE | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF
      | IN_ONLYDIR)
}
