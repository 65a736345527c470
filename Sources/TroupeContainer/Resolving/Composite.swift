import Synchronization

/// A type that a container resolves through another one, unless it is registered itself: `T?`, `[T]`, `Set<T>` and `LazyResolver<T>`.
///
///     resolve(Int?.self)       the instance of Int, or nil without a registration
///     resolve([Int].self)      an instance of each registration of Int, in registration order; `Set` likewise
///     LazyResolver<Int>        resolves Int later
///
/// Composites nest. Instances are never cast, because a cast to `Any`, `AnyObject` or `AnyHashable` accepts nil as a value.
protocol Composite {
  static var dependency: CompositeDependency { get }
  static func instance(from container: Container, _ request: Container.Request) throws -> Self
  nonisolated(nonsending)
    static func instanceAsync(from container: Container, _ request: Container.Request) async throws -> Self
}

extension Optional: Composite {
  static var dependency: CompositeDependency { .optional(Wrapped.self) }

  static func instance(from container: Container, _ request: Container.Request) throws -> Self {
    try Container.stored(Wrapped.self) { try container.initializeIfRegistered($0, request) }
  }

  nonisolated(nonsending)
    static func instanceAsync(from container: Container, _ request: Container.Request) async throws -> Self
  {
    try await container.instanceAsync(of: container.lookup(Wrapped.self, request), Wrapped.self, request)
  }
}

extension Array: Composite {
  static var dependency: CompositeDependency { .all(Element.self) }

  static func instance(from container: Container, _ request: Container.Request) throws -> Self {
    if let instances = try container.fastArray(Element.self, request) { return instances }
    let candidates = try container.loadedCandidates(Element.self, request)
    guard request.mayWait || candidates.allSatisfy({ $0.isReady(in: container, request) }) else { throw WouldBlock() }
    if candidates.isEmpty { return [] }
    return try Self(unsafeUninitializedCapacity: candidates.count) { buffer, count in
      guard let start = buffer.baseAddress else { return }
      for candidate in candidates where try candidate.initialize(start + count, in: container, request) { count += 1 }
    }
  }

  nonisolated(nonsending)
    static func instanceAsync(from container: Container, _ request: Container.Request) async throws -> Self
  {
    var elements: [Element] = []
    for candidate in try container.loadedCandidates(Element.self, request) {
      if let element = try await candidate.makeAsync(Element.self, in: container, request) { elements.append(element) }
    }
    return elements
  }
}

extension Set: Composite {
  static var dependency: CompositeDependency { .all(Element.self) }

  static func instance(from container: Container, _ request: Container.Request) throws -> Self {
    Set(try [Element].instance(from: container, request))
  }

  nonisolated(nonsending)
    static func instanceAsync(from container: Container, _ request: Container.Request) async throws -> Self
  {
    Set(try await [Element].instanceAsync(from: container, request))
  }
}

/// The type that a composite is resolved through, and how.
enum CompositeDependency {
  /// Nil without a registration.
  case optional(any Any.Type)
  /// Empty without a registration.
  case all(any Any.Type)
  /// Resolved when the composite is used.
  case lazy(any Any.Type)
}

/// Remembers which requested types are composite: a cast of the metatype takes longer than a resolve.
enum CompositeTypes {
  /// The second value of a type's identity is the witness table of its conformance, or `notComposite`.
  // Safe to share: `AtomicMap` allows readers beside one writer, which holds the lock.
  private nonisolated(unsafe) static let known = AtomicMap()
  private static let lock = Lock(())
  /// An odd word, which is not the address of a table.
  private static var notComposite: UInt { 1 }

  static subscript(type: any Any.Type) -> (any Composite.Type)? {
    let identity = UInt(bitPattern: ObjectIdentifier(type))
    switch known.second(identity) {
    case 0: return add(type, identity)
    case notComposite: return nil
    case let table: return unsafeBitCast((identity, table), to: (any Composite.Type).self)
    }
  }

  private static func add(_ type: any Any.Type, _ identity: UInt) -> (any Composite.Type)? {
    let composite = type as? any Composite.Type
    // An existential metatype is the metatype and the witness table (The Swift ABI, Type Layout). The cast keeps the compiler from
    // passing the metatype alone.
    let table = composite.map { unsafeBitCast($0 as any Composite.Type, to: (UInt, UInt).self).1 } ?? notComposite
    lock.withLock { _ in
      // A replaced table is never freed, because readers have no guard.
      known.cell(for: identity) { _ in }.pointee.second.store(table, ordering: .releasing)
    }
    return composite
  }
}
