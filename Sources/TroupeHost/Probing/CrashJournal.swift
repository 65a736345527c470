internal import CSandbox
internal import Glibc
internal import Synchronization
internal import TroupeFiles
internal import TroupeSandbox

/// The files that name the plugins whose code a host runs for the first time: while it opens a library, runs an entry or activates a
/// plugin. If the process ends in between, the next host finds the marks.
///
/// Each host has one file, holds a lock on it while the process runs, and maps it: a mark costs no system call to write and one to
/// remove. It survives a crash of the process, and not one of the system. Safe to use from any thread.
final class CrashJournal: Sendable {
  /// A plugin whose code runs.
  struct Mark: Sendable, Recordable {
    let files: [FileState]
    let step: LoadingStep
    /// The problem, if the process could report it before its end, as the end of a sentence that begins with the plugin.
    var problem: String?
  }

  /// The marks of a process that ended while a plugin's code ran.
  struct StaleEntry: Sendable {
    fileprivate let path: String
    let marks: [Mark]
    /// Whether the plugins have been probed since.
    let isProbed: Bool
  }

  private struct State {
    /// The file of this host; nil before the first mark. Negative if it cannot be written, or has been closed.
    var descriptor: Int32?
    var memory: UnsafeMutableRawBufferPointer?
    var inode: ino_t = 0
    var path = ""
    var marks: [Mark] = []
    /// The files of other processes that the last scan found.
    var staleEntries: [StaleEntry] = []
  }

  private let directory: String
  private let state = Mutex(State())
  /// The files of all hosts of this process. Opening one of them and closing it would release its lock.
  private static let own = Mutex<Set<String>>([])

  private static let probedSuffix = ".probed"
  /// The size of a file in bytes. Marks of several plugins fit.
  private static let size = 1 << 16

  /// Creates a journal with its files in a directory, which need not exist.
  init(directory: String) { self.directory = directory }

  deinit { close() }

  func during<Result, Failure>(
    _ step: LoadingStep, _ files: [FileState], _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    add(step, files)
    defer { remove(step, files) }
    return try body()
  }

  func add(_ step: LoadingStep, _ files: [FileState]) {
    state.withLock { state in
      state.marks.append(Mark(files: files, step: step))
      write(&state)
    }
  }

  func remove(_ step: LoadingStep, _ files: [FileState]) {
    state.withLock { state in
      guard let index = state.marks.lastIndex(where: { $0.step == step && $0.files == files }) else { return }
      // A constructor that closed it is blamed after the entry.
      if step != .opening, !Self.isOpen(state) { return blame(index, &state) }
      state.marks.remove(at: index)
      write(&state)
    }
  }

  var latest: Mark? { state.withLock { $0.marks.last } }

  /// Adds the problem for which the process is about to end to the mark of the crashed plugin, and removes the other marks. If the
  /// plugin is unknown, adds it to all marks.
  ///
  /// - Parameters:
  ///   - location: The end of a sentence.
  ///   - moment: When a plugin without a mark crashed, such as `outside of a call`: it gets a mark. Nil to give it none.
  func addProblem(_ problem: String, at location: String, of files: [FileState]?, moment: String? = nil) {
    state.withLock { state in
      if let files, let moment, !state.marks.contains(where: { $0.files == files }) {
        state.marks = [Mark(files: files, step: .activating, problem: "\(problem) \(moment)\(location)")]
        return write(&state)
      }
      guard !state.marks.isEmpty else { return }
      state.marks.removeAll { files != nil && $0.files != files }
      for index in state.marks.indices {
        state.marks[index].problem = "\(problem) \(state.marks[index].step.place)\(location)"
      }
      write(&state)
    }
  }

  /// Removes the file of this host. There are no marks afterwards.
  func close() {
    state.withLock { state in
      if let descriptor = state.descriptor, descriptor >= 0 {
        remove(state.path, descriptor)
        unmap(&state)
        // Succeeds if it is empty.
        rmdir(directory)
      }
      state.descriptor = -1
    }
  }

  // MARK: Files of other hosts

  /// Returns the marks of processes that have ended. Removes files without marks, and those whose plugins have changed since.
  func scan() -> [StaleEntry] {
    let staleEntries = ((try? Path.entries(in: directory)) ?? []).sorted().compactMap { staleEntry("\(directory)/\($0)") }
    state.withLock { $0.staleEntries = staleEntries }
    return staleEntries
  }

  /// Records that the plugins of the staleEntries have been probed.
  func setProbed(_ files: [FileState]) {
    state.withLock { state in
      for (index, staleEntry) in state.staleEntries.enumerated() where !staleEntry.isProbed && staleEntry.mark(of: files) != nil
      {
        let path = staleEntry.path + Self.probedSuffix
        guard rename(staleEntry.path, path) == 0 else { continue }
        state.staleEntries[index] = StaleEntry(path: path, marks: staleEntry.marks, isProbed: true)
      }
    }
  }

  /// Removes the staleEntries of a plugin that has passed a step, or was quarantined, with the marks of other plugins in the same files.
  func removeStaleEntries(of files: [FileState], through step: LoadingStep = .exiting) {
    state.withLock { state in
      state.staleEntries.removeAll { staleEntry in
        guard staleEntry.mark(of: files) != nil, staleEntry.marks.allSatisfy({ $0.step.rawValue <= step.rawValue }) else {
          return false
        }
        unlink(staleEntry.path)
        return true
      }
    }
  }

