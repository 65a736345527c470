import Testing

@Suite("@Resolvable reports every problem once, at its location")
struct ResolvableDiagnosticTests {
  /// A faulty source. `▸` in it marks the expected location of the diagnostic.
  struct Wrong: CustomTestStringConvertible {
    let what, source, message: String
    /// The source after each of the fix-its.
    let fixed: [String]

    init(_ what: String, _ source: String, _ message: String, fixed: String...) {
      self.what = what
      self.source = source
      self.message = message
      self.fixed = fixed
    }

    var testDescription: String { what }
  }

  private static let notAType = "@Resolvable stands on a class, struct or actor"
  private static let hidden =
    "@Resolvable makes 'B' conform in an extension at file scope, which cannot use private members of another type"
  private static let isolated =
    "@Resolvable cannot call an initializer that belongs to a global actor, since 'init(scope:)' is called on any thread"
  private static let undecidedMessage =
    "@Resolvable cannot determine the members of 'A', since a macro does not know the importable modules; use another condition"

  private static func undecided(_ conditional: String) -> String { "@Resolvable struct A {\n  ▸\(conditional)\n}" }

  private static let generic = "@Resolvable cannot call a generic initializer, since its types are unknown"

  private static let wrongTypes = [
    Wrong("an enumeration", "▸@Resolvable enum A { case b }", notAType),
    Wrong("a protocol", "▸@Resolvable protocol A {}", notAType),
    Wrong("an extension", "▸@Resolvable extension A {}", notAType),
    Wrong(
      "a type in a function", "func f() {\n  ▸@Resolvable struct A {}\n}",
      "@Resolvable stands on a type outside of functions, since its conformance is made in an extension"),
    Wrong(
      "a private type in another", "enum A {\n  @Resolvable ▸private struct B {}\n}", hidden,
      fixed: "enum A {\n  @Resolvable fileprivate struct B {}\n}"),
    Wrong("a type in a private one in another", "enum A {\n  private enum C {\n    ▸@Resolvable struct B {}\n  }\n}", hidden),
    Wrong(
      "a type that cannot be copied", "@Resolvable struct A: ▸~Copyable {}",
      "@Resolvable needs 'A' to be copyable, since containers store their instances"),
    Wrong(
      "a type with an initializer for a scope",
      "@Resolvable\nfinal class A {\n  ▸init(scope: any DependencyResolutionScope) {}\n}",
      "@Resolvable writes the initializer 'init(scope:)', which 'A' has already; conform to 'Resolvable' instead",
      fixed: "\nfinal class A: Resolvable {\n  init(scope: any DependencyResolutionScope) {}\n}"),
    Wrong(
      "a generic subclass with an initializer for a scope",
      "@Resolvable final class `in`<T>: B {\n  ▸init(scope: DependencyResolutionScope) {}\n}",
      "@Resolvable writes the initializer 'init(scope:)', which 'in' has already; conform to 'Resolvable' instead",
      fixed: "final class `in`<T>: B, Resolvable {\n  init(scope: DependencyResolutionScope) {}\n}"),
    Wrong(
      "a type that conforms by hand",
      "@Resolvable final class A: Resolvable {\n  ▸init(scope: any DependencyResolutionScope) {}\n}",
      "@Resolvable writes the initializer 'init(scope:)', which 'A' has already; conform to 'Resolvable' instead",
      fixed: "final class A: Resolvable {\n  init(scope: any DependencyResolutionScope) {}\n}"),
    Wrong(
      "a struct whose memberwise initializer takes a scope",
      "@Resolvable struct A {\n  let ▸scope: any DependencyResolutionScope\n  let b = 1\n}",
      "@Resolvable writes the initializer 'init(scope:)', which 'A' has already; conform to 'Resolvable' instead",
      fixed: "struct A: Resolvable {\n  let scope: any DependencyResolutionScope\n  let b = 1\n}"),
  ]

