// Written by scripts/generate-overloads. Change that script, not this file.
//
// The functions that `resolve` calls. Each tries the fast path, then the slow path. The container is unmanaged, so that threads which
// resolve do not write to its reference count.
//
// Only functions that pass memory of a known type are inlined into clients. For a type that is unknown at compile time, passing a tuple or
// returning an optional makes the runtime look up metadata.

extension Container {
  /// Returns the only registration under a type and a tag, or nil for the slow path.
  @specialized(where Value == String)
  @specialized(where Value == Int)
  static func find<Value: Hashable & Sendable>(
    _ identity: ObjectIdentifier, in container: Unmanaged<Container>, tag: Value
  ) -> PinnedEntry? {
    let hash = TagHash.hash(of: tag)
    return find(identity, sum: hash, count: 1, in: container) {
      $0.hasTag(tag, hash: hash)
    }
  }

  /// Returns the only registration under a type and two tags, or nil for the slow path.
  @specialized(where First == String, Second == String)
  @specialized(where First == String, Second == Int)
  static func find<First: Hashable & Sendable, Second: Hashable & Sendable>(
    _ identity: ObjectIdentifier, in container: Unmanaged<Container>, tags first: First, _ second: Second
  ) -> PinnedEntry? {
    let (hash, hash2) = (TagHash.hash(of: first), TagHash.hash(of: second))
    // Tags with the same hash may be equal, which the slow path finds out.
    if hash == hash2 { return nil }
    return find(identity, sum: hash &+ hash2, count: 2, in: container) {
      $0.hasTag(first, hash: hash) && $0.hasTag(second, hash: hash2)
    }
  }

  /// Returns the only registration under a type and three tags, or nil for the slow path.
  static func find<First: Hashable & Sendable, Second: Hashable & Sendable, Third: Hashable & Sendable>(
    _ identity: ObjectIdentifier, in container: Unmanaged<Container>, tags first: First, _ second: Second, _ third: Third
  ) -> PinnedEntry? {
    let (hash, hash2, hash3) = (TagHash.hash(of: first), TagHash.hash(of: second), TagHash.hash(of: third))
    // Tags with the same hash may be equal, which the slow path finds out.
    if hash == hash2 || hash == hash3 || hash2 == hash3 { return nil }
    return find(identity, sum: hash &+ hash2 &+ hash3, count: 3, in: container) {
      $0.hasTag(first, hash: hash) && $0.hasTag(second, hash: hash2) && $0.hasTag(third, hash: hash3)
    }
  }
}

extension Container {
  /// Returns the instance registered under a type without tags.
  @usableFromInline
  static func instance<T>(of type: T.Type, from container: Unmanaged<Container>) throws -> T {
    let found = begin(find(ObjectIdentifier(T.self), in: container), nil)
    if found.form == .slowPath { return try container._withUnsafeGuaranteedRef { try $0.instance(T.self, Request(tags: [])) } }
    return try take(T.self, found, from: container)
  }

  /// Returns the instance registered under a type and a tag.
  @usableFromInline
  static func instance<T, Value: Hashable & Sendable>(of type: T.Type, tag: Value, from container: Unmanaged<Container>) throws
    -> T
  {
    let found = begin(find(ObjectIdentifier(T.self), in: container, tag: tag), nil)
    if found.form == .slowPath {
      return try container._withUnsafeGuaranteedRef { try $0.instance(T.self, Request(tags: TagList.boxed(tag))) }
    }
    return try take(T.self, found, from: container)
  }

  /// Returns the instance registered under a type and two tags.
  @usableFromInline
  static func instance<T, First: Hashable & Sendable, Second: Hashable & Sendable>(
    of type: T.Type, tags first: First, _ second: Second, from container: Unmanaged<Container>
  ) throws -> T {
    let found = begin(find(ObjectIdentifier(T.self), in: container, tags: first, second), nil)
    if found.form == .slowPath {
      return try container._withUnsafeGuaranteedRef { try $0.instance(T.self, Request(tags: TagList.boxed(first, second))) }
    }
    return try take(T.self, found, from: container)
  }

