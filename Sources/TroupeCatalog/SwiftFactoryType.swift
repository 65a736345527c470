/// The type of a factory in Swift as the host prints it, such as `(String, Int) -> any Transform`.
struct SwiftFactoryType {
  /// The parameters of the factory.
  let parameters: [CatalogParameter]

  init(_ text: String) {
    guard text.hasPrefix("("), let end = text.firstRange(of: ") -> ") else {
      parameters = []
      return
    }
    let list = text[text.index(after: text.startIndex)..<end.lowerBound]
    parameters = list.split(separator: ", ").map { CatalogParameter(name: nil, type: Self.type(String($0)), text: String($0)) }
  }

  private static func type(_ name: String) -> SampleType {
    switch name {
    case "String", "Optional<String>": .text
    case "Bool": .boolean
    case "Double", "Float": .number
    case _ where name.hasPrefix("Int") || name.hasPrefix("UInt"): .integer
    default: .null
    }
  }
}