  private static let wrongInitializers = [
    Wrong(
      "several initializers", "@Resolvable class ▸A {\n  init(b: B) {}\n  public init(_ c: C, d: D) {}\n}",
      "@Resolvable cannot choose an initializer of 'A'; mark one with '@ResolvableInitializer'",
      fixed: "@Resolvable class A {\n  @ResolvableInitializer init(b: B) {}\n  public init(_ c: C, d: D) {}\n}",
      "@Resolvable class A {\n  init(b: B) {}\n  @ResolvableInitializer public init(_ c: C, d: D) {}\n}"),
    Wrong(
      "two marks",
      "@Resolvable class A {\n  @ResolvableInitializer init(b: B) {}\n  ▸@ResolvableInitializer init(c: C) {}\n}",
      "@Resolvable calls one initializer of 'A', and another one is marked already"),
    Wrong(
      "an asynchronous initializer", "@Resolvable class A {\n  init(b: B) ▸async throws {}\n}",
      "@Resolvable cannot call an asynchronous initializer, since 'init(scope:)' is synchronous"),
    Wrong("a generic initializer", "@Resolvable class A {\n  init▸<T>(b: T) {}\n}", generic),
    Wrong("a conditional initializer", "@Resolvable class A<T> {\n  init(b: T) ▸where T: P {}\n}", generic),
    Wrong(
      "an initializer on a type's actor", "@MainActor @Resolvable class A {\n  public ▸init(b: B) {}\n}", isolated,
      fixed: "@MainActor @Resolvable class A {\n  public nonisolated init(b: B) {}\n}"),
    Wrong("an initializer on an actor", "@Resolvable class A {\n  ▸@StoreActor init(b: B) {}\n}", isolated),
    Wrong(
      "an inout parameter", "@Resolvable class A {\n  init(a: B, of b: ▸inout B) {}\n}",
      "@Resolvable cannot pass 'b' inout, since an instance is not a variable"),
    Wrong(
      "an isolated parameter", "@Resolvable class A {\n  init(b: ▸isolated (any Actor)?) {}\n}",
      "@Resolvable cannot pass 'b', which says on which actor the initializer runs"),
    Wrong(
      "an opaque parameter", "@Resolvable class A {\n  init(b: ▸some B) {}\n}",
      "@Resolvable cannot resolve 'b', since 'some' names no type; write 'any'"),
    Wrong(
      "a list of an opaque type", "@Resolvable class A {\n  init(b: [▸some B]) {}\n}",
      "@Resolvable cannot resolve 'b', since 'some' names no type; write 'any'"),
    Wrong(
      "a parameter pack", "@Resolvable struct A<each B> {\n  init(b: ▸repeat each B) {}\n}",
      "@Resolvable cannot resolve the parameter pack 'b'"),
    Wrong(
      "a default before another parameter without a label", "@Resolvable struct A {\n  init(▸_ b: B = B(), _ c: C) {}\n}",
      "@Resolvable cannot leave out 'b', which has a default, since a parameter without a label follows it"),
  ]

  private static let wrongProperties = [
    Wrong(
      "a property without a type", "@Resolvable struct A {\n  let ▸b\n}",
      "@Resolvable needs the type of 'b' to be written, since it has to be resolved",
      fixed: "@Resolvable struct A {\n  let b: <#Type#>\n}"),
    Wrong(
      "the last of several without a type", "@Resolvable struct A {\n  let b: B, ▸c\n}",
      "@Resolvable needs the type of 'c' to be written, since it has to be resolved",
      fixed: "@Resolvable struct A {\n  let b: B, c: <#Type#>\n}"),
    Wrong(
      "a tuple of properties", "@Resolvable struct A {\n  let ▸(b, c): (B, C)\n}",
      "@Resolvable cannot resolve the parts of a tuple; declare each as a property of its own"),
    Wrong(
      "a property that depends on what can be imported", undecided("#if canImport(C)\n  let c: C\n  #endif"), undecidedMessage),
    Wrong(
      "an initializer that depends on what can be imported",
      undecided("#if os(Linux)\n  #else\n  #if !canImport(C)\n  #else\n  init(c: C) {}\n  #endif\n  #endif"), undecidedMessage),
  ]

  @Test(
    "A diagnostic is reported once, at its location, with its fix-its",
    arguments: wrongTypes + wrongInitializers + wrongProperties)
  func diagnostics(wrong: Wrong) throws {
    let before = try #require(wrong.source.split(separator: "▸", omittingEmptySubsequences: false).first)
    let expansion = Expansion(of: wrong.source.replacing("▸", with: ""))
    try #require(expansion.diagnostics.count == 1, "\(expansion)")
    let diagnostic = expansion.diagnostics[0]
    #expect(diagnostic.message == wrong.message)
    #expect(diagnostic.line == before.count { $0 == "\n" } + 1)
    #expect(diagnostic.column == before.split(separator: "\n", omittingEmptySubsequences: false).last.map { $0.utf8.count + 1 })
    #expect(diagnostic.fixIts.map(\.fixed) == wrong.fixed)
  }

  @Test("Every unresolvable parameter and property is reported")
  func all() {
    let initializer = Expansion(of: "@Resolvable struct A {\n  init(b: inout B, c: some C) {}\n}")
    #expect(initializer.diagnostics.map(\.line) == [2, 2])
    let properties = Expansion(of: "@Resolvable struct A {\n  let b\n  let (c, d): (C, D)\n}")
    #expect(properties.diagnostics.map(\.line) == [2, 3])
  }

  @Test("The message of a fix-it describes its change")
  func fixIts() {
    let several = Expansion(of: "@Resolvable class A {\n  init(b: B) {}\n  init(_ c: C, d: D) {}\n}")
    #expect(
      several.diagnostics.first?.fixIts.map(\.message) == [
        "Mark 'init(b:)' with '@ResolvableInitializer'", "Mark 'init(_:d:)' with '@ResolvableInitializer'",
      ])
  }
}
