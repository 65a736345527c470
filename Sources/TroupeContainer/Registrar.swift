/// An object that accepts registrations, such as a container.
///
/// ```swift
/// let container = Container()
/// container.register(lifetime: .singleton) { _ in [1, 2, 3] }
/// container.register(Int.self, tags: "sum") { resolver in try resolver.resolve([Int].self).reduce(0, +) }
/// assert(try! container.resolve(Int.self, tags: "sum") == 6)
/// ```
///
/// A registration replaces one with the same type, tags and argument types, unless the container has another policy. A factory runs
/// in the caller's context, on any thread, so its captured values must be thread-safe. A singleton is shared by all threads.
///
/// A factory must return or throw. If it ends its thread, all callers that wait for its singleton wait forever. So they do if it waits
/// for a thread or a detached task that resolves the factory's own instance: the container detects dependency cycles only through
/// resolves. A task that an asynchronous factory starts with `Task { }` inherits the path of running factories. Until the factory
/// returns, such a task gets the error `.cycle` for the factory's instance, even if the factory does not wait for the task.
///
/// Nested factories run on one stack, and instances pass through it by value, in several copies. Use a class for a type of many
/// kilobytes.
///
/// A factory that does not use the resolver ignores it, `register { _ in Engine() }`. A resolve can pass arguments to a factory:
///
/// ```swift
/// container.register(String.self, tags: "greeting") { (_: any Resolver, name: String) in "Hello \(name)" }
/// assert(try! container.resolve(String.self, tags: "greeting", args: "Ann") == "Hello Ann")
/// ```
public protocol Registrar: AnyObject {
  /// The registration under a key. Setting an entry registers a copy of it under the key, as `add` does under the entry's own; setting nil
  /// removes the registrations under the key.
  subscript(key: AnyKey) -> Entry? { get set }

  /// Registers an entry under its key.
  func add(_ entry: Entry)

  /// Registers an assembly and its dependencies. Ignores an assembly whose type is already registered.
  ///
  /// `assemble` may call the assembly on another thread: do not use it after the registration, unless it is Sendable.
  func register(assembly: any Assembly)
}

// A parameter `noClosure`, to which nobody passes an argument, takes up a trailing closure, so that the function is no candidate for
// `register { … }`.

extension Registrar {
  /// Registers an entry under its key.
  public func add(_ entry: Entry) { self[entry.key] = entry }

  /// The registration under a key; see the subscript for `AnyKey`.
  public subscript<T>(key: Key<T>) -> Entry? {
    get { self[AnyKey(key)] }
    set { self[AnyKey(key)] = newValue }
  }

  /// Registers assemblies and their dependencies. Ignores an assembly whose type is already registered.
  public func register<First: Assembly, each Other: Assembly>(
    assemblies first: First, _ others: repeat each Other, noClosure: (Never) -> Void = { _ in }
  ) {
    register(assembly: first)
    for assembly in repeat each others { register(assembly: assembly) }
  }

  /// Registers a new entry and returns its key.
  ///
  /// - Parameter dependencies: The types that the factory resolves without tags. Nil if they are not known.
  func adding<T>(_ entry: TypedEntry<T>, dependencies: [any Any.Type]? = nil) -> Key<T> {
    if let dependencies {
      entry.details.dependencies = dependencies.map { type in
        Dependency(key: AnyKey(metatype: type, tags: []), argumentTypes: [], source: .known)
      }
    }
    add(entry)
    return Key(entry.tags)
  }

  /// Registers a factory with arguments, or one whose list of arguments is empty, in a function that is generic in them.
  func adding<T, each Argument>(
    key: Key<T>, lifetime: Lifetime, location: CodeLocation,
    factory: @escaping @Sendable (any Resolver, repeat each Argument) throws -> T
  ) -> Key<T> {
    guard ArgumentList<repeat each Argument>.types.isEmpty else {
      return adding(ArgumentEntry(tags: key.tags, lifetime: lifetime, location: location, factory: factory))
    }
    return adding(
      PlainEntry(tags: key.tags, lifetime: lifetime, location: location) { resolver in
        var rest = try BoxedArguments([], for: ArgumentList<repeat each Argument>.self)
        return try factory(resolver, repeat rest.next((each Argument).self))
      })
  }
}

