// Written by scripts/generate-overloads. Change that script, not this file.
//
// The functions that `resolve` calls. Each tries the fast path, then the slow path. Those with arguments use no closures, since a
// recursion of factories with arguments may be deep.

extension Container {
  /// Returns the instance registered under a type without tags.
  @inlinable
  static func instance<T>(of type: T.Type, from container: Unmanaged<Container>) throws -> T {
    let found = container._withUnsafeGuaranteedRef { $0.begin(ObjectIdentifier(T.self)) }
    if found.form != .slowPath { return try take(T.self, found, from: container) }
    return try slow(T.self, [], from: container)
  }

  /// Returns the instance registered under a type and a tag.
  @inlinable
  static func instance<T, Value: Hashable & Sendable>(of type: T.Type, tag: Value, from container: Unmanaged<Container>) throws
    -> T
  {
    let found = container._withUnsafeGuaranteedRef { begin($0.find(ObjectIdentifier(T.self), tag: tag), nil) }
    if found.form != .slowPath { return try take(T.self, found, from: container) }
    return try slow(T.self, TagList.boxed(tag), from: container)
  }

  /// Returns the instance registered under a type and two tags.
  @inlinable
  static func instance<T, First: Hashable & Sendable, Second: Hashable & Sendable>(
    of type: T.Type, tags first: First, _ second: Second, from container: Unmanaged<Container>
  ) throws -> T {
    let found = container._withUnsafeGuaranteedRef { begin($0.find(ObjectIdentifier(T.self), tags: first, second), nil) }
    if found.form != .slowPath { return try take(T.self, found, from: container) }
    return try slow(T.self, TagList.boxed(first, second), from: container)
  }

  /// Returns the instance registered under a type without tags, made with arguments.
  @inlinable
  static func instance<T, Arguments>(
    of type: T.Type, args: Arguments, _ list: (any ArgumentTypes.Type)?, from container: Unmanaged<Container>
  ) throws -> T {
    let found = container._withUnsafeGuaranteedRef { $0.begin(ObjectIdentifier(T.self), list) }
    if found.form != .slowPath { return try take(T.self, found, from: container, args: args, list) }
    return try slow(T.self, [], from: container, args: args, list)
  }

  /// Returns the instance registered under a type and a tag, made with arguments.
  @inlinable
  static func instance<T, Value: Hashable & Sendable, Arguments>(
    of type: T.Type, tag: Value, args: Arguments, _ list: (any ArgumentTypes.Type)?, from container: Unmanaged<Container>
  ) throws -> T {
    let found = container._withUnsafeGuaranteedRef { begin($0.find(ObjectIdentifier(T.self), tag: tag), list) }
    if found.form != .slowPath { return try take(T.self, found, from: container, args: args, list) }
    return try slow(T.self, TagList.boxed(tag), from: container, args: args, list)
  }

  /// Returns the instance registered under a type and two tags, made with arguments.
  @inlinable
  static func instance<T, First: Hashable & Sendable, Second: Hashable & Sendable, Arguments>(
    of type: T.Type, first: First, second: Second, args: Arguments, _ list: (any ArgumentTypes.Type)?,
    from container: Unmanaged<Container>
  ) throws -> T {
    let found = container._withUnsafeGuaranteedRef { begin($0.find(ObjectIdentifier(T.self), tags: first, second), list) }
    if found.form != .slowPath { return try take(T.self, found, from: container, args: args, list) }
    return try slow(T.self, TagList.boxed(first, second), from: container, args: args, list)
  }

  /// Returns the instance registered under a type and tags, made with arguments.
  @inlinable
  static func instance<T, each Value: Hashable & Sendable, Arguments>(
    of type: T.Type, tags: repeat each Value, args: Arguments, _ list: (any ArgumentTypes.Type)?,
    from container: Unmanaged<Container>
  ) throws -> T {
    let found = container._withUnsafeGuaranteedRef { begin($0.find(ObjectIdentifier(T.self), all: repeat each tags), list) }
    if found.form != .slowPath { return try take(T.self, found, from: container, args: args, list) }
    return try slow(T.self, TagList.boxed(repeat each tags), from: container, args: args, list)
  }

