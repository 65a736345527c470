/// The way to a value through objects and arrays, such as `functions[2].signature`.
///
/// Each path holds its last step and the path before it, so that the paths of all values of a text take memory in proportion
/// to the text, however deep it is.
package final class JSONPath: Sendable, CustomStringConvertible {
  private enum Step {
    case member(String)
    case element(Int)
  }

  /// The way to the whole.
  package static let whole = JSONPath(nil, .element(0))

  private let parent: JSONPath?
  private let step: Step

  private init(_ parent: JSONPath?, _ step: Step) {
    self.parent = parent
    self.step = step
  }

  /// The way to a member of the object that is here.
  package func member(_ name: String) -> JSONPath { JSONPath(self, .member(name)) }

  /// The way to an element of the array that is here.
  package func element(_ index: Int) -> JSONPath { JSONPath(self, .element(index)) }

  /// The path as text, empty for the whole. A name that is no plain word is in quotes, and shortened where it is long.
  package var description: String {
    guard let parent else { return "" }
    let start = parent.description
    return switch step {
    case .element(let index): "\(start)[\(index)]"
    case .member(let name) where !Self.isPlain(name): "\(start)[\(name.shown)]"
    case .member(let name): start.isEmpty ? name : "\(start).\(name)"
    }
  }

  private static func isPlain(_ name: String) -> Bool {
    guard 1...64 ~= name.utf8.count else { return false }
    return name.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
        true
      default: false
      }
    }
  }
}