  private func staleEntry(_ path: String) -> StaleEntry? {
    guard !Self.own.withLock({ $0.contains(path) }), let file = try? RegularFile(path: path), file.isOwn,
      file.status.st_size <= Self.size, !isLocked(file.bytes.descriptor.rawValue)
    else { return nil }
    let marks = Self.marks((try? file.content(path)) ?? [])
    guard marks.contains(where: { $0.files.allSatisfy(\.isUnchanged) }) else {
      unlink(path)
      return nil
    }
    return StaleEntry(path: path, marks: marks, isProbed: path.hasSuffix(Self.probedSuffix))
  }

  /// Whether a process holds the lock of a file.
  private func isLocked(_ descriptor: Int32) -> Bool {
    var lock = flock()
    (lock.l_type, lock.l_whence) = (Int16(F_RDLCK), Int16(SEEK_SET))
    return fcntl(descriptor, F_GETLK, &lock) != 0 || lock.l_type != Int16(F_UNLCK)
  }

  // MARK: The file of this host

  private func write(_ state: inout State) {
    if state.descriptor == nil { open(&state) }
    if let memory = state.memory { Self.write(state.marks, to: memory) }
  }

  /// Writes the length of the marks, then the marks. If they do not fit, writes only the latest ones.
  private static func write(_ marks: [Mark], to memory: UnsafeMutableRawBufferPointer) {
    // A length of zero hides incomplete marks.
    memory.storeBytes(of: 0, as: UInt64.self)
    var rest = marks[...]
    while !rest.isEmpty {
      let bytes = RecordWriter.bytes(Array(rest))
      if bytes.count <= memory.count - 8 {
        memory[8...].copyBytes(from: bytes)
        return memory.storeBytes(of: UInt64(bytes.count), as: UInt64.self)
      }
      rest = rest.dropFirst()
    }
  }

  /// The marks in a file; none in a damaged one.
  static func marks(_ content: [UInt8]) -> [Mark] {
    guard content.count >= 8 else { return [] }
    let length = content.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }
    guard length > 0, length <= content.count - 8 else { return [] }
    return (try? RecordReader.value([Mark].self, Array(content[8..<(8 + Int(length))]))) ?? []
  }

  /// Whether no foreign code has closed the descriptor.
  private static func isOpen(_ state: State) -> Bool {
    guard let descriptor = state.descriptor, descriptor >= 0 else { return true }
    var status = stat()
    return fstat(descriptor, &status) == 0 && status.st_ino == state.inode
  }

  /// Leaves the file with the mark of a plugin that closed its descriptor, for the next host.
  private func blame(_ index: Int, _ state: inout State) {
    state.marks = [state.marks[index]]
    state.marks[0].problem = "closed files of the process \(state.marks[0].step.place)"
    write(&state)
    unmap(&state)
    (state.marks, state.descriptor) = ([], -1)
  }

  private func open(_ state: inout State) {
    state.descriptor = -1
    // Another host may remove the empty directory, or the file before it is locked.
    for _ in 0..<3 where state.descriptor == -1 {
      state.path = "\(directory)/\(getpid()).\(UInt64.random(in: 0...UInt64.max))"
      state.descriptor = create(state.path) ?? -1
    }
    var status = stat()
    guard let descriptor = state.descriptor, descriptor >= 0, fstat(descriptor, &status) == 0 else { return }
    state.inode = status.st_ino
    let start = mmap(nil, Self.size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
    guard let start, start != MAP_FAILED else { return }
    state.memory = UnsafeMutableRawBufferPointer(start: start, count: Self.size)
    // A length of zero: a plugin whose user interrupts the process is not at fault.
    troupe_crash_add_marks(start.assumingMemoryBound(to: UInt64.self))
  }

  private func unmap(_ state: inout State) {
    guard let memory = state.memory else { return }
    if let start = memory.baseAddress { troupe_crash_remove_marks(start.assumingMemoryBound(to: UInt64.self)) }
    munmap(memory.baseAddress, memory.count)
    state.memory = nil
  }

  /// Creates and locks the file; nil if that fails.
  private func create(_ path: String) -> Int32? {
    guard (try? AtomicFile.makeDirectory(directory, 0o700)) != nil else { return nil }
    _ = Self.own.withLock { $0.insert(path) }
    guard let file = try? FileDescriptor(opening: path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600) else {
      _ = Self.own.withLock { $0.remove(path) }
      return nil
    }
    // The plugin may close the descriptor, so that this object must not close it unchecked.
    let descriptor = file.release()
    var lock = flock()
    (lock.l_type, lock.l_whence) = (Int16(F_WRLCK), Int16(SEEK_SET))
    var status = stat()
    // Without room on the disk, a write to the mapped file would end the process.
    guard fcntl(descriptor, F_SETLK, &lock) == 0, posix_fallocate(descriptor, 0, off_t(Self.size)) == 0,
      fstat(descriptor, &status) == 0, status.st_nlink > 0
    else {
      remove(path, descriptor)
      return nil
    }
    return descriptor
  }

  private func remove(_ path: String, _ descriptor: Int32) {
    unlink(path)
    Glibc.close(descriptor)
    _ = Self.own.withLock { $0.remove(path) }
  }
}

extension CrashJournal.StaleEntry {
  func mark(of files: [FileState]) -> CrashJournal.Mark? { marks.first { $0.files == files } }
}

extension CrashJournal.Mark {
  func write(to writer: inout RecordWriter) { writer.write(files, step, problem) }

  init(from reader: inout RecordReader) throws(ReadError) { (files, step, problem) = try reader.values() }
}
