import Synchronization

/// A type that is resolved through the type it is made of, unless it is registered itself.
///
/// Instances are never cast: a cast to `Any`, `AnyObject` or `AnyHashable` accepts nil as a value.
protocol Composite {
  /// The type that it is resolved through.
  static var dependency: CompositeDependency { get }
  /// Stores the instance for a request.
  static func initialize(
    _ result: UnsafeMutablePointer<Self>, from container: Container, _ request: Container.Request) throws
  /// Returns the instance for a request in an asynchronous context.
  nonisolated(nonsending)
    static func instanceAsync(from container: Container, _ request: Container.Request) async throws -> Self
}

/// The instance of the wrapped type, or nil if there is no registration.
extension Optional: Composite {
  static func initialize(
    _ result: UnsafeMutablePointer<Self>, from container: Container, _ request: Container.Request
  ) throws {
    try withUnsafeTemporaryAllocation(of: Wrapped.self, capacity: 1) { buffer in
      guard let wrapped = buffer.baseAddress, try container.find(wrapped, request) else {
        return result.initialize(to: nil)
      }
      result.initialize(to: wrapped.move())
    }
  }

  nonisolated(nonsending)
    static func instanceAsync(from container: Container, _ request: Container.Request) async throws -> Self
  {
    try await container.findAsync(Wrapped.self, request)
  }
}

/// An instance of each registration of the element type whose tags include the given ones, in registration order.
extension Array: Composite {
  static func initialize(
    _ result: UnsafeMutablePointer<Self>, from container: Container, _ request: Container.Request
  ) throws {
    result.initialize(to: try instances(from: container, request))
  }

  fileprivate static func instances(from container: Container, _ request: Container.Request) throws -> Self {
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

/// The set of the elements of the array.
extension Set: Composite {
  static func initialize(
    _ result: UnsafeMutablePointer<Self>, from container: Container, _ request: Container.Request
  ) throws {
    result.initialize(to: Set(try [Element].instances(from: container, request)))
  }

  nonisolated(nonsending)
    static func instanceAsync(from container: Container, _ request: Container.Request) async throws -> Self
  {
    Set(try await [Element].instanceAsync(from: container, request))
  }
}

/// How a type that is resolved through another one needs that one.
enum CompositeDependency {
  /// It may be missing.
  case optional(any Any.Type)
  /// All of its registrations, if there are any.
  case all(any Any.Type)
  /// It is not needed before the instance is used.
  case lazy(any Any.Type)
}

extension Optional {
  static var dependency: CompositeDependency { .optional(Wrapped.self) }
}

extension Array {
  static var dependency: CompositeDependency { .all(Element.self) }
}

extension Set {
  static var dependency: CompositeDependency { .all(Element.self) }
}

extension LazyResolver {
  static var dependency: CompositeDependency { .lazy(T.self) }
}

/// Which of the requested types are composite. A cast takes longer than a resolve, so each type is cast once.
enum CompositeTypes {
  /// By the type, as the second value, the witness table of its conformance, or 1 if it is not composite.
  // Safe to share: `AtomicMap` allows readers beside one writer, which holds the lock.
  private nonisolated(unsafe) static let known = AtomicMap()
  private static let lock = Lock(())

  /// The type as a composite type; nil if it is none.
  static subscript(type: any Any.Type) -> (any Composite.Type)? {
    let identity = UInt(bitPattern: ObjectIdentifier(type))
    switch known.second(identity) {
    case 0: return add(type, identity)
    case 1: return nil
    case let table: return unsafeBitCast((identity, table), to: (any Composite.Type).self)
    }
  }

  private static func add(_ type: any Any.Type, _ identity: UInt) -> (any Composite.Type)? {
    let composite = type as? any Composite.Type
    // An existential metatype is the metatype and the witness table (The Swift ABI, Type Layout). The cast keeps the compiler from
    // passing the metatype alone.
    let table = composite.map { unsafeBitCast($0 as any Composite.Type, to: (UInt, UInt).self).1 } ?? 1
    lock.withLock { _ in
      // Readers may use a table that has become too small, for as long as the process lives.
      known.cell(for: identity) { _ in }.pointee.second.store(table, ordering: .releasing)
    }
    return composite
  }
}
