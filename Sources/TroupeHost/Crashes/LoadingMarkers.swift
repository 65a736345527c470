internal import Glibc
internal import Synchronization

/// Marks on disk which plugins' code runs for the first time in this process: while a library is opened, an entry runs or a plugin is
/// activated. If the process ends meanwhile, the next host finds the marks.
///
/// One file for each process, which holds a lock on it. It lists the plugins in question and is empty otherwise. Marking costs two system
/// calls and is not written through to the disk: a crash of the process does not lose it. Safe to use from any thread.
final class LoadingMarkers: Sendable {
  /// A plugin whose code runs.
  struct Mark: Sendable, Recordable {
    let files: [RegistryFile.FileState]
    let step: LoadingStep
    /// The problem, if the process could report it before its end, as the end of a sentence that begins with the plugin.
    var problem: String?
  }

  /// The marks of a process that ended while a plugin's code ran.
  struct Leftover: Sendable {
    fileprivate let path: String
    let marks: [Mark]
    /// Whether the plugins have been probed since.
    let isProbed: Bool
  }

  private struct State {
    /// The file of this process; nil before the first mark. Negative if it cannot be written.
    var descriptor: Int32?
    var path = ""
    var marks: [Mark] = []
    /// The files of other processes that the last scan found.
    var leftovers: [Leftover] = []
  }

  private let directory: String
  private let state = Mutex(State())
  /// The files of all hosts of this process. Opening one of them and closing it would release its lock.
  private static let own = Mutex<Set<String>>([])

  private static let probedSuffix = ".probed"
  private static let maximumSize: off_t = 1 << 20

  /// Creates markers with their files in a directory, which need not exist.
  init(directory: String) { self.directory = directory }

  deinit { close() }

  /// Runs a closure with a mark for a plugin.
  func during<Result, Failure>(
    _ step: LoadingStep, _ files: [RegistryFile.FileState], _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    begin(step, files)
    defer { end(step, files) }
    return try body()
  }

  /// Writes a mark, which `end` removes.
  func begin(_ step: LoadingStep, _ files: [RegistryFile.FileState]) {
    state.withLock { state in
      state.marks.append(Mark(files: files, step: step))
      write(&state)
    }
  }

  /// Removes a mark.
  func end(_ step: LoadingStep, _ files: [RegistryFile.FileState]) {
    state.withLock { state in
      guard let index = state.marks.lastIndex(where: { $0.step == step && $0.files == files }) else { return }
      state.marks.remove(at: index)
      write(&state, isShorter: true)
    }
  }

  /// Adds a problem to all marks, since the process is about to end for it.
  func note(_ problem: String) {
    state.withLock { state in
      for index in state.marks.indices { state.marks[index].problem = problem }
      write(&state)
    }
  }

  /// Removes the file of this process.
  func close() {
    state.withLock { state in
      guard let descriptor = state.descriptor, descriptor >= 0 else { return }
      unlink(state.path)
      Glibc.close(descriptor)
      _ = Self.own.withLock { $0.remove(state.path) }
      state.descriptor = nil
      // Succeeds if it is empty.
      rmdir(directory)
    }
  }

  // MARK: Files of other processes

  /// Returns the marks of processes that have ended. Removes files without marks, and those whose plugins have changed since.
  func scan() -> [Leftover] {
    let leftovers = ((try? Directory.names(in: directory)) ?? []).sorted().compactMap { leftover("\(directory)/\($0)") }
    state.withLock { $0.leftovers = leftovers }
    return leftovers
  }

  /// Notes that the plugins of the leftovers have been probed.
  func setProbed(_ files: [RegistryFile.FileState]) {
    state.withLock { state in
      for (index, leftover) in state.leftovers.enumerated() where !leftover.isProbed && leftover.concerns(files) {
        let path = leftover.path + Self.probedSuffix
        guard rename(leftover.path, path) == 0 else { continue }
        state.leftovers[index] = Leftover(path: path, marks: leftover.marks, isProbed: true)
      }
    }
  }

  /// Removes the leftovers of a plugin that has passed a step, or was put into quarantine.
  func remove(_ files: [RegistryFile.FileState], through step: LoadingStep = .exiting) {
    state.withLock { state in
      state.leftovers.removeAll { leftover in
        guard leftover.concerns(files), leftover.marks.allSatisfy({ $0.step.rawValue <= step.rawValue }) else { return false }
        unlink(leftover.path)
        return true
      }
    }
  }

  private func leftover(_ path: String) -> Leftover? {
    guard !Self.own.withLock({ $0.contains(path) }), let file = try? PluginFile(path: path),
      file.status.st_uid == geteuid(), file.status.st_mode & (S_IWGRP | S_IWOTH) == 0,
      file.status.st_size <= Self.maximumSize, !isLocked(file.bytes.descriptor)
    else { return nil }
    let bytes = (try? file.bytes.read(at: 0, count: Int(file.status.st_size))) ?? []
    let marks = (try? RecordReader.value([Mark].self, bytes)) ?? []
    guard marks.contains(where: { $0.files.allSatisfy { PluginFile.Identity.of($0.path) == $0.identity } }) else {
      unlink(path)
      return nil
    }
    return Leftover(path: path, marks: marks, isProbed: path.hasSuffix(Self.probedSuffix))
  }

  /// Whether a process holds the lock of a file.
  private func isLocked(_ descriptor: Int32) -> Bool {
    var lock = flock()
    (lock.l_type, lock.l_whence) = (Int16(F_RDLCK), Int16(SEEK_SET))
    return fcntl(descriptor, F_GETLK, &lock) != 0 || lock.l_type != Int16(F_UNLCK)
  }

  // MARK: The file of this process

  private func write(_ state: inout State, isShorter: Bool = false) {
    if state.descriptor == nil { open(&state) }
    guard let descriptor = state.descriptor, descriptor >= 0 else { return }
    let bytes = state.marks.isEmpty ? [] : RecordWriter.bytes(state.marks)
    if !bytes.isEmpty { pwrite(descriptor, bytes, bytes.count, 0) }
    if isShorter { ftruncate(descriptor, off_t(bytes.count)) }
  }

  private func open(_ state: inout State) {
    state.path = "\(directory)/\(getpid()).\(UInt64.random(in: 0...UInt64.max))"
    state.descriptor = -1
    guard (try? AtomicFile.makeDirectory(directory, 0o700)) != nil else { return }
    let path = state.path
    _ = Self.own.withLock { $0.insert(path) }
    let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { return }
    var lock = flock()
    (lock.l_type, lock.l_whence) = (Int16(F_WRLCK), Int16(SEEK_SET))
    _ = fcntl(descriptor, F_SETLK, &lock)
    state.descriptor = descriptor
  }
}

extension LoadingMarkers.Leftover {
  /// Whether a plugin with these files is marked.
  func concerns(_ files: [RegistryFile.FileState]) -> Bool { marks.contains { $0.files == files } }

  /// The mark of a plugin.
  func mark(of files: [RegistryFile.FileState]) -> LoadingMarkers.Mark? { marks.first { $0.files == files } }
}

extension LoadingMarkers.Mark {
  func write(to writer: inout RecordWriter) {
    writer.write(files)
    writer.write(number: step.rawValue)
    writer.write(problem)
  }

  init(from reader: inout RecordReader) throws(RecordError) {
    files = try [RegistryFile.FileState](from: &reader)
    let number: UInt8 = try reader.number()
    guard let step = LoadingStep(rawValue: number) else { throw RecordError("\(number) is no step") }
    self.step = step
    problem = try String?(from: &reader)
  }
}
