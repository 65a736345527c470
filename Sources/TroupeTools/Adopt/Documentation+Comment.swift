internal import TroupeHost

/// The documentation of a function from the comment in front of its declaration: `/** … */`, `/*! … */` or `///`, with the commands of
/// Doxygen.
///
///     /** Returns the checksum of bytes.                description    Returns the checksum of bytes.
///      *
///      *  @param size  the number of bytes              size           the number of bytes
///      *  @return 0 for no bytes                                       Returns: 0 for no bytes
///      */
extension Documentation {
  /// - Parameter node: A `FullComment` of clang. It attaches comments of these forms only, since libraries write others in front of a
  ///   function or behind it.
  init(comment node: SyntaxNode) {
    var paragraphs: [String] = []
    var parameters: [String: String] = [:]
    for part in node.children {
      let text = Self.text(part)
      switch (part.kind, part.name ?? "") {
      case (_, _) where text.isEmpty: break
      case ("ParagraphComment", _), ("BlockCommandComment", "brief"), ("BlockCommandComment", "short"),
        ("BlockCommandComment", "details"), ("BlockCommandComment", "note"), ("BlockCommandComment", "warning"):
        paragraphs.append(text)
      case ("BlockCommandComment", "return"), ("BlockCommandComment", "returns"), ("BlockCommandComment", "result"):
        paragraphs.append("Returns: " + text)
      case ("ParamCommandComment", _): if let name = part.parameterName { parameters[name] = text }
      default: break
      }
    }
    self.init(description: paragraphs.joined(separator: "\n"), parameters: parameters)
  }

  /// The words of a part and of the paragraphs in it, with one space between two words.
  private static func text(_ node: SyntaxNode) -> String {
    func characters(_ node: SyntaxNode) -> String {
      var text = node.text ?? ""
      var isBehindText = false
      for child in node.children {
        // Two texts are two lines. A command stands within a line.
        let isText = child.kind != "InlineCommandComment"
        text += (isText && isBehindText ? " " : "") + characters(child)
        isBehindText = isText
      }
      return text
    }
    return characters(node).split { $0.isWhitespace || ($0.asciiValue ?? 32) < 32 }.joined(separator: " ")
  }
}
