extension ELFFile {
  /// Whether the image holds Swift, as far as its sections tell.
  package func holdsSwift() throws(ELFError) -> Bool {
    try hasSection(prefix: "swift5_")
  }

  /// What the file says about the compiler of its Swift code: the line of the `.comment` section that names the revision of
  /// Swift's own LLVM. Nil if it does not say.
  package func swiftCompiler() throws(ELFError) -> String? {
    guard let comment = try section(named: ".comment"), comment.size <= Self.maximumCommentSize else { return nil }
    return try bytes.words(at: comment.offset, count: Int(comment.size)).text(containing: Self.revisionMark)
  }

  private static let maximumCommentSize: UInt64 = 1 << 20
  private static let revisionMark = Array("swiftlang/llvm-project".utf8)
}