  /// Returns the instance registered under a type without tags, made with arguments.
  @usableFromInline
  static func instance<T>(
    of type: T.Type, tuple: UnsafeRawPointer, _ list: (any ArgumentTypes.Type)?, from container: Unmanaged<Container>
  ) throws -> T {
    let found = begin(find(ObjectIdentifier(T.self), in: container), list)
    if found.form == .slowPath {
      return try container._withUnsafeGuaranteedRef { try $0.instance(T.self, Request([], tuple: tuple, list)) }
    }
    return try take(T.self, found, from: container, tuple: tuple, list)
  }

  /// Returns the instance registered under a type without tags, made with arguments.
  @inlinable @inline(__always)
  static func instance<T, Arguments>(
    of type: T.Type, args: Arguments, _ list: (any ArgumentTypes.Type)?, from container: Unmanaged<Container>
  ) throws -> T {
    try withUnsafePointer(to: args) { try instance(of: T.self, tuple: $0, list, from: container) }
  }

  /// Returns the instance registered under a type and three tags.
  @usableFromInline
  static func instance<T, First: Hashable & Sendable, Second: Hashable & Sendable, Third: Hashable & Sendable>(
    of type: T.Type, tags first: First, _ second: Second, _ third: Third, from container: Unmanaged<Container>
  ) throws -> T {
    let found = begin(find(ObjectIdentifier(T.self), in: container, tags: first, second, third), nil)
    if found.form == .slowPath {
      return try container._withUnsafeGuaranteedRef {
        try $0.instance(T.self, Request(tags: TagList.boxed(first, second, third)))
      }
    }
    return try take(T.self, found, from: container)
  }

  /// Returns the instance registered under a type and a tag, made with arguments.
  @usableFromInline
  static func instance<T, Value: Hashable & Sendable>(
    of type: T.Type, tag: Value, tuple: UnsafeRawPointer, _ list: (any ArgumentTypes.Type)?,
    from container: Unmanaged<Container>
  ) throws -> T {
    let found = begin(find(ObjectIdentifier(T.self), in: container, tag: tag), list)
    if found.form == .slowPath {
      return try container._withUnsafeGuaranteedRef { try $0.instance(T.self, Request(TagList.boxed(tag), tuple: tuple, list)) }
    }
    return try take(T.self, found, from: container, tuple: tuple, list)
  }

  /// Returns the instance registered under a type and a tag, made with arguments.
  @inlinable @inline(__always)
  static func instance<T, Value: Hashable & Sendable, Arguments>(
    of type: T.Type, tag: Value, args: Arguments, _ list: (any ArgumentTypes.Type)?, from container: Unmanaged<Container>
  ) throws -> T {
    try withUnsafePointer(to: args) { try instance(of: T.self, tag: tag, tuple: $0, list, from: container) }
  }

  /// Returns the instance registered under a type and two tags, made with arguments.
  @usableFromInline
  static func instance<T, First: Hashable & Sendable, Second: Hashable & Sendable>(
    of type: T.Type, tags first: First, _ second: Second, tuple: UnsafeRawPointer, _ list: (any ArgumentTypes.Type)?,
    from container: Unmanaged<Container>
  ) throws -> T {
    let found = begin(find(ObjectIdentifier(T.self), in: container, tags: first, second), list)
    if found.form == .slowPath {
      return try container._withUnsafeGuaranteedRef {
        try $0.instance(T.self, Request(TagList.boxed(first, second), tuple: tuple, list))
      }
    }
    return try take(T.self, found, from: container, tuple: tuple, list)
  }

