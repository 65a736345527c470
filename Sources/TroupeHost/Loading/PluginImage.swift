internal import CLinux
internal import CSandbox
internal import CTroupe
internal import Glibc
internal import Synchronization
internal import Troupe
internal import TroupeCall
internal import TroupeFiles

/// An open plugin library. All users of the plugin's code hold a reference.
///
/// The release of the last one retires the plugin, and the image stays mapped: threads and thread keys of the plugin, or of the libraries
/// that it needs, may still lead to its code. An image is unmapped only if the host asks for that and `RemainingCode` sees no such code;
/// one with Swift never, since the Swift runtime forgets no image.
final class PluginImage: @unchecked Sendable {
  // Sendable because only the thread-safe loader reads the constant handle, and the flag that keeps the image is an atomic of
  // `bindings`.
  typealias Entry = @convention(c) (UnsafePointer<CRegistrar>) -> troupe_status

  /// The bindings of the plugin, which its code may use until the image is closed.
  let bindings: HostBindings
  private let handle: UnsafeMutableRawPointer
  let path: String
  private let state = Mutex(State())

  private struct State {
    /// The machine code that was made for the image.
    var code: [Callback] = []
    /// The call with which an adopted library stops.
    var end: (@Sendable () -> Void)?
  }

  /// Keeps machine code that leads to data of the image for as long as the image.
  func keep(_ code: Callback) { state.withLock { $0.code.append(code) } }

  /// Runs a closure after the last release of the image, while its code can still run.
  func atEnd(_ end: @escaping @Sendable () -> Void) { state.withLock { $0.end = end } }

  /// The lock for calls of functions that are not thread-safe.
  var lock: CallLock { .of(image: handle, library: path) }
  private let unloads: Bool

  /// Whether a host of this process has opened an image that may contain Swift. Until then, all types that the Swift runtime knows are
  /// the program's.
  static let hasOpenedSwift = Atomic(false)

  /// Opens a library, which runs its constructors.
  ///
  /// - Parameters:
  ///   - holdsSwift: Whether the image may contain Swift.
  ///   - unloads: Whether the image is unmapped after the last release.
  ///   - process: The process that opens it.
  /// - Throws: A `Diagnosis` without a subject.
  init(
    _ source: ImageSource, bindings: HostBindings, holdsSwift: Bool, unloads: Bool, process: LoadingProcess
  ) throws(Diagnosis) {
    path = source.file
    if holdsSwift { Self.hasOpenedSwift.store(true, ordering: .releasing) }
    // No other thread opens a library of the same name between the check and the opening.
    let lock = ImageLock()
    defer { lock.unlock() }
    let directory = Path.directory(of: source.file)
    if !source.isLoaded {
      try LibraryConflicts(of: source.path, directory: directory).check(id: bindings.registrations.context.id)
    }
    // An image that is open already needs nothing more.
    var warnings = linux_is_open(source.path) ? [] : try LinkCheck(of: source.path, directory: directory).run()
    let mayBindMainQueue = process == .program && !troupe_is_main_thread() && !Self.hasFoundation
    // The image itself keeps the libraries open that it needs.
    var needs: [UnsafeMutableRawPointer] = []
    defer { for need in needs { dlclose(need) } }
    func open(_ path: String, _ mode: Int32) throws(Diagnosis) -> UnsafeMutableRawPointer {
      if let handle = dlopen(path, RTLD_NOW | RTLD_LOCAL | mode) { return handle }
      let message = linux_loader_error().map { String(cString: $0) } ?? "the loader gives no reason"
      throw LoaderError(message, opening: path, of: source.file, process).diagnosis
    }
    for need in source.needs { needs.append(try open(need, unloads ? 0 : RTLD_NODELETE)) }
    let additions = LoadedImage.additions
    handle = try open(source.path, source.isLoaded ? RTLD_NOLOAD : 0)
    let map = LinkMap(handle)
    // The loader looks up open libraries by name, and any library can have the path of another one as its SONAME.
    let isOther = LoadedImage.additions == additions || map?.name != source.path
    // Another file may have been at the path when the loader opened it. Moving the file back would change its times.
    let isChanged = FileStamp.of(source.path) != source.stamp
    if let map, isOther || isChanged, !map.isImage(of: source.stamp) {
      guard isOther else {
        // Its constructors have run, so that it stays mapped.
        throw Diagnosis(
          .notLoadable, problem: "cannot be loaded: another file was at the path when the loader opened it",
          remedy: "refresh the host")
      }
      dlclose(handle)
      throw Diagnosis(
        .notLoadable, problem: "cannot be loaded: the loader takes the open library \(map.name) for it",
        remedy: "change the SONAME of one of the two, or restart the program if the file was replaced")
    }
    if mayBindMainQueue && Self.hasFoundation { warnings.append(Self.foundationWarning) }
    self.warnings = warnings
    self.bindings = bindings
    obstacle = unloads ? RemainingCode.obstacle(in: source.path, directory: directory) : nil
    self.unloads = unloads && obstacle == nil
  }

  /// Those of `LinkCheck.run()`, and one about Foundation.
  let warnings: [String]

  private static var hasFoundation: Bool { LinkMap(named: "libFoundation.so") != nil }

  /// Foundation binds the main queue to the thread that loads it.
  private static let foundationWarning =
    "loads Foundation on a thread other than the main one, so that the main actor of the program may run no further job; link Foundation to the "
    + "program, see the guide Embedding"

  /// Why the image stays mapped although the host unmaps images, as the end of a sentence that begins with it.
  let obstacle: String?

  var entry: Entry? {
    symbol("troupe_plugin_main").map { unsafeBitCast($0, to: Entry.self) }
  }

  /// Returns the address of a symbol of the library or of a library that it links; nil if there is none. Valid for as long as this
  /// object.
  func symbol(_ name: String) -> UnsafeRawPointer? {
    dlsym(handle, name).map { UnsafeRawPointer($0) }
  }

  /// Returns the function that the library's code calls by a name: its own, or else the first one in the process. That is not always the
  /// one of a library that it links, such as `free` in a process with another allocator.
  func function(_ name: String) -> UnsafeRawPointer? {
    guard let linked = symbol(name) else { return PreparedCall.global(name) }
    let isOwn = LinkMap(handle)?.contains(linked) ?? true
    return isOwn ? linked : PreparedCall.global(name) ?? linked
  }

  deinit {
    state.withLock { $0.end.take() }?()
    let closes = unloads && !bindings.keepsImage
    let map = closes ? LinkMap(handle) : nil
    if closes { dlclose(handle) }
    // Code that stays mapped can still use the bindings: that of an image that was not closed, that another host in this process has
    // open, or that the loader never closes.
    let isMapped = map?.isOpen ?? true
    if isMapped { _ = Unmanaged.passRetained(bindings) }
    bindings.imageEnded(isMapped: isMapped)
  }
}

/// Held while a library is checked and opened. A constructor may open another plugin on the same thread, as the loader allows.
private struct ImageLock {
  init() { pthread_mutex_lock(Self.mutex) }

  func unlock() { pthread_mutex_unlock(Self.mutex) }

  // A mutex of C, whose address is constant and which any thread may use.
  nonisolated(unsafe) private static let mutex: UnsafeMutablePointer<pthread_mutex_t> = {
    let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    var attributes = pthread_mutexattr_t()
    pthread_mutexattr_init(&attributes)
    pthread_mutexattr_settype(&attributes, Int32(PTHREAD_MUTEX_RECURSIVE))
    pthread_mutex_init(mutex, &attributes)
    pthread_mutexattr_destroy(&attributes)
    return mutex
  }()
}
