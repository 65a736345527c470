internal import CTroupe
internal import Glibc
internal import Synchronization
internal import Troupe
internal import TroupeCall
internal import TroupeFiles

/// An open plugin library. All users of the plugin's code hold a reference; the release of the last one closes the image, unless it must
/// stay mapped.
final class PluginImage: @unchecked Sendable {
  // Sendable because only the thread-safe loader reads the constant handle, and the flag that keeps the image is an atomic of
  // `interface`.
  typealias Entry = @convention(c) (UnsafePointer<CRegistrar>) -> troupe_status

  /// The interface of the plugin, which its code may use until the image is closed.
  let interface: PluginInterface
  private let handle: UnsafeMutableRawPointer
  /// The file of the library.
  let path: String
  private let stays: Bool

  /// Whether a host of this process has opened an image that may contain Swift. Until then, all types that the Swift runtime knows are
  /// the program's.
  static let hasOpenedSwift = Atomic(false)

  /// Opens a library, which runs its constructors.
  ///
  /// - Parameter stays: Whether the image stays mapped after the last release. The Swift runtime cannot unload an image, so an image with
  ///   Swift has to stay.
  /// - Throws: A `Diagnosis` without a subject.
  init(_ source: ImageSource, interface: PluginInterface, stays: Bool) throws(Diagnosis) {
    path = source.file
    if stays { Self.hasOpenedSwift.store(true, ordering: .releasing) }
    // The image itself keeps the libraries open that it needs.
    var needs: [UnsafeMutableRawPointer] = []
    defer { for need in needs { dlclose(need) } }
    for need in source.needs { needs.append(try Self.open(need, stays ? RTLD_NODELETE : 0)) }
    let additions = LoadedImage.additions
    handle = try Self.open(source.path, source.isLoaded ? RTLD_NOLOAD : 0)
    let map = LinkMap(handle)
    // The loader looks up open libraries by name, and any library can have the path of another one as its SONAME.
    let isOther = LoadedImage.additions == additions || map?.name != source.path
    // Another file may have been at the path when the loader opened it. Moving the file back would change its times.
    let isChanged = PluginFile.Identity.of(source.path) != source.identity
    if let map, isOther || isChanged, !map.isImage(of: source.identity) {
      dlclose(handle)
      guard isOther else {
        throw Diagnosis(
          .notLoadable, problem: "cannot be loaded: another file was at the path when the loader opened it",
          remedy: "refresh the host")
      }
      throw Diagnosis(
        .notLoadable, problem: "cannot be loaded: the loader takes the open library \(map.name) for it",
        remedy: "change the SONAME of one of the two, or restart the program if the file was replaced")
    }
    self.interface = interface
    self.stays = stays
  }

  private static func open(_ path: String, _ mode: Int32) throws(Diagnosis) -> UnsafeMutableRawPointer {
    if let handle = dlopen(path, RTLD_NOW | RTLD_LOCAL | mode) { return handle }
    let message = dlerror().map { String(cString: $0) } ?? "the loader gives no reason"
    throw Diagnosis(
      .notLoadable, problem: "cannot be loaded: \(message)",
      remedy:
        "install the libraries that it needs, or rebuild it as a shared library with -rpath and a -l option for each of them")
  }

  /// The entry of the plugin; nil without one.
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
    let closes = !stays && !interface.keepsImage
    let map = closes ? LinkMap(handle) : nil
    if closes { dlclose(handle) }
    // Code that stays mapped can still use the interface: that of an image that was not closed, that another host in this process has
    // open, or that the loader never closes.
    let isMapped = map?.isOpen ?? true
    if isMapped { _ = Unmanaged.passRetained(interface) }
    interface.imageEnded(isMapped: isMapped)
  }
}
