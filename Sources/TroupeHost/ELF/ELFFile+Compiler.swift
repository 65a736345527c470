extension ELFFile {
  /// Whether the image holds Swift, as far as its sections tell.
  package func holdsSwift() throws(ELFError) -> Bool {
    try sections().contains { $0.name.hasPrefix("swift5_") }
  }

  /// What the file says about the compiler of its Swift code: the line of the `.comment` section that names the revision of
  /// Swift's own LLVM. Nil if it does not say.
  package func swiftCompiler() throws(ELFError) -> String? {
    guard
      let comment = try sections().first(where: { $0.name == ".comment" }), comment.size <= Self.maximumCommentSize
    else { return nil }
    let lines = try bytes.read(at: comment.offset, count: Int(comment.size)).split(separator: 0)
    return lines.map { String(decoding: $0, as: UTF8.self) }.first { $0.contains("swiftlang/llvm-project") }
  }

  private static let maximumCommentSize: UInt64 = 1 << 20
}
