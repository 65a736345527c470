/// How a manifest lies in an ELF file: a note (System V ABI, "Note Section") with this name and type, whose content is JSON.
public enum NoteLayout {
  /// The name of the note, without the NUL that ends it in the file.
  public static let name = "Troupe"
  /// The type of the note.
  public static let type: UInt32 = 1
  /// The section that holds it.
  public static let section = ".note.troupe"
  /// The longest manifest that is read, in bytes.
  public static let maximumContentSize = 64 * 1024
}
