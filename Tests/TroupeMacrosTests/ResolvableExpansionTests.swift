import Testing

@Suite("@Resolvable writes an initializer that resolves every parameter")
struct ResolvableExpansionTests {
  private func check(
    _ source: String, missing: [String] = ["Resolvable", "DependencyListing"], _ expected: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let expansion = Expansion(of: source, missing: missing)
    #expect(expansion.source.trimmingPrefix("\n") == expected, sourceLocation: sourceLocation)
    #expect(expansion.diagnostics.map(\.message) == [], sourceLocation: sourceLocation)
  }

  /// Expects the body of `init(scope:)` and the list of dependencies.
  private func check(
    members: String, of kind: String = "final class", _ body: String, _ list: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let expansion = Expansion(of: "@Resolvable \(kind) A {\n\(members)\n}")
    let source = expansion.source.split(separator: "\n")
    let lines = source.map { $0.drop { $0 == " " } }
    let start = lines.firstIndex { $0.contains("init(scope:") } ?? 0
    let closing = source[start].prefix { $0 == " " } + "}"
    let end = source[start...].firstIndex { $0 == closing } ?? lines.endIndex
    #expect(lines[start..<end].dropFirst().joined(separator: "; ") == body, "\(expansion)", sourceLocation: sourceLocation)
    let listed = lines[end...].drop { !$0.contains("var listedDependencies") }.dropFirst().first
    #expect(listed.map(String.init) == list, sourceLocation: sourceLocation)
    #expect(expansion.diagnostics.map(\.message) == [], sourceLocation: sourceLocation)
  }

  @Test("A class with an initializer gets a required convenience initializer that calls it")
  func initializer() {
    check(
      """
      @Resolvable
      class A {
        private let b: B
        init(b: B, _ c: any C, as d: [D]) {}
      }
      """,
      """
      class A {
        private let b: B
        init(b: B, _ c: any C, as d: [D]) {}

        required convenience init(scope: any TroupeScopes.DependencyResolutionScope) {
          self.init(b: scope.resolve(B.self), scope.resolve((any C).self), as: scope.resolve([D].self))
        }

        class var listedDependencies: [any Any.Type]? {
          self == A.self ? [B.self, (any C).self, [D].self] : nil
        }
      }

      extension A: Resolvable, DependencyListing {
      }
      """)
  }

  @Test("A class without an initializer gets a required one that assigns every property without a value")
  func properties() {
    check(
      """
      @Resolvable
      open class A {
        let b: B
        private var c: C?
        var d = 1
      }
      """,
      """
      open class A {
        let b: B
        private var c: C?
        var d = 1

        public required init(scope: any TroupeScopes.DependencyResolutionScope) {
          self.b = scope.resolve(B.self)
          self.c = scope.resolve(C?.self)
        }

        open class var listedDependencies: [any Any.Type]? {
          self == A.self ? [B.self, C?.self] : nil
        }
      }

      extension A: Resolvable, DependencyListing {
      }
      """)
  }

  @Test("A struct gets its initializer in an extension, which keeps the memberwise one and uses no nested type names")
  func structs() {
    check(
      """
      @Resolvable
      public struct A {
        let b: B
      }
      """,
      """
      public struct A {
        let b: B

        public static var listedDependencies: [any Any.Type]? {
          [B.self]
        }
      }

      extension A: Resolvable, DependencyListing {
        public init(scope: any TroupeScopes.DependencyResolutionScope) {
          self.b = scope.resolve()
        }
      }
      """)
  }

  @Test("A struct with an initializer gets all members in its own declaration")
  func structsWithInitializer() {
    check(
      "@Resolvable\nstruct A {\n  init(_ b: B) {}\n}",
      """
      struct A {
        init(_ b: B) {}

        init(scope: any TroupeScopes.DependencyResolutionScope) {
          self.init(scope.resolve(B.self))
        }

        static var listedDependencies: [any Any.Type]? {
          [B.self]
        }
      }

      extension A: Resolvable, DependencyListing {
      }
      """)
  }

  @Test("A class without dependencies and superclass gets two designated initializers, for use by subclasses")
  func nothing() {
    check(
      "@Resolvable\nopen class A {\n  var b = 1\n}",
      """
      open class A {
        var b = 1

        init() {
        }

        public required init(scope: any TroupeScopes.DependencyResolutionScope) {
        }

        open class var listedDependencies: [any Any.Type]? {
          self == A.self ? [] : nil
        }
      }

      extension A: Resolvable, DependencyListing {
      }
      """)
  }

  @Test("An actor's initializer is called without `convenience`")
  func actors() {
    check(
      """
      @Resolvable
      package actor A {
        init(b: B) {}
      }
      """,
      """
      package actor A {
        init(b: B) {}

        package init(scope: any TroupeScopes.DependencyResolutionScope) {
          self.init(b: scope.resolve(B.self))
        }

        package static var listedDependencies: [any Any.Type]? {
          [B.self]
        }
      }

      extension A: Resolvable, DependencyListing {
      }
      """)
  }

