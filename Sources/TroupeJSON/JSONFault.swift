/// A fault in a JSON text: the location, the problem and the remedy.
package struct JSONFault: Error, Sendable {
  /// The path to the faulty member, such as `functions[2].signature`; empty for the whole text.
  package let path: JSONPath
  /// The location of the fault, in bytes from the start of the text; for a missing member, that of its object.
  package let offset: Int
  /// The problem, as the end of a sentence that begins with the location.
  package let problem: String
  /// The remedy, as a sentence without its first capital letter.
  package let remedy: String

  package init(path: JSONPath, offset: Int, problem: String, remedy: String) {
    self.path = path
    self.offset = offset
    self.problem = problem
    self.remedy = remedy
  }

  /// Creates a fault of the value at a location.
  package init(_ place: JSONPlace, _ problem: String, remedy: String) {
    self.init(path: place.path, offset: place.offset, problem: problem, remedy: remedy)
  }

  /// Returns the problem as the end of a sentence that begins with the file, with the member, the line and the column (in bytes), both
  /// from 1.
  ///
  /// - Parameter name: The name of the faulty part, which the path does not have; nil to show the path alone.
  package func sentence(in text: [UInt8], of name: String? = nil) -> String {
    let way = path.description
    let subject = way.isEmpty ? "the text" : way
    let before = text.prefix(offset)
    let line = before.count { $0 == UInt8(ascii: "\n") } + 1
    let column = offset - (before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0) + 1
    let part = name.map { ", in \($0.shown)" } ?? ""
    return "is malformed at line \(line), column \(column)\(part): \(subject) \(problem)"
  }
}

/// The faults of a text, which are collected so that one message has them all.
package struct JSONFaults: Error, Sendable {
  package private(set) var all: [JSONFault]

  package init(_ all: [JSONFault] = []) { self.all = all }

  /// Returns what a function reads; nil, after its fault has been added, if it throws.
  package mutating func reading<Value>(_ read: () throws(JSONFault) -> Value) -> Value? {
    do {
      return try read()
    } catch {
      all.append(error)
      return nil
    }
  }
}