  /// Returns the instance registered under a type and two tags, made with arguments.
  @inlinable @inline(__always)
  static func instance<T, First: Hashable & Sendable, Second: Hashable & Sendable, Arguments>(
    of type: T.Type, tags first: First, _ second: Second, args: Arguments, _ list: (any ArgumentTypes.Type)?,
    from container: Unmanaged<Container>
  ) throws -> T {
    try withUnsafePointer(to: args) { try instance(of: T.self, tags: first, second, tuple: $0, list, from: container) }
  }

  /// Returns the instance registered under a type and boxed tags.
  @usableFromInline
  static func instance<T>(of type: T.Type, boxed tags: [Tag], from container: Unmanaged<Container>) throws -> T {
    let found = begin(find(ObjectIdentifier(T.self), in: container, boxed: tags), nil)
    if found.form == .slowPath {
      return try container._withUnsafeGuaranteedRef { try $0.instance(T.self, Request(tags: tags)) }
    }
    return try take(T.self, found, from: container)
  }

  /// Returns the instance registered under a type and boxed tags, made with arguments.
  @usableFromInline
  static func instance<T>(
    of type: T.Type, boxed tags: [Tag], tuple: UnsafeRawPointer, _ list: (any ArgumentTypes.Type)?,
    from container: Unmanaged<Container>
  ) throws -> T {
    let found = begin(find(ObjectIdentifier(T.self), in: container, boxed: tags), list)
    if found.form == .slowPath {
      return try container._withUnsafeGuaranteedRef { try $0.instance(T.self, Request(tags, tuple: tuple, list)) }
    }
    return try take(T.self, found, from: container, tuple: tuple, list)
  }

  /// Returns the instance registered under a type and boxed tags, made with arguments.
  @inlinable @inline(__always)
  static func instance<T, Arguments>(
    of type: T.Type, boxed tags: [Tag], args: Arguments, _ list: (any ArgumentTypes.Type)?, from container: Unmanaged<Container>
  ) throws -> T {
    try withUnsafePointer(to: args) { try instance(of: T.self, boxed: tags, tuple: $0, list, from: container) }
  }

  /// Returns the instance registered under a type and boxed tags, on the main actor, made with arguments.
  @MainActor
  @usableFromInline
  static func instance<T>(
    of type: T.Type, onMainActor tags: [Tag], tuple: UnsafeRawPointer, _ list: (any ArgumentTypes.Type)?,
    from container: Unmanaged<Container>
  ) throws -> T {
    let found = begin(find(ObjectIdentifier(T.self), in: container, boxed: tags), list)
    if found.form == .slowPath {
      return try container._withUnsafeGuaranteedRef { try $0.instance(T.self, Request(tags, tuple: tuple, list).onMainActor()) }
    }
    return try take(T.self, found, from: container, tuple: tuple, list)
  }

  /// Returns the instance registered under a type and boxed tags, on the main actor, made with arguments.
  @MainActor
  @inlinable @inline(__always)
  static func instance<T, Arguments>(
    of type: T.Type, onMainActor tags: [Tag], args: Arguments, _ list: (any ArgumentTypes.Type)?,
    from container: Unmanaged<Container>
  ) throws -> T {
    try withUnsafePointer(to: args) { try instance(of: T.self, onMainActor: tags, tuple: $0, list, from: container) }
  }

  /// Stores the instance registered under a type without tags, or returns false without a registration.
  @usableFromInline
  static func store<T>(_ result: UnsafeMutablePointer<T>, of type: T.Type, from container: Unmanaged<Container>) throws -> Bool
  {
    let found = begin(find(ObjectIdentifier(T.self), in: container), nil)
    if found.form == .slowPath {
      return try container._withUnsafeGuaranteedRef { try $0.initialize(result, Request(tags: [], isOptional: true)) }
    }
    result.initialize(to: try take(T.self, found, from: container))
    return true
  }

  /// Returns the instance registered under a type without tags, or nil without a registration.
  @inlinable @inline(__always)
  static func instanceIfPresent<T>(of type: T.Type, from container: Unmanaged<Container>) throws -> T? {
    try stored(T.self) { try store($0, of: T.self, from: container) }
  }

