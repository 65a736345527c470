import TestSupport
import Testing

/// Compiles small sources against the built container: registrations that must not be weak do not compile.
@Suite("Weak registrations", .timeLimit(.minutes(60)))
struct WeakRegistrationTests {
  private static let declarations = """
    import TroupeContainer
    protocol Display: AnyObject, Sendable {}
    protocol Other: Sendable {}
    final class Screen: Display {}
    struct Value: Other {}
    final class Unsafe { var number = 0 }

    """

  /// A statement about a container and the compiler's error; nil for none.
  struct Statement: CustomTestStringConvertible {
    let source: String
    let message: String?
    var testDescription: String { source }
  }

  static let statements = [
    Statement(source: "container.register(weak: Screen(), tags: 1)", message: nil),
    Statement(source: "container.register((any Display).self, weak: Screen(), tags: 1) { $0 }", message: nil),
    Statement(source: "container.register(weak: Value())", message: "requires that 'Value' be a class type"),
    Statement(
      source: "container.register((any Other).self, weak: Value()) { $0 }", message: "requires that 'Value' be a class type"),
    // Swift 6.3 rejects it without a reason.
    Statement(source: "container.register((any Other).self, weak: Screen()) { $0 }", message: "error:"),
    Statement(
      source: "container.register(weak: Screen(), as: { $0 as any Other })",
      message: "cannot convert value of type 'Screen' to type 'any Other'"),
    Statement(source: "container.register(weak: Unsafe())", message: "'Unsafe'"),
  ]

  @Test("Only an object of a Sendable class that is of the registered type is accepted", arguments: statements)
  func compiles(_ statement: Statement) throws {
    let directory = try TemporaryDirectory()
    let source = Self.declarations + "func register(in container: Container) {\n  \(statement.source)\n}\n"
    let file = try directory.write("register.swift", source.utf8)
    let result = try run(["swiftc", "-typecheck", "-swift-version", "6", "-I", Repo.products + "/Modules", file])
    if let message = statement.message {
      #expect(result.status != 0)
      #expect(result.errors.contains(message), "\(result.errors)")
    } else {
      #expect(result.status == 0, "\(result.errors)")
    }
  }
}