  @Test("A type that already conforms gets no second conformance")
  func stated() {
    check(
      "@Resolvable\nfinal class A: Resolvable {\n}", missing: ["DependencyListing"],
      """
      final class A: Resolvable {

        convenience init(scope: any TroupeScopes.DependencyResolutionScope) {
          self.init()
        }

        static var listedDependencies: [any Any.Type]? {
          []
        }
      }

      extension A: DependencyListing {
      }
      """)
  }

  @Test("A subclass of a type with the macro overrides the list and lets its superclass resolve its own dependencies")
  func subclass() {
    check(
      """
      @Resolvable
      class A: Base<Int> {
        let b: B
      }
      """, missing: [],
      """
      class A: Base<Int> {
        let b: B

        required init(scope: any TroupeScopes.DependencyResolutionScope) {
          self.b = scope.resolve(B.self)
          super.init(scope: scope)
        }

        override class var listedDependencies: [any Any.Type]? {
          self == A.self ? Base<Int>.listedDependencies.map {
            $0 + [B.self]
          } : nil
        }
      }
      """)
  }

  @Test("A subclass without more dependencies inherits the initializer and uses its superclass's list")
  func heir() {
    check(
      "@Resolvable\nfinal class A: Base {\n}", missing: [],
      """
      final class A: Base {

        override static var listedDependencies: [any Any.Type]? {
          Base.listedDependencies
        }
      }
      """)
  }

  @Test("A subclass of a type that conforms by hand has no list for the superclass's dependencies")
  func unknown() {
    check(
      "@Resolvable\nfinal class A: Base {\n  let b: B\n}", missing: ["DependencyListing"],
      """
      final class A: Base {
        let b: B

        required init(scope: any TroupeScopes.DependencyResolutionScope) {
          self.b = scope.resolve(B.self)
          super.init(scope: scope)
        }

        static var listedDependencies: [any Any.Type]? {
          nil
        }
      }

      extension A: DependencyListing {
      }
      """)
  }

  @Test("Properties isolated to a global actor are assigned from a nonisolated initializer")
  func globalActor() {
    check(
      "@MainActor @Resolvable\nfinal class A {\n  let b: B\n}",
      """
      @MainActor
      final class A {
        let b: B

        nonisolated init(scope: any TroupeScopes.DependencyResolutionScope) {
          self.b = scope.resolve(B.self)
        }

        nonisolated static var listedDependencies: [any Any.Type]? {
          [B.self]
        }
      }

      extension A: nonisolated Resolvable, nonisolated DependencyListing {
      }
      """)
  }

  @Test("A type in an extension has the extension's access", arguments: ["public", "package"])
  func inExtension(access: String) {
    let expansion = Expansion(of: "\(access) extension Outer {\n  @Resolvable struct A {\n    let b: B\n  }\n}")
    #expect(expansion.source.contains("  \(access) init(scope:"), "\(expansion)")
    #expect(expansion.source.contains("  \(access) static var listedDependencies"), "\(expansion)")
  }

  @Test(
    "A parameter is resolved by its type, without specifiers and attributes",
    arguments: [
      ("a: @escaping () -> B", "a: scope.resolve((() -> B).self)"),
      ("a: @escaping @Sendable (Int) throws -> B", "a: scope.resolve((@Sendable (Int) throws -> B).self)"),
      ("a: @autoclosure () -> B", "a: scope.resolve(B.self)"),
      ("a: @autoclosure @escaping () -> any B", "a: scope.resolve((any B).self)"),
      ("a: consuming B", "a: scope.resolve(B.self)"),
      ("a: borrowing B", "a: scope.resolve(B.self)"),
      ("a: sending B", "a: scope.resolve(B.self)"),
      ("a: B!", "a: scope.resolve(B?.self)"),
      ("a: (any B)?", "a: scope.resolve((any B)?.self)"),
      ("a: B & C", "a: scope.resolve((B & C).self)"),
      ("a: (B, c: C)", "a: scope.resolve((B, c: C).self)"),
      ("a: B.C<D>", "a: scope.resolve(B.C<D>.self)"),
      ("a: [B: C]", "a: scope.resolve([B: C].self)"),
      ("a: any B.Type", "a: scope.resolve((any B.Type).self)"),
      ("`in` a: B", "in: scope.resolve(B.self)"),
      ("`two words` a: B", "`two words`: scope.resolve(B.self)"),
      ("`inout` a: B", "`inout`: scope.resolve(B.self)"),
      ("_ a: B", "scope.resolve(B.self)"),
    ])
  func parameters(parameter: String, argument: String) {
    let type = argument.split(separator: "resolve(").last?.dropLast() ?? ""
    check(members: "init(\(parameter)) {}", "self.init(\(argument))", "[\(type)]")
  }

  @Test(
    "Parameters with a default and variadic ones are omitted",
    arguments: ["a: B, c: C = C()", "c: C = C(), a: B", "a: B, c: C...", "_ c: C = C(), a: B, _ d: D..."])
  func defaults(parameters: String) {
    check(members: "init(\(parameters)) {}", "self.init(a: scope.resolve(B.self))", "[B.self]")
  }