  /// Stores the instance registered under a type and a tag, or returns false without a registration.
  @usableFromInline
  static func store<T, Value: Hashable & Sendable>(
    _ result: UnsafeMutablePointer<T>, of type: T.Type, tag: Value, from container: Unmanaged<Container>
  ) throws -> Bool {
    let found = begin(find(ObjectIdentifier(T.self), in: container, tag: tag), nil)
    if found.form == .slowPath {
      return try container._withUnsafeGuaranteedRef {
        try $0.initialize(result, Request(tags: TagList.boxed(tag), isOptional: true))
      }
    }
    result.initialize(to: try take(T.self, found, from: container))
    return true
  }

  /// Returns the instance registered under a type and a tag, or nil without a registration.
  @inlinable @inline(__always)
  static func instanceIfPresent<T, Value: Hashable & Sendable>(
    of type: T.Type, tag: Value, from container: Unmanaged<Container>
  ) throws -> T? {
    try stored(T.self) { try store($0, of: T.self, tag: tag, from: container) }
  }

  /// Stores the instance registered under a type and boxed tags, or returns false without a registration.
  @usableFromInline
  static func store<T>(
    _ result: UnsafeMutablePointer<T>, of type: T.Type, boxed tags: [Tag], from container: Unmanaged<Container>
  ) throws -> Bool {
    let found = begin(find(ObjectIdentifier(T.self), in: container, boxed: tags), nil)
    if found.form == .slowPath {
      return try container._withUnsafeGuaranteedRef { try $0.initialize(result, Request(tags: tags, isOptional: true)) }
    }
    result.initialize(to: try take(T.self, found, from: container))
    return true
  }

  /// Returns the instance registered under a type and boxed tags, or nil without a registration.
  @inlinable @inline(__always)
  static func instanceIfPresent<T>(of type: T.Type, boxed tags: [Tag], from container: Unmanaged<Container>) throws -> T? {
    try stored(T.self) { try store($0, of: T.self, boxed: tags, from: container) }
  }

  /// Stores the instance registered under a type and boxed tags, made with arguments, or returns false without a registration.
  @usableFromInline
  static func store<T>(
    _ result: UnsafeMutablePointer<T>, of type: T.Type, boxed tags: [Tag], tuple: UnsafeRawPointer,
    _ list: (any ArgumentTypes.Type)?, from container: Unmanaged<Container>
  ) throws -> Bool {
    let found = begin(find(ObjectIdentifier(T.self), in: container, boxed: tags), list)
    if found.form == .slowPath {
      return try container._withUnsafeGuaranteedRef {
        try $0.initialize(result, Request(tags, tuple: tuple, list, isOptional: true))
      }
    }
    result.initialize(to: try take(T.self, found, from: container, tuple: tuple, list))
    return true
  }

  /// Returns the instance registered under a type and boxed tags, made with arguments, or nil without a registration.
  @inlinable @inline(__always)
  static func instanceIfPresent<T, Arguments>(
    of type: T.Type, boxed tags: [Tag], args: Arguments, _ list: (any ArgumentTypes.Type)?, from container: Unmanaged<Container>
  ) throws -> T? {
    try withUnsafePointer(to: args) { tuple in
      try stored(T.self) { try store($0, of: T.self, boxed: tags, tuple: tuple, list, from: container) }
    }
  }

  /// Stores the instance registered under a type and boxed tags, on the main actor, made with arguments, or returns false without
  /// a registration.
  @MainActor
  @usableFromInline
  static func store<T>(
    _ result: UnsafeMutablePointer<T>, of type: T.Type, onMainActor tags: [Tag], tuple: UnsafeRawPointer,
    _ list: (any ArgumentTypes.Type)?, from container: Unmanaged<Container>
  ) throws -> Bool {
    let found = begin(find(ObjectIdentifier(T.self), in: container, boxed: tags), list)
    if found.form == .slowPath {
      return try container._withUnsafeGuaranteedRef {
        try $0.initialize(result, Request(tags, tuple: tuple, list, isOptional: true).onMainActor())
      }
    }
    result.initialize(to: try take(T.self, found, from: container, tuple: tuple, list))
    return true
  }