  /// Returns the instance registered under a type and boxed tags.
  @inlinable
  static func instance<T>(of type: T.Type, boxed tags: [Tag], from container: Unmanaged<Container>) throws -> T {
    let found = container._withUnsafeGuaranteedRef { begin($0.find(ObjectIdentifier(T.self), boxed: tags), nil) }
    if found.form != .slowPath { return try take(T.self, found, from: container) }
    return try slow(T.self, tags, from: container)
  }

  /// Returns the instance registered under a type and boxed tags, made with arguments.
  @inlinable
  static func instance<T, Arguments>(
    of type: T.Type, boxed tags: [Tag], args: Arguments, _ list: (any ArgumentTypes.Type)?, from container: Unmanaged<Container>
  ) throws -> T {
    let found = container._withUnsafeGuaranteedRef { begin($0.find(ObjectIdentifier(T.self), boxed: tags), list) }
    if found.form != .slowPath { return try take(T.self, found, from: container, args: args, list) }
    return try slow(T.self, tags, from: container, args: args, list)
  }

  /// Returns the instance registered under a type without tags, or nil without a registration.
  @inlinable
  static func instanceIfPresent<T>(of type: T.Type, from container: Unmanaged<Container>) throws -> T? {
    let found = container._withUnsafeGuaranteedRef { $0.begin(ObjectIdentifier(T.self)) }
    if found.form != .slowPath { return try take(T.self, found, from: container) }
    return try slowIfPresent(T.self, [], from: container)
  }

  /// Returns the instance registered under a type and a tag, or nil without a registration.
  @inlinable
  static func instanceIfPresent<T, Value: Hashable & Sendable>(
    of type: T.Type, tag: Value, from container: Unmanaged<Container>
  ) throws -> T? {
    let found = container._withUnsafeGuaranteedRef { begin($0.find(ObjectIdentifier(T.self), tag: tag), nil) }
    if found.form != .slowPath { return try take(T.self, found, from: container) }
    return try slowIfPresent(T.self, TagList.boxed(tag), from: container)
  }

  /// Returns the instance registered under a type and tags, made with arguments, or nil without a registration.
  @inlinable
  static func instanceIfPresent<T, each Value: Hashable & Sendable, Arguments>(
    of type: T.Type, tags: repeat each Value, args: Arguments, _ list: (any ArgumentTypes.Type)?,
    from container: Unmanaged<Container>
  ) throws -> T? {
    let found = container._withUnsafeGuaranteedRef { begin($0.find(ObjectIdentifier(T.self), all: repeat each tags), list) }
    if found.form != .slowPath { return try take(T.self, found, from: container, args: args, list) }
    return try slowIfPresent(T.self, TagList.boxed(repeat each tags), from: container, args: args, list)
  }

  /// Returns the instance registered under a type and boxed tags, or nil without a registration.
  @inlinable
  static func instanceIfPresent<T>(of type: T.Type, boxed tags: [Tag], from container: Unmanaged<Container>) throws -> T? {
    let found = container._withUnsafeGuaranteedRef { begin($0.find(ObjectIdentifier(T.self), boxed: tags), nil) }
    if found.form != .slowPath { return try take(T.self, found, from: container) }
    return try slowIfPresent(T.self, tags, from: container)
  }

  /// Returns the instance registered under a type and boxed tags, made with arguments, or nil without a registration.
  @inlinable
  static func instanceIfPresent<T, Arguments>(
    of type: T.Type, boxed tags: [Tag], args: Arguments, _ list: (any ArgumentTypes.Type)?, from container: Unmanaged<Container>
  ) throws -> T? {
    let found = container._withUnsafeGuaranteedRef { begin($0.find(ObjectIdentifier(T.self), boxed: tags), list) }
    if found.form != .slowPath { return try take(T.self, found, from: container, args: args, list) }
    return try slowIfPresent(T.self, tags, from: container, args: args, list)
  }

  /// Returns the instance registered under an optional type without tags, or else under the wrapped type.
  @inlinable
  func optional<Wrapped>(of type: Wrapped?.Type) throws -> Wrapped? {
    if mayHave(ObjectIdentifier(type)) { return try instance(type, Request(tags: [])) }
    return try Self.instanceIfPresent(of: Wrapped.self, from: .passUnretained(self))
  }

