// Optionals without tags.

extension Container {
  /// Returns the instance registered under an optional type without tags, or else under the wrapped type; nil if there is none.
  @inlinable
  func optional<Wrapped>(of type: Wrapped?.Type) throws -> Wrapped? {
    if mayHave(ObjectIdentifier(type)) { return try instance(type, Request(tags: [])) }
    return try instanceIfPresent(of: Wrapped.self)
  }

  /// Returns the instance registered under an optional type without tags, or else under the wrapped type, in an asynchronous context;
  /// nil if there is none.
  @inlinable @inline(never)
  nonisolated(nonsending)
    static func optionalAsync<Wrapped>(of type: Wrapped?.Type, from container: Unmanaged<Container>) async throws -> Wrapped?
  {
    if container._withUnsafeGuaranteedRef({ $0.mayHave(ObjectIdentifier(type)) }) {
      return try await instanceAsync(type, Request(tags: []), from: container)
    }
    let instance = try container._withUnsafeGuaranteedRef {
      try $0.fastInstance(Wrapped.self, $0.find(ObjectIdentifier(Wrapped.self)))
    }
    if let instance { return instance }
    return try await instanceIfPresentAsync(Wrapped.self, Request(tags: [], isOptional: true), from: container)
  }
}
