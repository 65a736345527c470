/// What is wrong with a JSON text, where, and what to do about it.
package struct JSONFault: Error, Sendable {
  /// The way to the member that it is about, such as `functions[2].signature`; empty for the whole.
  package let path: JSONPath
  /// Where the fault is, in bytes from the start of the text; for what is not there, the object that lacks it.
  package let offset: Int
  /// The end of a sentence that begins with the place.
  package let problem: String
  /// What to do, as a sentence without its first capital letter.
  package let remedy: String

  package init(path: JSONPath, offset: Int, problem: String, remedy: String) {
    self.path = path
    self.offset = offset
    self.problem = problem
    self.remedy = remedy
  }

  /// A fault of the value at a place.
  package init(_ place: JSONPlace, _ problem: String, remedy: String) {
    self.init(path: place.path, offset: place.offset, problem: problem, remedy: remedy)
  }

  /// What is wrong as the end of a sentence that begins with the file: the member, the line and the column (in bytes), each
  /// from 1, and the problem.
  package func sentence(in text: [UInt8]) -> String {
    let way = path.description
    let subject = way.isEmpty ? "the text" : way
    let before = text.prefix(offset)
    let line = before.count { $0 == UInt8(ascii: "\n") } + 1
    let column = offset - (before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0) + 1
    return "is not right at line \(line), column \(column): \(subject) \(problem)"
  }
}
