/// What is wrong in a JSON text, where, and the remedy:
///
///     at line 12, column 20: functions[2].signature is a number; expected a C function type, such as "double (double x, double y)"
package struct JSONError: Error, Sendable {
  /// The path to the wrong member, empty for the whole text.
  package let path: JSONPath
  /// In bytes from the start of the text. A missing member has the location of its object.
  package let offset: Int
  /// The end of a sentence that begins with the location.
  package let problem: String
  /// A sentence without its first capital letter.
  package let remedy: String

  package init(path: JSONPath, offset: Int, problem: String, remedy: String) {
    self.path = path
    self.offset = offset
    self.problem = problem
    self.remedy = remedy
  }

  package init(_ location: JSONLocation, _ problem: String, remedy: String) {
    self.init(path: location.path, offset: location.offset, problem: problem, remedy: remedy)
  }

  /// Returns the end of a sentence that begins with the file.
  package func sentence(in lines: JSONLines, of name: String? = nil) -> String {
    "is malformed \(location(in: lines, of: name))"
  }

  /// Returns the problem with the line and the column (in bytes), both from 1, and the member.
  ///
  /// - Parameter name: The name of the function with the member. The path has only its index.
  package func location(in lines: JSONLines, of name: String? = nil) -> String {
    let member = path.description
    let subject = member.isEmpty ? "the text" : member
    let (line, column) = lines.location(of: offset)
    let part = name.map { ", in \($0.shown)" } ?? ""
    return "at line \(line), column \(column)\(part): \(subject) \(problem)"
  }
}

/// Finds the line of an offset. Reads the text once, and then searches by bisection.
package struct JSONLines {
  /// The offsets at which lines begin.
  private var starts = [0]

  package init(_ text: some Collection<UInt8>) {
    for (offset, byte) in text.enumerated() where byte == UInt8(ascii: "\n") { starts.append(offset + 1) }
  }

  fileprivate func location(of offset: Int) -> (line: Int, column: Int) {
    var (low, high) = (0, starts.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if starts[middle] <= offset { low = middle } else { high = middle }
    }
    return (low + 1, offset - starts[low] + 1)
  }
}

/// Several errors of a text, collected so that one message has them all.
package struct JSONErrors: Error, Sendable {
  package private(set) var all: [JSONError]

  package init(_ all: [JSONError] = []) { self.all = all }

  /// Returns a value. If reading it throws, adds the error and returns nil.
  package mutating func reading<Value>(_ value: @autoclosure () throws(JSONError) -> Value) -> Value? {
    do {
      return try value()
    } catch {
      all.append(error)
      return nil
    }
  }
}
