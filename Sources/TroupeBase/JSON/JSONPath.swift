/// The path to a value through objects and arrays, such as `functions[2].signature`.
///
/// Each path holds its last step and the path before it. The paths of all values of a text therefore take memory in proportion to the
/// text, however deep it is nested.
package final class JSONPath: Sendable, CustomStringConvertible {
  private enum Step {
    case member(String)
    case element(Int)
  }

  package static let whole = JSONPath(parent: nil, .element(0))

  private let parent: JSONPath?
  private let step: Step

  private init(parent: JSONPath?, _ step: Step) {
    self.parent = parent
    self.step = step
  }

  package func member(_ name: String) -> JSONPath { JSONPath(parent: self, .member(name)) }

  package func element(_ index: Int) -> JSONPath { JSONPath(parent: self, .element(index)) }

  /// Empty for the whole text. A name that is not a plain word is in quotes, and shortened if it is long.
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