  /// Returns the instance registered under a type and boxed tags, on the main actor, made with arguments, or nil without a
  /// registration.
  @MainActor
  @inlinable @inline(__always)
  static func instanceIfPresent<T, Arguments>(
    of type: T.Type, onMainActor tags: [Tag], args: Arguments, _ list: (any ArgumentTypes.Type)?,
    from container: Unmanaged<Container>
  ) throws -> T? {
    try withUnsafePointer(to: args) { tuple in
      try stored(T.self) { try store($0, of: T.self, onMainActor: tags, tuple: tuple, list, from: container) }
    }
  }

  /// Returns the instance registered under an optional type without tags, or else under the wrapped type.
  @inlinable @inline(__always)
  func optional<Wrapped>(of type: Wrapped?.Type) throws -> Wrapped? {
    if mayHave(ObjectIdentifier(type)) { return try registeredInstance(type, tags: []) }
    return try Self.instanceIfPresent(of: Wrapped.self, from: .passUnretained(self))
  }

  /// Returns a lazy resolver without tags, or the registered one.
  func lazyResolver<Value>(of type: LazyResolver<Value>.Type) throws -> LazyResolver<Value> {
    if mayHave(ObjectIdentifier(type)) { return try registeredInstance(type, tags: []) }
    return LazyResolver(with: weakReference)
  }

  /// Returns an instance of each registration of a type, in registration order.
  @usableFromInline
  func array<Element>(of type: Element.Type, requested: ObjectIdentifier) throws -> [Element] {
    if let array = try fastArray(Element.self, requested: requested) { return array }
    return try instance([Element].self, Request(tags: []))
  }

  /// Returns an instance of each registration of a type that has a tag, in registration order.
  @usableFromInline
  func array<Element, Value: Hashable & Sendable>(of type: Element.Type, tag: Value, requested: ObjectIdentifier) throws
    -> [Element]
  {
    if let array = try fastArray(Element.self, tag: tag, requested: requested) { return array }
    return try instance([Element].self, Request(tags: TagList.boxed(tag)))
  }

  /// Returns the set of the instances of each registration of a type.
  @inlinable @inline(__always)
  func set<Element: Hashable>(of type: Element.Type, requested: ObjectIdentifier) throws -> Set<Element> {
    if let array = try fastArray(Element.self, requested: requested) { return Set(array) }
    return try registeredInstance(Set<Element>.self, tags: [])
  }

  /// Returns the set of the instances of each registration of a type that has a tag.
  @inlinable @inline(__always)
  func set<Element: Hashable, Value: Hashable & Sendable>(of type: Element.Type, tag: Value, requested: ObjectIdentifier) throws
    -> Set<Element>
  {
    if let array = try fastArray(Element.self, tag: tag, requested: requested) { return Set(array) }
    return try registeredInstance(Set<Element>.self, tags: TagList.boxed(tag))
  }
}

// MARK: Asynchronous contexts

extension Container {
  /// Returns the instance registered under a type without tags, in an asynchronous context.
  @usableFromInline
  nonisolated(nonsending)
    static func instanceAsync<T>(of type: T.Type, from container: Unmanaged<Container>) async throws -> T
  {
    try await instanceAsync(T.self, find(ObjectIdentifier(T.self), in: container), from: container) { Request(tags: []) }
  }

  /// Returns the instance registered under a type and a tag, in an asynchronous context.
  @usableFromInline
  nonisolated(nonsending)
    static func instanceAsync<T, Value: Hashable & Sendable>(of type: T.Type, tag: Value, from container: Unmanaged<Container>)
    async throws -> T
  {
    try await instanceAsync(T.self, find(ObjectIdentifier(T.self), in: container, tag: tag), from: container) {
      Request(tags: TagList.boxed(tag))
    }
  }