  /// Returns a lazy resolver without tags, or the registered one.
  @inlinable
  func lazyResolver<Value>(of type: LazyResolver<Value>.Type) throws -> LazyResolver<Value> {
    if mayHave(ObjectIdentifier(type)) { return try instance(type, Request(tags: [])) }
    return LazyResolver(with: weakReference)
  }

  /// Returns an instance of each registration of a type, in registration order.
  @inlinable
  func array<Element>(of type: Element.Type) throws -> [Element] {
    if let array = try fastArray(Element.self, for: [Element].self) { return array }
    return try instance([Element].self, Request(tags: []))
  }

  /// Returns an instance of each registration of a type that has a tag, in registration order.
  @inlinable
  func array<Element, Value: Hashable & Sendable>(of type: Element.Type, tag: Value) throws -> [Element] {
    if let array = try fastArray(Element.self, tag: tag, for: [Element].self) { return array }
    return try instance([Element].self, Request(tags: TagList.boxed(tag)))
  }

  /// Returns the set of the instances of each registration of a type.
  @inlinable
  func set<Element: Hashable>(of type: Element.Type) throws -> Set<Element> {
    if let array = try fastArray(Element.self, for: Set<Element>.self) { return Set(array) }
    return try instance(Set<Element>.self, Request(tags: []))
  }

  /// Returns the set of the instances of each registration of a type that has a tag.
  @inlinable
  func set<Element: Hashable, Value: Hashable & Sendable>(of type: Element.Type, tag: Value) throws -> Set<Element> {
    if let array = try fastArray(Element.self, tag: tag, for: Set<Element>.self) { return Set(array) }
    return try instance(Set<Element>.self, Request(tags: TagList.boxed(tag)))
  }
}

// MARK: Asynchronous contexts

// These functions are not inlined, and the caller always awaits them. A caller that contained the fast path would suspend in some cases
// only. The compiler copies the rest of a function for each such case, so its size would grow with the square of the number of resolves.
//
// The container is unmanaged, so that threads which resolve do not write to its reference count.

extension Container {
  /// Returns the instance registered under a type without tags, in an asynchronous context.
  ///
  /// Compiled once for all types, so that callers stay small.
  @usableFromInline
  nonisolated(nonsending)
    static func instanceAsync<T>(of type: T.Type, from container: Unmanaged<Container>) async throws -> T
  {
    let found = container._withUnsafeGuaranteedRef { $0.find(ObjectIdentifier(T.self)) }
    return try await instanceAsync(T.self, found, from: container) { Request(tags: []) }
  }

  /// Returns the instance registered under a type and a tag, in an asynchronous context.
  @inlinable @inline(never)
  nonisolated(nonsending)
    static func instanceAsync<T, Value: Hashable & Sendable>(of type: T.Type, tag: Value, from container: Unmanaged<Container>)
    async throws -> T
  {
    let found = container._withUnsafeGuaranteedRef { $0.find(ObjectIdentifier(T.self), tag: tag) }
    return try await instanceAsync(T.self, found, from: container) { Request(tags: TagList.boxed(tag)) }
  }

  /// Returns the instance registered under a type and two tags, in an asynchronous context.
  @inlinable @inline(never)
  nonisolated(nonsending)
    static func instanceAsync<T, First: Hashable & Sendable, Second: Hashable & Sendable>(
      of type: T.Type, tags first: First, _ second: Second, from container: Unmanaged<Container>
    ) async throws -> T
  {
    let found = container._withUnsafeGuaranteedRef { $0.find(ObjectIdentifier(T.self), tags: first, second) }
    return try await instanceAsync(T.self, found, from: container) { Request(tags: TagList.boxed(first, second)) }
  }

  /// Returns the instance registered under a type and tags, made with arguments, in an asynchronous context.
  @inlinable @inline(never)
  nonisolated(nonsending)
    static func instanceAsync<T, each Value: Hashable & Sendable, Arguments>(
      of type: T.Type, tags: repeat each Value, args: Arguments, _ list: (any ArgumentTypes.Type)?,
      from container: Unmanaged<Container>
    ) async throws -> T
  {
    let found = container._withUnsafeGuaranteedRef { begin($0.find(ObjectIdentifier(T.self), all: repeat each tags), list) }
    if found.form != .slowPath { return try take(T.self, found, from: container, args: args, list) }
    return try await instanceAsync(T.self, Request(TagList.boxed(repeat each tags), args, list), from: container)
  }