  @Test(
    "An initializer that throws is called so that its error ends the process and names the type",
    arguments: [
      ("init(a: B) throws {}", "self.init(a: scope.resolve(B.self))"),
      ("init(a: B) throws(Fault) {}", "self.init(a: scope.resolve(B.self))"),
      ("init(a: B) rethrows {}", "self.init(a: scope.resolve(B.self))"),
      ("init?(a: B) throws {}", "self.init(a: scope.resolve(B.self))!"),
    ])
  func throwing(initializer: String, call: String) {
    let fatal = #"Swift.fatalError("\(Self.self) cannot be made, since its initializer threw \(error)")"#
    check(members: initializer, "do {; try \(call); } catch {; \(fatal); }", "[B.self]")
  }

  @Test(
    "A failing optional initializer ends the process",
    arguments: [
      ("init(a: B) throws(Never) {}", "self.init(a: scope.resolve(B.self))"),
      ("init?(a: B) {}", "self.init(a: scope.resolve(B.self))!"),
      ("init!(a: B) {}", "self.init(a: scope.resolve(B.self))!"),
    ])
  func failing(initializer: String, call: String) {
    check(members: initializer, call, "[B.self]")
  }

  @Test(
    "Of several initializers the designated or the marked one is called",
    arguments: [
      ("init(a: B) {}\nconvenience init(c: C) { self.init(a: B()) }", "final class"),
      ("convenience init(c: C) {}\nconvenience init() {}\n@ResolvableInitializer convenience init(a: B) {}", "final class"),
      ("init(a: B) {}\n@available(*, unavailable) init(c: C) {}", "final class"),
      ("init(c: C) {}\n@ResolvableInitializer\ninit(a: B) {}", "final class"),
      ("init(c: C) { self.init(a: B()) }\ninit(a: B) {}", "struct"),
      ("init(c: C) { self.init(a: B()) }\ninit(a: B) {}", "actor"),
      ("init(c: C) { self = A(a: B()) }\ninit(a: B) { if let self = self as Any? {} }", "struct"),
      ("convenience init(a: B) { self.init() }", "final class"),
      ("private init(a: B) {}", "final class"),
      ("#if ACTIVE\ninit(a: B) {}\n#else\ninit(c: C) {}\n#endif", "final class"),
    ])
  func several(members: String, kind: String) {
    check(members: members, of: kind, "self.init(a: scope.resolve(B.self))", "[B.self]")
  }

  @Test("The mark of an initializer expands to nothing")
  func mark() {
    let expansion = Expansion(of: "@Resolvable final class A {\n  @ResolvableInitializer init(a: B) {}\n}")
    #expect(!expansion.source.contains("ResolvableInitializer"))
  }

  @Test(
    "A property is assigned if it is stored, belongs to instances, and has no value",
    arguments: [
      ("let b: B", ["b": "B"]),
      ("let b, c: B", ["b": "B", "c": "B"]),
      ("let b: B, c: C", ["b": "B", "c": "C"]),
      ("var b: B, c = 1", ["b": "B"]),
      ("var c = 1, b: B", ["b": "B"]),
      ("static let c: C = C(); let b: B", ["b": "B"]),
      ("static var c: C { C() }; let b: B", ["b": "B"]),
      ("class var c: C { C() }; let b: B", ["b": "B"]),
      ("var c: C { C() }; let b: B", ["b": "B"]),
      ("var c: C { get { C() } set {} }; let b: B", ["b": "B"]),
      ("var c: C { unsafeAddress { fatalError() } }; let b: B", ["b": "B"]),
      ("lazy var c: C = C(); let b: B", ["b": "B"]),
      ("var b: B { didSet {} }", ["b": "B"]),
      ("var b: B { willSet {} didSet {} }", ["b": "B"]),
      ("var c: C = C() { didSet {} }; let b: B", ["b": "B"]),
      ("let c: C = C(), b: B", ["b": "B"]),
      ("@Published var b: B", ["b": "B"]),
      ("@Published var c: C = C(); let b: B", ["b": "B"]),
      ("@Environment(\\.c) var c: C; let b: B", ["b": "B"]),
      ("@Injected(C.self) var c; let b: B", ["b": "B"]),
      ("@available(*, deprecated) let b: B", ["b": "B"]),
      ("private let b: B", ["b": "B"]),
      ("public private(set) var b: B", ["b": "B"]),
      ("unowned let b: B", ["b": "B"]),
      ("weak var b: B?", ["b": "B?"]),
      ("var b: B!", ["b": "B?"]),
      ("var `in`: any B", ["`in`": "(any B)"]),
      ("let (c, d) = (1, 2); let b: B", ["b": "B"]),
      ("#if ACTIVE\nlet b: B\n#else\nlet c: C\n#endif", ["b": "B"]),
    ] as [(String, KeyValuePairs<String, String>)])
  func stored(members: String, assignments: KeyValuePairs<String, String>) {
    let lines = assignments.map { "self.\($0.key) = scope.resolve(\($0.value).self)" }
    check(
      members: members, lines.joined(separator: "; "), "[\(assignments.map { $0.value + ".self" }.joined(separator: ", "))]")
  }
}
