internal import Glibc

/// What the loader knows about a library that is open.
struct LinkMap {
  /// The path that it was opened under first.
  let name: String
  /// An address in it.
  let address: UnsafeRawPointer

  /// What the loader knows about the library behind a handle, which is open for as long as that; nil if the loader does not say.
  init?(_ handle: UnsafeMutableRawPointer) {
    guard let information = Self.information else { return nil }
    var map: UnsafePointer<Record>?
    guard information(handle, Self.request, &map) == 0, let record = map?.pointee, let address = record.dynamicSection else {
      return nil
    }
    name = record.name.map { String(cString: $0) } ?? ""
    self.address = address
  }

  /// Whether the library is still there after it was closed.
  var isOpen: Bool {
    guard let find = Self.finding else { return true }
    var found = Found()
    return find(address, &found) != 0 && found.file.map { String(cString: $0) } == name
  }

  /// Whether the library is the image of a file. Cost: reads `/proc/self/maps`.
  func isImage(of file: PluginFile.Identity) -> Bool {
    guard let mapped = LoadedFile.file(containing: address), mapped.inode == file.inode else { return false }
    if mapped.device == file.device { return true }
    // On some file systems, such as btrfs, the two devices differ for one file.
    let known = PluginFile.Identity.of(name)
    return known?.device == file.device && known?.inode == file.inode
  }

  // Swift's Glibc shows neither dlinfo(3), dladdr(3) nor their structs, which are extensions of GNU.
  private static let information = dlsym(nil, "dlinfo").map { unsafeBitCast($0, to: Information.self) }
  private static let finding = dlsym(nil, "dladdr").map { unsafeBitCast($0, to: Finding.self) }

  private typealias Information = @convention(c) (UnsafeMutableRawPointer, CInt, UnsafeMutableRawPointer) -> CInt
  private typealias Finding = @convention(c) (UnsafeRawPointer, UnsafeMutableRawPointer) -> CInt

  /// `RTLD_DI_LINKMAP` in dlfcn.h.
  private static let request: CInt = 2

  /// The beginning of `struct link_map` in link.h.
  private struct Record {
    let base: UInt
    let name: UnsafePointer<CChar>?
    let dynamicSection: UnsafeRawPointer?
  }

  /// `Dl_info` in dlfcn.h.
  private struct Found {
    var file: UnsafePointer<CChar>?
    var base: UnsafeRawPointer?
    var symbol: UnsafePointer<CChar>?
    var address: UnsafeRawPointer?
  }
}