  /// Returns the instance registered under a type and boxed tags, in an asynchronous context.
  @inlinable @inline(never)
  nonisolated(nonsending)
    static func instanceAsync<T>(of type: T.Type, boxed tags: [Tag], from container: Unmanaged<Container>) async throws -> T
  {
    let found = container._withUnsafeGuaranteedRef { $0.find(ObjectIdentifier(T.self), boxed: tags) }
    return try await instanceAsync(T.self, found, from: container) { Request(tags: tags) }
  }

  /// Returns the instance registered under a type and boxed tags, made with arguments, in an asynchronous context.
  @inlinable @inline(never)
  nonisolated(nonsending)
    static func instanceAsync<T, Arguments>(
      of type: T.Type, boxed tags: [Tag], args: Arguments, _ list: (any ArgumentTypes.Type)?,
      from container: Unmanaged<Container>
    ) async throws -> T
  {
    let found = container._withUnsafeGuaranteedRef { begin($0.find(ObjectIdentifier(T.self), boxed: tags), list) }
    if found.form != .slowPath { return try take(T.self, found, from: container, args: args, list) }
    return try await instanceAsync(T.self, Request(tags, args, list), from: container)
  }

  /// Returns the instance registered under a type without tags, in an asynchronous context, or nil without a registration.
  @inlinable @inline(never)
  nonisolated(nonsending)
    static func instanceIfPresentAsync<T>(of type: T.Type, from container: Unmanaged<Container>) async throws -> T?
  {
    let found = container._withUnsafeGuaranteedRef { $0.begin(ObjectIdentifier(T.self)) }
    if found.form != .slowPath { return try take(T.self, found, from: container) }
    return try await instanceIfPresentAsync(T.self, Request(tags: [], isOptional: true), from: container)
  }

  /// Returns the instance registered under a type and a tag, in an asynchronous context, or nil without a registration.
  @inlinable @inline(never)
  nonisolated(nonsending)
    static func instanceIfPresentAsync<T, Value: Hashable & Sendable>(
      of type: T.Type, tag: Value, from container: Unmanaged<Container>
    ) async throws -> T?
  {
    let found = container._withUnsafeGuaranteedRef { begin($0.find(ObjectIdentifier(T.self), tag: tag), nil) }
    if found.form != .slowPath { return try take(T.self, found, from: container) }
    return try await instanceIfPresentAsync(T.self, Request(tags: TagList.boxed(tag), isOptional: true), from: container)
  }

  /// Returns the instance registered under a type and tags, made with arguments, in an asynchronous context, or nil without a
  /// registration.
  @inlinable @inline(never)
  nonisolated(nonsending)
    static func instanceIfPresentAsync<T, each Value: Hashable & Sendable, Arguments>(
      of type: T.Type, tags: repeat each Value, args: Arguments, _ list: (any ArgumentTypes.Type)?,
      from container: Unmanaged<Container>
    ) async throws -> T?
  {
    let found = container._withUnsafeGuaranteedRef { begin($0.find(ObjectIdentifier(T.self), all: repeat each tags), list) }
    if found.form != .slowPath { return try take(T.self, found, from: container, args: args, list) }
    return try await instanceIfPresentAsync(
      T.self, Request(TagList.boxed(repeat each tags), args, list, isOptional: true), from: container)
  }

  /// Returns the instance registered under a type and boxed tags, in an asynchronous context, or nil without a registration.
  @inlinable @inline(never)
  nonisolated(nonsending)
    static func instanceIfPresentAsync<T>(of type: T.Type, boxed tags: [Tag], from container: Unmanaged<Container>) async throws
    -> T?
  {
    let found = container._withUnsafeGuaranteedRef { begin($0.find(ObjectIdentifier(T.self), boxed: tags), nil) }
    if found.form != .slowPath { return try take(T.self, found, from: container) }
    return try await instanceIfPresentAsync(T.self, Request(tags: tags, isOptional: true), from: container)
  }

