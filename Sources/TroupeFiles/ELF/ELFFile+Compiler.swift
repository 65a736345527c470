internal import TroupeBase

extension ELFFile {
  /// Whether the image contains Swift code, by the names of its sections.
  package func holdsSwift() throws(ReadError) -> Bool {
    try hasSection(prefix: "swift5_")
  }

  /// The compiler of the Swift code: the string in the section `.comment` that names the revision of Swift's LLVM. Nil if there is
  /// none.
  package func swiftCompiler() throws(ReadError) -> String? {
    guard let comment = try section(named: ".comment"), comment.size <= Self.maximumCommentSize else { return nil }
    return try bytes.view(at: comment.offset, count: Int(comment.size)).text(containing: Self.revisionMark)
  }

  private static let maximumCommentSize: UInt64 = 1 << 20
  private static let revisionMark = Array("swiftlang/llvm-project".utf8)
}
