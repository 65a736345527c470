public import Synchronization

// The short way, compiled into whoever resolves: one registration for the key, in this container, with a synchronous factory.
// It takes the steps of `Container+Instances` without boxing anything. Everything else takes the long way.
//
// None, one and two tags, with and without arguments, each have a function that the compiler can take apart: tags in a pack cost
// 30 ns more, and an empty pack of arguments crashes the release compiler in asynchronous functions.

extension Container {
  /// The instance registered under a type without tags, by whichever way is open.
  @inlinable
  func instance<T>(of type: T.Type) throws -> T {
    let record = readers.pointee.record
    let began = record.pointee.beginReading(readers)
    if let reference = onlyEntry(ObjectIdentifier(T.self), tagHash: 0) {
      if let instance = try quickly(T.self, reference, record, began) { return instance }
    } else if let scopeMemory {
      if let instance = try knownInstance(of: T.self, scopeMemory, record, began) { return instance }
    } else {
      record.pointee.endReading(began)
    }
    return try slowly(T.self, tags: [])
  }

  /// The instance registered under a type and a tag, by whichever way is open.
  @inlinable
  func instance<T, Value: Hashable & Sendable>(of type: T.Type, tag: Value) throws -> T {
    var probe = TagProbe()
    probe.add(tag)
    if probe.isQuick {
      let record = readers.pointee.record
      let began = record.pointee.beginReading(readers)
      if let reference = onlyEntry(ObjectIdentifier(T.self), tagHash: probe.sum),
        TagProbe.contains(reference, count: 1, tag, hash: probe.sum)
      {
        if let instance = try quickly(T.self, reference, record, began) { return instance }
      } else if let scopeMemory {
        if let instance = try knownInstance(of: T.self, tag, probe, scopeMemory, record, began) { return instance }
      } else {
        record.pointee.endReading(began)
      }
    }
    return try slowly(T.self, tags: TagProbe.boxed(tag))
  }

  /// The instance registered under a type and two tags, by whichever way is open.
  @inlinable
  func instance<T, First: Hashable & Sendable, Second: Hashable & Sendable>(
    of type: T.Type, tags first: First, _ second: Second
  ) throws -> T {
    var probe = TagProbe()
    probe.add(first)
    probe.add(second)
    if probe.isQuick {
      let record = readers.pointee.record
      let began = record.pointee.beginReading(readers)
      if let reference = onlyEntry(ObjectIdentifier(T.self), tagHash: probe.sum),
        TagProbe.contains(reference, count: 2, first, hash: probe.hashes[0]),
        TagProbe.contains(reference, count: 2, second, hash: probe.hashes[1])
      {
        if let instance = try quickly(T.self, reference, record, began) { return instance }
      } else if let scopeMemory {
        if let instance = try knownInstance(of: T.self, first, second, probe, scopeMemory, record, began) { return instance }
      } else {
        record.pointee.endReading(began)
      }
    }
    return try slowly(T.self, tags: TagProbe.boxed(first, second))
  }

  /// The instance registered under a type and a tag, made with arguments, by whichever way is open.
  @inlinable
  func instance<T, Value: Hashable & Sendable, each Argument>(
    of type: T.Type, tag: Value, args: repeat each Argument
  ) throws -> T {
    var probe = TagProbe()
    probe.add(tag)
    if probe.isQuick {
      let record = readers.pointee.record
      let began = record.pointee.beginReading(readers)
      if let reference = onlyEntry(ObjectIdentifier(T.self), tagHash: probe.sum),
        TagProbe.contains(reference, count: 1, tag, hash: probe.sum)
      {
        if let instance = try quickly(T.self, reference, record, began, args: repeat each args) { return instance }
      } else {
        record.pointee.endReading(began)
      }
    }
    return try slowly(T.self, tags: TagProbe.boxed(tag), args: repeat each args)
  }

