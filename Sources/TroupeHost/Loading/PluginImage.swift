internal import CTroupe
internal import Glibc
internal import Troupe

/// An open plugin library. Whatever needs the plugin's code holds a reference; the image is closed when the last one goes,
/// unless it has to stay.
final class PluginImage: @unchecked Sendable {
  // Sendable because the handle is a constant that only the loader looks into, and the loader is thread-safe; whether the
  // image stays is an atomic of `interface`.
  typealias Entry = @convention(c) (UnsafePointer<CRegistrar>) -> troupe_status

  /// What the plugin was given, which it may use until its image is closed.
  let interface: PluginInterface
  private let handle: UnsafeMutableRawPointer
  /// What the loader knows the library as.
  let path: String
  private let stays: Bool

  /// What the loader said about a library that it could not open.
  struct Failure: Error {
    let message: String
  }

  /// Opens a library, which runs its constructors.
  ///
  /// - Parameter stays: Whether the image stays mapped when the last reference goes. The Swift runtime never forgets an
  ///   image, so one that holds Swift has to.
  init(path: String, interface: PluginInterface, stays: Bool) throws(Failure) {
    // A path without a slash would be looked up in the loader's search path.
    self.path = Path.hasDirectory(path) ? path : "./" + path
    guard let handle = dlopen(self.path, RTLD_NOW | RTLD_LOCAL) else {
      throw Failure(message: dlerror().map { String(cString: $0) } ?? "the loader gives no reason")
    }
    self.handle = handle
    self.interface = interface
    self.stays = stays
  }

  /// The plugin's entry, or nil if it has none.
  var entry: Entry? {
    symbol("troupe_plugin_main").map { unsafeBitCast($0, to: Entry.self) }
  }

  /// The address behind a symbol of the library or of what it links, or nil if there is none. Valid for as long as this object.
  func symbol(_ name: String) -> UnsafeRawPointer? {
    dlsym(handle, name).map { UnsafeRawPointer($0) }
  }

  deinit {
    let closes = !stays && !interface.keepsImage
    if closes { dlclose(handle) }
    // Code that stays can still use what it was given.
    let isMapped = !closes || isStillOpen
    if isMapped { _ = Unmanaged.passRetained(interface) }
    interface.imageEnded(isMapped: isMapped)
  }

  /// Whether the library is in memory after it was closed: another host in this process has it open, or it is one that the
  /// loader never closes.
  private var isStillOpen: Bool {
    guard let other = dlopen(path, RTLD_NOW | RTLD_NOLOAD) else { return false }
    dlclose(other)
    return true
  }
}