  /// Returns the instance registered under a type and two tags, in an asynchronous context.
  @usableFromInline
  nonisolated(nonsending)
    static func instanceAsync<T, First: Hashable & Sendable, Second: Hashable & Sendable>(
      of type: T.Type, tags first: First, _ second: Second, from container: Unmanaged<Container>
    ) async throws -> T
  {
    try await instanceAsync(T.self, find(ObjectIdentifier(T.self), in: container, tags: first, second), from: container) {
      Request(tags: TagList.boxed(first, second))
    }
  }

  /// Returns the instance registered under a type without tags, made with arguments, in an asynchronous context.
  @usableFromInline
  nonisolated(nonsending)
    static func instanceAsync<T, Arguments>(
      of type: T.Type, args: Arguments, _ list: (any ArgumentTypes.Type)?, from container: Unmanaged<Container>
    ) async throws -> T
  {
    let found = begin(find(ObjectIdentifier(T.self), in: container), list)
    if found.form != .slowPath {
      return try withUnsafePointer(to: args) { try take(T.self, found, from: container, tuple: $0, list) }
    }
    let request = withUnsafePointer(to: args) { Request([], tuple: $0, list) }
    return try await instanceAsync(T.self, request, from: container)
  }

  /// Returns the instance registered under a type and boxed tags, in an asynchronous context.
  @usableFromInline
  nonisolated(nonsending)
    static func instanceAsync<T>(of type: T.Type, boxed tags: [Tag], from container: Unmanaged<Container>) async throws -> T
  {
    try await instanceAsync(T.self, find(ObjectIdentifier(T.self), in: container, boxed: tags), from: container) {
      Request(tags: tags)
    }
  }

  /// Returns the instance registered under a type and boxed tags, made with arguments, in an asynchronous context.
  @usableFromInline
  nonisolated(nonsending)
    static func instanceAsync<T, Arguments>(
      of type: T.Type, boxed tags: [Tag], args: Arguments, _ list: (any ArgumentTypes.Type)?,
      from container: Unmanaged<Container>
    ) async throws -> T
  {
    let found = begin(find(ObjectIdentifier(T.self), in: container, boxed: tags), list)
    if found.form != .slowPath {
      return try withUnsafePointer(to: args) { try take(T.self, found, from: container, tuple: $0, list) }
    }
    let request = withUnsafePointer(to: args) { Request(tags, tuple: $0, list) }
    return try await instanceAsync(T.self, request, from: container)
  }

  /// Returns the instance registered under a type without tags, in an asynchronous context, or nil without a registration.
  @inlinable @inline(never)
  nonisolated(nonsending)
    static func instanceIfPresentAsync<T>(of type: T.Type, from container: Unmanaged<Container>) async throws -> T?
  {
    var mustWait = false
    let instance = try stored(T.self) { result in
      guard let isStored = try storeWithoutWaiting(result, of: T.self, from: container) else {
        mustWait = true
        return false
      }
      return isStored
    }
    return mustWait ? try await registeredIfPresentAsync(T.self, tags: [], from: container) : instance
  }

  /// Stores an instance, or returns false without a registration and nil if the caller must suspend.
  @usableFromInline
  static func storeWithoutWaiting<T>(_ result: UnsafeMutablePointer<T>, of type: T.Type, from container: Unmanaged<Container>)
    throws -> Bool?
  {
    let found = begin(find(ObjectIdentifier(T.self), in: container), nil)
    if found.form == .slowPath { return try storeWithoutWaiting(result, Request(tags: [], isOptional: true), from: container) }
    result.initialize(to: try take(T.self, found, from: container))
    return true
  }

