/// A type that is resolved through the type it is made of, unless it is registered itself.
///
/// Instances stay what they are and are never cast: a cast takes an optional for a value wherever `Any`, `AnyObject` or
/// `AnyHashable` is wanted, so that nothing would become something.
protocol Composite {
  /// What it is made of.
  static var need: CompositeNeed { get }
  static func instance(from container: Container, _ request: Container.Request) throws -> Self
  @MainActor static func instanceOnMain(from container: Container, _ request: Container.Request) throws -> Self
  nonisolated(nonsending)
    static func instanceAsync(from container: Container, _ request: Container.Request) async throws -> Self
}

/// The wrapped type's instance, or nil if nothing is registered under it and the tags.
extension Optional: Composite {
  static func instance(from container: Container, _ request: Container.Request) throws -> Self {
    try container.instance(Wrapped.self, request)
  }

  @MainActor
  static func instanceOnMain(from container: Container, _ request: Container.Request) throws -> Self {
    try container.instanceOnMain(Wrapped.self, request)
  }

  nonisolated(nonsending)
    static func instanceAsync(from container: Container, _ request: Container.Request) async throws -> Self
  {
    try await container.instanceAsync(Wrapped.self, request)
  }
}

/// An instance of everything of the element's type whose tags include the given ones, in registration order; objects that are
/// gone are left out.
extension Array: Composite {
  static func instance(from container: Container, _ request: Container.Request) throws -> Self {
    // What was made before is not asked for.
    if request.cached != false, let built = container.built(Element.self, including: request.tags) { return built }
    return try container.loadedCandidates(Element.self, including: request.tags).compactMap {
      try container.presentInstance($0, Element.self, request)
    }
  }

  @MainActor
  static func instanceOnMain(from container: Container, _ request: Container.Request) throws -> Self {
    try container.loadedCandidates(Element.self, including: request.tags).compactMap {
      try container.presentInstanceOnMain($0, Element.self, request)
    }
  }

  nonisolated(nonsending)
    static func instanceAsync(from container: Container, _ request: Container.Request) async throws -> Self
  {
    var elements: [Element] = []
    for candidate in try container.loadedCandidates(Element.self, including: request.tags) {
      let element = try await container.presentInstanceAsync(candidate, Element.self, request)
      if let element { elements.append(element) }
    }
    return elements
  }
}

/// The set of what an array holds.
extension Set: Composite {
  static func instance(from container: Container, _ request: Container.Request) throws -> Self {
    Set(try [Element].instance(from: container, request))
  }

  @MainActor
  static func instanceOnMain(from container: Container, _ request: Container.Request) throws -> Self {
    Set(try [Element].instanceOnMain(from: container, request))
  }

  nonisolated(nonsending)
    static func instanceAsync(from container: Container, _ request: Container.Request) async throws -> Self
  {
    Set(try await [Element].instanceAsync(from: container, request))
  }
}

extension Composite {
  /// The instance under another name of its type.
  static func same<T>(_ instance: Self, as type: T.Type) -> T {
    precondition(T.self == Self.self, "a \(Self.self) is no \(T.self)")
    // Both are the same type, so this copies the value.
    return unsafeBitCast(instance, to: T.self)
  }
}

/// How a type that is resolved through another one needs that one.
enum CompositeNeed {
  /// It may be missing.
  case optional(any Any.Type)
  /// Everything that is registered under it, which may be nothing.
  case all(any Any.Type)
  /// It is not needed before the instance is used.
  case lazy(any Any.Type)
}

extension Optional {
  static var need: CompositeNeed { .optional(Wrapped.self) }
}

extension Array {
  static var need: CompositeNeed { .all(Element.self) }
}

extension Set {
  static var need: CompositeNeed { .all(Element.self) }
}

extension LazyResolver {
  static var need: CompositeNeed { .lazy(T.self) }
}
