internal import TroupeHost

/// The kind of a file that the host rejects, which decides on the command that fixes it: a compiler may write a plugin again, and no
/// other file.
enum LibraryKind {
  /// A plugin, or a damaged library that may have been one.
  case plugin
  /// A library or program without a manifest.
  case foreign
  /// The debug information of a library, without its code.
  case debugInformation
  /// A source, or any other file.
  case other

  init(_ path: String) {
    guard let file = try? PluginFile(path: path), (try? file.bytes.read(at: 0, count: 4)) == Array("\u{7F}ELF".utf8) else {
      self = .other
      return
    }
    do {
      let elf = try ELFFile(file.bytes)
      self = try elf.hasOnlyDebugInformation() ? .debugInformation : elf.manifestNote() == nil ? .foreign : .plugin
    } catch {
      self = path.hasSuffix(".so") ? .plugin : .other
    }
  }
}
