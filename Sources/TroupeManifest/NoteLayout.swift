/// The layout of a manifest in an ELF file: a note (System V ABI, "Note Section") with this name and type, whose content is JSON.
public enum NoteLayout {
  /// The name of the note, without its final NUL.
  public static let name = "Troupe"
  /// The type of the note.
  public static let type: UInt32 = 1
  /// The section of the note.
  public static let section = ".note.troupe"
  /// The largest size of a manifest, in bytes.
  public static let maximumContentSize = 64 * 1024
}