  /// Returns the instance registered under a type and a tag, in an asynchronous context, or nil without a registration.
  @inlinable @inline(never)
  nonisolated(nonsending)
    static func instanceIfPresentAsync<T, Value: Hashable & Sendable>(
      of type: T.Type, tag: Value, from container: Unmanaged<Container>
    ) async throws -> T?
  {
    var mustWait = false
    let instance = try stored(T.self) { result in
      guard let isStored = try storeWithoutWaiting(result, of: T.self, tag: tag, from: container) else {
        mustWait = true
        return false
      }
      return isStored
    }
    return mustWait ? try await registeredIfPresentAsync(T.self, tags: TagList.boxed(tag), from: container) : instance
  }

  /// Stores an instance, or returns false without a registration and nil if the caller must suspend.
  @usableFromInline
  static func storeWithoutWaiting<T, Value: Hashable & Sendable>(
    _ result: UnsafeMutablePointer<T>, of type: T.Type, tag: Value, from container: Unmanaged<Container>
  ) throws -> Bool? {
    let found = begin(find(ObjectIdentifier(T.self), in: container, tag: tag), nil)
    if found.form == .slowPath {
      return try storeWithoutWaiting(result, Request(tags: TagList.boxed(tag), isOptional: true), from: container)
    }
    result.initialize(to: try take(T.self, found, from: container))
    return true
  }

  /// Returns the instance registered under a type and boxed tags, in an asynchronous context, or nil without a registration.
  @inlinable @inline(never)
  nonisolated(nonsending)
    static func instanceIfPresentAsync<T>(of type: T.Type, boxed tags: [Tag], from container: Unmanaged<Container>) async throws
    -> T?
  {
    var mustWait = false
    let instance = try stored(T.self) { result in
      guard let isStored = try storeWithoutWaiting(result, of: T.self, boxed: tags, from: container) else {
        mustWait = true
        return false
      }
      return isStored
    }
    return mustWait ? try await registeredIfPresentAsync(T.self, tags: tags, from: container) : instance
  }

  /// Stores an instance, or returns false without a registration and nil if the caller must suspend.
  @usableFromInline
  static func storeWithoutWaiting<T>(
    _ result: UnsafeMutablePointer<T>, of type: T.Type, boxed tags: [Tag], from container: Unmanaged<Container>
  ) throws -> Bool? {
    let found = begin(find(ObjectIdentifier(T.self), in: container, boxed: tags), nil)
    if found.form == .slowPath {
      return try storeWithoutWaiting(result, Request(tags: tags, isOptional: true), from: container)
    }
    result.initialize(to: try take(T.self, found, from: container))
    return true
  }

  /// Returns the instance registered under a type and boxed tags, made with arguments, in an asynchronous context, or nil without
  /// a registration.
  @usableFromInline
  nonisolated(nonsending)
    static func instanceIfPresentAsync<T, Arguments>(
      of type: T.Type, boxed tags: [Tag], args: Arguments, _ list: (any ArgumentTypes.Type)?,
      from container: Unmanaged<Container>
    ) async throws -> T?
  {
    let found = begin(find(ObjectIdentifier(T.self), in: container, boxed: tags), list)
    if found.form != .slowPath {
      return try withUnsafePointer(to: args) { try take(T.self, found, from: container, tuple: $0, list) }
    }
    let request = withUnsafePointer(to: args) { Request(tags, tuple: $0, list, isOptional: true) }
    return try await container.takeUnretainedValue().slowPathIfPresentAsync(T.self, request)
  }

  /// Returns the instance registered under an optional type without tags, or else under the wrapped type, in an asynchronous
  /// context.
  @inlinable @inline(never)
  nonisolated(nonsending)
    static func optionalAsync<Wrapped>(of type: Wrapped?.Type, from container: Unmanaged<Container>) async throws -> Wrapped?
  {
    if container._withUnsafeGuaranteedRef({ $0.mayHave(ObjectIdentifier(type)) }) {
      return try await registeredInstanceAsync(type, tags: [], from: container)
    }
    return try await instanceIfPresentAsync(of: Wrapped.self, from: container)
  }

