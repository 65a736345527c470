internal import CLinux
internal import Glibc
internal import TroupeFiles

/// A library in this process, as the loader lists it.
struct LoadedImage: Hashable {
  /// The path under which the loader opened it first; empty for the program.
  let path: String
  /// Whether it made the stack executable (`PF_X` of `PT_GNU_STACK`).
  let needsExecutableStack: Bool

  /// The libraries in this process, in the order in which the loader opened them.
  static var all: [LoadedImage] {
    var images: [LoadedImage] = []
    withUnsafeMutablePointer(to: &images) { images in
      linux_for_each_image(
        { image, images in
          images.assumingMemoryBound(to: [LoadedImage].self).pointee.append(LoadedImage(image.pointee))
          return true
        }, images)
    }
    return images
  }

  /// The number of libraries that the loader has ever opened. It is unchanged after an opening that found the library open.
  static var additions: UInt64 {
    var additions: UInt64 = 0
    linux_for_each_image(
      { image, additions in
        additions.assumingMemoryBound(to: UInt64.self).pointee = image.pointee.additions
        return false
      }, &additions)
    return additions
  }

  private init(_ image: linux_image) {
    path = String(cString: image.path)
    needsExecutableStack = image.has_executable_stack
  }
}

/// The loader's description of an open library.
struct LinkMap {
  /// The path under which the loader opened it first.
  let name: String
  let address: UnsafeRawPointer

  /// Looks up an open library; nil if the loader does not know the handle.
  init?(_ handle: UnsafeMutableRawPointer) {
    var path: UnsafePointer<CChar>?
    var address: UnsafeRawPointer?
    guard linux_image_of_handle(handle, &path, &address), let path, let address else { return nil }
    name = String(cString: path)
    self.address = address
  }

  /// Looks up the library that is open under a name or path; nil if there is none.
  init?(named name: String) {
    guard let handle = dlopen(name, RTLD_LAZY | RTLD_NOLOAD) else { return nil }
    defer { dlclose(handle) }
    self.init(handle)
  }

  /// Whether the library is still open after it was closed.
  var isOpen: Bool { contains(address) }

  func contains(_ address: UnsafeRawPointer) -> Bool { linux_image_path(address).map { String(cString: $0) } == name }

  /// Whether the library is the image of a file. Cost: reads `/proc/self/maps`.
  func isImage(of file: FileStamp) -> Bool {
    guard let mapped = MemoryMap.file(containing: address), mapped.inode == file.inode else { return false }
    if mapped.device == file.device { return true }
    // On some file systems, such as btrfs, the two devices differ for one file.
    let known = FileStamp.of(name)
    return known?.device == file.device && known?.inode == file.inode
  }

  /// Whether the file at `name` is still the one that was opened.
  var isUnchanged: Bool { FileStamp.of(name).map(isImage) ?? false }

  /// Whether a file has the content of the library: it is the file of the library, or a copy of that. If the file of the
  /// library was replaced since, its content is lost, and the build ids are compared.
  func isCopy(_ path: String) -> Bool {
    guard let file = try? RegularFile(path: path) else { return false }
    if isImage(of: file.stamp) { return true }
    if let own = try? RegularFile(path: name), isImage(of: own.stamp) {
      guard own.stamp.size == file.stamp.size, let hash = try? ContentHash(of: own.bytes) else { return false }
      return (try? ContentHash(of: file.bytes)) == hash
    }
    guard let id = buildID, let other = try? ELFFile(file.bytes).buildID() else { return false }
    return id == other
  }

  private var buildID: [UInt8]? {
    var count = 0
    return linux_build_id(address, &count).map { Array(UnsafeRawBufferPointer(start: $0, count: count)) }
  }
}
