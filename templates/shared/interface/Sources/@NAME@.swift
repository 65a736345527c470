/// Greets people. The program and its plugins implement and call it.
public protocol Greeter: Sendable {
  /// Returns a greeting for a person.
  func greet(_ person: Person) -> String
}

/// Who is greeted.
public struct Person: Sendable {
  public let name: String

  public init(name: String) { self.name = name }
}
