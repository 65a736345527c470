internal import TroupeHost

/// A parameter of a function or factory for which a caller gives an argument.
struct CatalogParameter: Sendable {
  /// The name; nil if the author gave none.
  let name: String?
  let type: SampleType
  /// The type for readers, such as `double` or `String`.
  let text: String

  /// Returns the parameters of a C function for which a caller gives arguments.
  static func parameters(_ signature: Signature) -> [CatalogParameter] {
    signature.callerParameters.map { parameter in
      CatalogParameter(name: parameter.name, type: SampleType(parameter), text: parameter.type.shortDescription)
    }
  }
}

/// The type of a factory in Swift as the host prints it, such as `(String, Int) -> any Transform`.
struct SwiftFactoryType {
  let parameters: [CatalogParameter]

  init(_ text: String) {
    parameters = Self.parameters(of: text).map { CatalogParameter(name: nil, type: Self.type($0), text: $0) }
  }

  /// Returns the types of the parameters. The type of a closure and generic arguments contain brackets and commas of their own.
  private static func parameters(of text: String) -> [String] {
    guard text.first == "(" else { return [] }
    var parameters: [String] = []
    var (depth, start, previous) = (0, text.index(after: text.startIndex), Character(" "))
    for index in text.indices {
      switch text[index] {
      case "(", "[", "<": depth += 1
      case ")", "]": depth -= 1
      // Not the end of an arrow.
      case ">" where previous != "-": depth -= 1
      default: break
      }
      if depth == 0 || depth == 1 && text[index] == "," {
        let parameter = text[start..<index].drop { $0 == " " }
        if !parameter.isEmpty { parameters.append(String(parameter)) }
        start = text.index(after: index)
      }
      guard depth > 0 else { return text[start...].hasPrefix(" -> ") ? parameters : [] }
      previous = text[index]
    }
    return []
  }

  private static func type(_ name: String) -> SampleType {
    switch name {
    case "String", "Optional<String>": .text
    case "Bool": .boolean
    case "Double", "Float": .number
    case "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32", "UInt64": .integer
    default: .null
    }
  }
}
