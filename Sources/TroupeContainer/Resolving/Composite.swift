/// A type that is resolved through the type it is made of, unless it is registered itself.
protocol Composite {
  static func instance(from container: Container, _ request: Container.Request) throws -> Any
  @MainActor static func instanceOnMain(from container: Container, _ request: Container.Request) throws -> Any
  nonisolated(nonsending)
    static func instanceAsync(from container: Container, _ request: Container.Request) async throws -> Any
}

/// The wrapped type's instance, or nil if nothing is registered under it and the tags.
extension Optional: Composite {
  static func instance(from container: Container, _ request: Container.Request) throws -> Any {
    try container.instance(Wrapped.self, request) as Any
  }

  @MainActor
  static func instanceOnMain(from container: Container, _ request: Container.Request) throws -> Any {
    try container.instanceOnMain(Wrapped.self, request) as Any
  }

  nonisolated(nonsending)
    static func instanceAsync(from container: Container, _ request: Container.Request) async throws -> Any
  {
    try await container.instanceAsync(Wrapped.self, request) as Any
  }
}

/// An instance of everything of the element's type whose tags include the given ones, in registration order.
extension Array: Composite {
  static func instance(from container: Container, _ request: Container.Request) throws -> Any {
    if let built = container.built(Element.self, including: request.tags) { return built }
    return try container.candidates(Element.self, including: request.tags).map {
      try container.instance($0, Element.self, request)
    }
  }

  @MainActor
  static func instanceOnMain(from container: Container, _ request: Container.Request) throws -> Any {
    try container.candidates(Element.self, including: request.tags).map {
      try container.instanceOnMain($0, Element.self, request)
    }
  }

  nonisolated(nonsending)
    static func instanceAsync(from container: Container, _ request: Container.Request) async throws -> Any
  {
    var elements: [Element] = []
    for candidate in container.candidates(Element.self, including: request.tags) {
      elements.append(try await container.instanceAsync(candidate, Element.self, request))
    }
    return elements
  }
}

/// The set of what an array holds.
extension Set: Composite {
  static func instance(from container: Container, _ request: Container.Request) throws -> Any {
    Set(try [Element].instance(from: container, request) as? [Element] ?? [])
  }

  @MainActor
  static func instanceOnMain(from container: Container, _ request: Container.Request) throws -> Any {
    Set(try [Element].instanceOnMain(from: container, request) as? [Element] ?? [])
  }

  nonisolated(nonsending)
    static func instanceAsync(from container: Container, _ request: Container.Request) async throws -> Any
  {
    Set(try await [Element].instanceAsync(from: container, request) as? [Element] ?? [])
  }
}