  /// The instance registered under a type and two tags, made with arguments, by whichever way is open.
  @inlinable
  func instance<T, First: Hashable & Sendable, Second: Hashable & Sendable, each Argument>(
    of type: T.Type, first: First, second: Second, args: repeat each Argument
  ) throws -> T {
    var probe = TagProbe()
    probe.add(first)
    probe.add(second)
    if probe.isQuick {
      let record = readers.pointee.record
      let began = record.pointee.beginReading(readers)
      if let reference = onlyEntry(ObjectIdentifier(T.self), tagHash: probe.sum),
        TagProbe.contains(reference, count: 2, first, hash: probe.hashes[0]),
        TagProbe.contains(reference, count: 2, second, hash: probe.hashes[1])
      {
        if let instance = try quickly(T.self, reference, record, began, args: repeat each args) { return instance }
      } else {
        record.pointee.endReading(began)
      }
    }
    return try slowly(T.self, tags: TagProbe.boxed(first, second), args: repeat each args)
  }

  /// The instance registered under a type and tags, by whichever way is open.
  @inlinable
  func instance<T, each Value: Hashable & Sendable, each Argument>(
    of type: T.Type, tags: repeat each Value, args: repeat each Argument
  ) throws -> T {
    var probe = TagProbe()
    // Not a loop over the pack, which would copy each tag.
    repeat probe.add(each tags)
    if probe.isQuick {
      let record = readers.pointee.record
      let began = record.pointee.beginReading(readers)
      if let reference = onlyEntry(ObjectIdentifier(T.self), tagHash: probe.sum) {
        var match = TagProbe.Match(reference, probe)
        repeat match.look(for: each tags)
        if !match.isMatch {
          record.pointee.endReading(began)
        } else if Self.isEmpty(repeat (each Argument).self) {
          if let instance = try quickly(T.self, reference, record, began) { return instance }
        } else if let instance = try quickly(T.self, reference, record, began, args: repeat each args) {
          return instance
        }
      } else {
        record.pointee.endReading(began)
      }
    }
    return try slowly(T.self, tags: TagProbe.boxed(repeat each tags), args: repeat each args)
  }

  /// Whether a pack has no elements.
  @inlinable @inline(__always)
  static func isEmpty<each Element>(_ type: repeat (each Element).Type) -> Bool {
    for _ in repeat each type { return false }
    return true
  }

  /// The instance of an entry that was found while reading, which this ends; nil if it takes the long way: it is not visible, its
  /// factory needs arguments or another context, or its instance has not been made.
  @inlinable @inline(__always)
  func quickly<T>(
    _ type: T.Type, _ reference: Unmanaged<Entry>, _ record: UnsafeMutablePointer<ReaderRecord>, _ began: Bool
  ) throws -> T? {
    try reference._withUnsafeGuaranteedRef { entry in
      guard entry.kind == .plain, entry.isVisible(at: quickVersion.load(ordering: .acquiring)) else {
        record.pointee.endReading(began)
        return nil
      }
      return try plainly(T.self, reference, record, began)
    }
  }

  /// The same for an entry of the kind `.plain` that answers here, whether it is registered here or not.
  @inlinable @inline(__always)
  func plainly<T>(
    _ type: T.Type, _ reference: Unmanaged<Entry>, _ record: UnsafeMutablePointer<ReaderRecord>, _ began: Bool
  ) throws -> T? {
    try reference._withUnsafeGuaranteedRef { entry in
      let plain = unsafeDowncast(entry, to: PlainEntry<T>.self)
      if entry.lifetime != .transient {
        guard entry.state.load(ordering: .acquiring) == 1, let instance = plain.instance else {
          record.pointee.endReading(began)
          return nil
        }
        let value = instance.pointee
        record.pointee.endReading(began)
        return value
      }
      record.pointee.keep(reference)
      record.pointee.endReading(began)
      defer { record.pointee.release(reference) }
      if BuildPath.isRing(entry, hasArguments: false, record) { return nil }
      return try BuildPath.within(entry, record) {
        do { return try plain.factory(self) } catch { throw leaving(error) }
      }
    }
  }