  /// Returns a lazy resolver without tags, or the registered one, in an asynchronous context.
  nonisolated(nonsending)
    static func lazyResolverAsync<Value>(of type: LazyResolver<Value>.Type, from container: Unmanaged<Container>) async throws
    -> LazyResolver<Value>
  {
    if container._withUnsafeGuaranteedRef({ $0.mayHave(ObjectIdentifier(type)) }) {
      return try await registeredInstanceAsync(type, tags: [], from: container)
    }
    return container._withUnsafeGuaranteedRef { LazyResolver(with: $0.weakReference) }
  }

  /// Returns an instance of each registration of a type, in registration order, in an asynchronous context.
  @usableFromInline
  nonisolated(nonsending)
    static func arrayAsync<Element>(of type: Element.Type, requested: ObjectIdentifier, from container: Unmanaged<Container>)
    async throws -> [Element]
  {
    if let array = try container._withUnsafeGuaranteedRef({ try $0.fastArray(Element.self, requested: requested) }) {
      return array
    }
    return try await container.takeUnretainedValue().slowPathAsync([Element].self, Request(tags: []))
  }

  /// Returns an instance of each registration of a type that has a tag, in registration order, in an asynchronous context.
  @usableFromInline
  nonisolated(nonsending)
    static func arrayAsync<Element, Value: Hashable & Sendable>(
      of type: Element.Type, tag: Value, requested: ObjectIdentifier, from container: Unmanaged<Container>
    ) async throws -> [Element]
  {
    if let array = try container._withUnsafeGuaranteedRef({ try $0.fastArray(Element.self, tag: tag, requested: requested) }) {
      return array
    }
    return try await container.takeUnretainedValue().slowPathAsync([Element].self, Request(tags: TagList.boxed(tag)))
  }

  /// Returns the set of the instances of each registration of a type, in an asynchronous context.
  @inlinable @inline(never)
  nonisolated(nonsending)
    static func setAsync<Element: Hashable>(
      of type: Element.Type, requested: ObjectIdentifier, from container: Unmanaged<Container>
    ) async throws -> Set<Element>
  {
    if let array = try container._withUnsafeGuaranteedRef({ try $0.fastArray(Element.self, requested: requested) }) {
      return Set(array)
    }
    return try await registeredInstanceAsync(Set<Element>.self, tags: [], from: container)
  }

  /// Returns the set of the instances of each registration of a type that has a tag, in an asynchronous context.
  @inlinable @inline(never)
  nonisolated(nonsending)
    static func setAsync<Element: Hashable, Value: Hashable & Sendable>(
      of type: Element.Type, tag: Value, requested: ObjectIdentifier, from container: Unmanaged<Container>
    ) async throws -> Set<Element>
  {
    if let array = try container._withUnsafeGuaranteedRef({ try $0.fastArray(Element.self, tag: tag, requested: requested) }) {
      return Set(array)
    }
    return try await registeredInstanceAsync(Set<Element>.self, tags: TagList.boxed(tag), from: container)
  }
}

// MARK: The slow path for functions that clients inline

extension Container {
  @usableFromInline
  func registeredInstance<T>(_ type: T.Type, tags: [Tag]) throws -> T { try instance(type, Request(tags: tags)) }

  @usableFromInline
  nonisolated(nonsending)
    static func registeredInstanceAsync<T>(_ type: T.Type, tags: [Tag], from container: Unmanaged<Container>) async throws -> T
  {
    try await instanceAsync(type, Request(tags: tags), from: container)
  }

  @usableFromInline
  nonisolated(nonsending)
    static func registeredIfPresentAsync<T>(
      _ type: T.Type, tags: [Tag], from container: Unmanaged<Container>
    ) async throws -> T?
  {
    try await container.takeUnretainedValue().slowPathIfPresentAsync(type, Request(tags: tags, isOptional: true))
  }
}
