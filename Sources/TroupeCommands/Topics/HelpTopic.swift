/// A text of `troupe help NAME` about something that several commands share.
///
/// `helpTopics` lists them. The help of the program and the completion of `troupe help` follow from that list.
package struct HelpTopic: Sendable {
  package struct Section: Sendable {
    package let title: String
    package let paragraphs: [String]
    /// Lines that are shown as they are: signatures, or commands that work where the example plugins are installed.
    package let examples: [String]

    init(_ title: String, _ paragraphs: String..., examples: [String]) {
      (self.title, self.paragraphs, self.examples) = (title, paragraphs, examples)
    }
  }

  package let name: String
  /// A phrase for lists of topics, such as "the types of functions".
  package let subject: String
  /// The first paragraph.
  package let summary: String
  package let sections: [Section]

  /// The text in lines of at most `columns` characters, but for examples.
  package func text(width columns: Int) -> String {
    func wrapped(_ text: String) -> String { TextWrap.lines(text, width: columns).joined(separator: "\n") }
    let blocks = sections.flatMap { section in
      let texts = section.paragraphs.map(wrapped) + [section.examples.map { "  " + $0 }.joined(separator: "\n")]
      return ["\(section.title):\n\(texts[0])"] + texts.dropFirst()
    }
    return ([wrapped(summary)] + blocks).joined(separator: "\n\n") + "\n"
  }
}

/// All topics, in the order of the help.
let helpTopics: [HelpTopic] = [.signatures]
