internal import CLinux
internal import TroupeFiles

/// The loader's description of an open library.
struct LinkMap {
  /// The path under which it was opened first.
  let name: String
  /// An address in it.
  let address: UnsafeRawPointer

  /// Looks up an open library; nil if the loader does not know the handle.
  init?(_ handle: UnsafeMutableRawPointer) {
    var path: UnsafePointer<CChar>?
    var address: UnsafeRawPointer?
    guard linux_image_of_handle(handle, &path, &address), let path, let address else { return nil }
    name = String(cString: path)
    self.address = address
  }

  /// Whether the library is still open after it was closed.
  var isOpen: Bool { linux_image_path(address).map { String(cString: $0) } == name }

  /// Whether the library is the image of a file. Cost: reads `/proc/self/maps`.
  func isImage(of file: PluginFile.Identity) -> Bool {
    guard let mapped = LoadedFile.file(containing: address), mapped.inode == file.inode else { return false }
    if mapped.device == file.device { return true }
    // On some file systems, such as btrfs, the two devices differ for one file.
    let known = PluginFile.Identity.of(name)
    return known?.device == file.device && known?.inode == file.inode
  }
}