  /// The same for an entry whose factory takes arguments of exactly the given types, or takes them as they are; a singleton takes
  /// the long way.
  @inlinable @inline(__always)
  func quickly<T, each Argument>(
    _ type: T.Type, _ reference: Unmanaged<Entry>, _ record: UnsafeMutablePointer<ReaderRecord>, _ began: Bool,
    args: repeat each Argument
  ) throws -> T? {
    try reference._withUnsafeGuaranteedRef { entry in
      let kind = entry.kind
      guard kind == .arguments || kind == .dynamic, entry.lifetime == .transient,
        entry.isVisible(at: quickVersion.load(ordering: .acquiring))
      else {
        record.pointee.endReading(began)
        return nil
      }
      record.pointee.keep(reference)
      record.pointee.endReading(began)
      defer { record.pointee.release(reference) }
      if kind == .dynamic {
        return try made(unsafeDowncast(entry, to: DynamicEntry<T>.self), record, args: repeat each args)
      }
      guard entry.hasArguments(repeat (each Argument).self) else { return nil }
      if BuildPath.isRing(entry, hasArguments: true, record) { return nil }
      let typed = unsafeDowncast(entry, to: ArgumentEntry<T, repeat each Argument>.self)
      return try BuildPath.within(entry, record) {
        do { return try typed.factory(self, repeat each args) } catch { throw leaving(error) }
      }
    }
  }

  /// What a factory makes that looks at its arguments where they lie; nil if it cannot use them so.
  @inlinable @inline(never)
  func made<T, each Argument>(
    _ entry: DynamicEntry<T>, _ record: UnsafeMutablePointer<ReaderRecord>, args: repeat each Argument
  ) throws -> T? {
    if BuildPath.isRing(entry, hasArguments: true, record) { return nil }
    return try ArgumentReferences.lend(repeat each args) { arguments in
      try BuildPath.within(entry, record) {
        do { return try entry.unboxedFactory(arguments) } catch { throw leaving(error) }
      }
    }
  }

  /// The only entry that is registered here under a type and a hash; nil if there are none or several, or ever were several.
  @inlinable @inline(__always)
  func onlyEntry(_ identity: ObjectIdentifier, tagHash: UInt) -> Unmanaged<Entry>? {
    guard let table = UnsafeMutablePointer<TypeTable>(bitPattern: types[UInt(bitPattern: identity)]) else { return nil }
    return EntryList.entry(table.pointee.list(tagHash: tagHash))
  }

  /// The long way.
  @usableFromInline @inline(never)
  func slowly<T, each Argument>(_ type: T.Type, tags: [Tag], args: repeat each Argument) throws -> T {
    if isLearning { learn(type, tags, repeat each args) }
    if let instance = try instance(type, Request(tags, repeat each args)) { return instance }
    throw ResolutionError.notFound(AnyKey(metatype: type, tags: tags), in: self)
  }

  /// The long way in any context.
  func anywhere<T>(_ type: T.Type, _ request: Request) throws -> T {
    if isLearning { learn(type, request) }
    if let instance = try instance(type, request) { return instance }
    throw ResolutionError.notFound(AnyKey(metatype: type, tags: request.tags), in: self)
  }

  /// The long way in an asynchronous context.
  nonisolated(nonsending)
    func asynchronously<T>(_ type: T.Type, _ request: Request) async throws -> T
  {
    if isLearning { learn(type, request) }
    if let instance = try await instanceAsync(type, request) { return instance }
    throw ResolutionError.notFound(AnyKey(metatype: type, tags: request.tags), in: self)
  }

  /// The long way on the main actor.
  @MainActor
  func onMain<T>(_ type: T.Type, _ request: Request) throws -> T {
    if isLearning { learn(type, request) }
    if let instance = try instanceOnMain(type, request) { return instance }
    throw ResolutionError.notFound(AnyKey(metatype: type, tags: request.tags), in: self)
  }
}

extension Container.Request {
  /// Boxes arguments, once, and remembers the types that they were given with.
  init<each Argument>(_ tags: [Tag], _ args: repeat each Argument, cached: Bool? = nil) {
    self.tags = tags
    self.cached = cached
    for argument in repeat each args {
      arguments.append(argument)
      types.append(Self.identity(of: argument))
    }
  }

  private static func identity<Argument>(of argument: Argument) -> ObjectIdentifier { ObjectIdentifier(Argument.self) }
}

extension Entry {
  /// Whether the factory takes arguments of exactly these types; for an entry of the kind `.arguments`.
  @inlinable @inline(__always)
  final func hasArguments<each Argument>(_ type: repeat (each Argument).Type) -> Bool {
    let types = argumentIdentities
    var index = 0
    for type in repeat each type {
      guard index < types.count, types[index] == ObjectIdentifier(type) else { return false }
      index += 1
    }
    return index == types.count
  }
}