  /// Returns the instance registered under a type and boxed tags, made with arguments, in an asynchronous context, or nil without
  /// a registration.
  @inlinable @inline(never)
  nonisolated(nonsending)
    static func instanceIfPresentAsync<T, Arguments>(
      of type: T.Type, boxed tags: [Tag], args: Arguments, _ list: (any ArgumentTypes.Type)?,
      from container: Unmanaged<Container>
    ) async throws -> T?
  {
    let found = container._withUnsafeGuaranteedRef { begin($0.find(ObjectIdentifier(T.self), boxed: tags), list) }
    if found.form != .slowPath { return try take(T.self, found, from: container, args: args, list) }
    return try await instanceIfPresentAsync(T.self, Request(tags, args, list, isOptional: true), from: container)
  }

  /// Returns the instance registered under an optional type without tags, or else under the wrapped type, in an asynchronous
  /// context.
  @inlinable @inline(never)
  nonisolated(nonsending)
    static func optionalAsync<Wrapped>(of type: Wrapped?.Type, from container: Unmanaged<Container>) async throws -> Wrapped?
  {
    if container._withUnsafeGuaranteedRef({ $0.mayHave(ObjectIdentifier(type)) }) {
      return try await instanceAsync(type, Request(tags: []), from: container)
    }
    let found = container._withUnsafeGuaranteedRef { $0.begin(ObjectIdentifier(Wrapped.self)) }
    if found.form != .slowPath { return try take(Wrapped.self, found, from: container) }
    return try await instanceIfPresentAsync(Wrapped.self, Request(tags: [], isOptional: true), from: container)
  }

  /// Returns a lazy resolver without tags, or the registered one, in an asynchronous context.
  @inlinable @inline(never)
  nonisolated(nonsending)
    static func lazyResolverAsync<Value>(of type: LazyResolver<Value>.Type, from container: Unmanaged<Container>) async throws
    -> LazyResolver<Value>
  {
    if container._withUnsafeGuaranteedRef({ $0.mayHave(ObjectIdentifier(type)) }) {
      return try await instanceAsync(type, Request(tags: []), from: container)
    }
    return container._withUnsafeGuaranteedRef { LazyResolver(with: $0.weakReference) }
  }

  /// Returns an instance of each registration of a type, in registration order, in an asynchronous context.
  @inlinable @inline(never)
  nonisolated(nonsending)
    static func arrayAsync<Element>(of type: Element.Type, from container: Unmanaged<Container>) async throws -> [Element]
  {
    if let array = try container._withUnsafeGuaranteedRef({ try $0.fastArray(Element.self, for: [Element].self) }) {
      return array
    }
    return try await container.takeUnretainedValue().slowPathAsync([Element].self, Request(tags: []))
  }

  /// Returns an instance of each registration of a type that has a tag, in registration order, in an asynchronous context.
  @inlinable @inline(never)
  nonisolated(nonsending)
    static func arrayAsync<Element, Value: Hashable & Sendable>(
      of type: Element.Type, tag: Value, from container: Unmanaged<Container>
    ) async throws -> [Element]
  {
    if let array = try container._withUnsafeGuaranteedRef({ try $0.fastArray(Element.self, tag: tag, for: [Element].self) }) {
      return array
    }
    return try await container.takeUnretainedValue().slowPathAsync([Element].self, Request(tags: TagList.boxed(tag)))
  }

  /// Returns the set of the instances of each registration of a type, in an asynchronous context.
  @inlinable @inline(never)
  nonisolated(nonsending)
    static func setAsync<Element: Hashable>(of type: Element.Type, from container: Unmanaged<Container>) async throws -> Set<
      Element
    >
  {
    if let array = try container._withUnsafeGuaranteedRef({ try $0.fastArray(Element.self, for: Set<Element>.self) }) {
      return Set(array)
    }
    return try await container.takeUnretainedValue().slowPathAsync(Set<Element>.self, Request(tags: []))
  }

  /// Returns the set of the instances of each registration of a type that has a tag, in an asynchronous context.
  @inlinable @inline(never)
  nonisolated(nonsending)
    static func setAsync<Element: Hashable, Value: Hashable & Sendable>(
      of type: Element.Type, tag: Value, from container: Unmanaged<Container>
    ) async throws -> Set<Element>
  {
    if let array = try container._withUnsafeGuaranteedRef({ try $0.fastArray(Element.self, tag: tag, for: Set<Element>.self) })
    {
      return Set(array)
    }
    return try await container.takeUnretainedValue().slowPathAsync(Set<Element>.self, Request(tags: TagList.boxed(tag)))
  }
}
