/// A fault in a JSON text: the location, the problem and the remedy.
package struct JSONError: Error, Sendable {
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
  package init(_ location: JSONLocation, _ problem: String, remedy: String) {
    self.init(path: location.path, offset: location.offset, problem: problem, remedy: remedy)
  }

  /// Returns the problem as the end of a sentence that begins with the file; see `location`.
  package func sentence(in lines: JSONLines, of name: String? = nil) -> String {
    "is malformed \(location(in: lines, of: name))"
  }

  /// Returns the problem with the line and the column (in bytes), both from 1, and the member.
  ///
  /// - Parameter name: The name of the function with the member, whose path has only its index; nil to show the path alone.
  package func location(in lines: JSONLines, of name: String? = nil) -> String {
    let way = path.description
    let subject = way.isEmpty ? "the text" : way
    let (line, column) = lines.location(of: offset)
    let part = name.map { ", in \($0.shown)" } ?? ""
    return "at line \(line), column \(column)\(part): \(subject) \(problem)"
  }
}

/// The lines of a text, for messages about locations in it. Cost: reads the text once, and then searches by bisection.
package struct JSONLines {
  /// The offsets of the first bytes of the lines.
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

/// The faults of a text, which are collected so that one message has them all.
package struct JSONErrors: Error, Sendable {
  package private(set) var all: [JSONError]

  package init(_ all: [JSONError] = []) { self.all = all }

  /// Returns what a function reads; nil, after its fault has been added, if it throws.
  package mutating func reading<Value>(_ read: () throws(JSONError) -> Value) -> Value? {
    do {
      return try read()
    } catch {
      all.append(error)
      return nil
    }
  }
}