// MARK: Closures as instances

extension Registrar {
  // Variadic, and behind `noClosure`: so it is no candidate for a trailing closure, and does not disturb the compiler's report of an error in
  // a factory.
  /// Registers closures themselves under their type and tags. To do so without a warning, pass the type of the closure as well.
  @available(*, deprecated, message: "instance: registers the closure itself; to register what it returns, write { _ in … }")
  @discardableResult
  public func register<Result, each Tag: Hashable & Sendable>(
    tags: repeat each Tag, lifetime: Lifetime = .transient, noClosure: (Never) -> Void = { _ in },
    instance: (@Sendable () throws -> Result)...
  ) -> Key<@Sendable () throws -> Result> {
    let key = Key<@Sendable () throws -> Result>(tags: repeat each tags)
    for closure in instance { register(key: key, lifetime: lifetime) { _ in closure } }
    return key
  }
}

/// A registration has the type, tags and argument types of an earlier one, and the collision policy of the container forbids it.
public struct CollisionError: Error, CustomStringConvertible {
  /// The key of both registrations.
  public let key: AnyKey
  /// The source location of the first registration, such as `Example/Services.swift:12`, if it is known.
  public let existing: String?
  /// The source location of the second registration, if it is known.
  public let new: String?

  /// The key and both source locations.
  public var description: String {
    let (existing, new) = (existing ?? "an unknown source location", new ?? "an unknown source location")
    return "\(key) is registered twice: at \(existing) and again at \(new); remove one of them, or give it other tags"
  }
}

// MARK: Weak registrations

extension Registrar {
  /// Registers a weak reference to an object under its class and tags.
  ///
  /// ```swift
  /// final class Screen: Sendable {}
  ///
  /// let container = Container()
  /// var screen: Screen? = Screen()
  /// if let screen { container.register(weak: screen) }
  /// assert(try! container.resolve(ifPresent: Screen.self) != nil)
  /// screen = nil
  /// assert(try! container.resolve(ifPresent: Screen.self) == nil)
  /// ```
  ///
  /// The registration stays after the object is released, and still hides one of a parent. Then a resolve throws `.notFound`, an
  /// optional is nil, and an array omits the object. The registration takes any arguments, as an existing singleton does. Any
  /// thread may resolve the object, so it must be Sendable, as every class of the main actor is.
  ///
  /// Safe to call from any thread. A resolve takes about four times as long as one of a transient.
  @discardableResult
  public func register<Object: AnyObject & Sendable, each Tag: Hashable & Sendable>(
    weak object: Object, tags: repeat each Tag, fileID: StaticString = #fileID, line: Int = #line,
    noClosure: (Never) -> Void = { _ in }
  ) -> Key<Object> {
    adding(
      WeakEntry(tags: Key<Object>(tags: repeat each tags).tags, location: CodeLocation(file: fileID, line: line)) {
        [weak object] result in
        // The initializer with a conversion would change the reference count twice more.
        guard let object else { return false }
        result.initialize(to: object)
        return true
      })
  }

  /// Registers a weak reference to an object under another type and tags; see `register(weak:tags:)`.
  ///
  /// ```swift
  /// protocol Display: AnyObject, Sendable {}
  /// final class Screen: Display {}
  ///
  /// let container = Container()
  /// let screen = Screen()
  /// container.register((any Display).self, weak: screen) { $0 }
  /// assert(try! container.resolve((any Display).self) === screen)
  /// ```
  ///
  /// The closure converts the object to the registered type, nearly always with `{ $0 }`. It replaces a constraint that Swift
  /// cannot express for a protocol. If `{ $0 }` does not compile, `{ $0 as any Display }` makes the compiler report the reason.
  /// Called at each resolve.
  @discardableResult
  public func register<T, Object: AnyObject & Sendable, each Tag: Hashable & Sendable>(
    _ type: T.Type = T.self, weak object: Object, tags: repeat each Tag, fileID: StaticString = #fileID, line: Int = #line,
    as conversion: @escaping @Sendable (Object) -> T
  ) -> Key<T> {
    adding(
      WeakEntry<T>(
        tags: Key<T>(tags: repeat each tags).tags, location: CodeLocation(file: fileID, line: line), object: object,
        as: conversion
      ))
  }
}
