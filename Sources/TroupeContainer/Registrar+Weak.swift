extension Registrar {
  /// Registers a weak reference to an object, under its class and tags.
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
  /// Safe to call from any thread. A resolve takes about three times as long as one of a transient.
  @discardableResult
  public func register<Object: AnyObject & Sendable, each Tag: Hashable & Sendable>(
    weak object: Object, tags: repeat each Tag, fileID: StaticString = #fileID, line: Int = #line
  ) -> Key<Object> {
    adding(
      WeakEntry(tags: Key<Object>(tags: repeat each tags).tags, location: CodeLocation(file: fileID, line: line), object: object))
  }

  /// Registers a weak reference to an object, under another type and tags; see `register(weak:tags:)`.
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
        tags: Key<T>(tags: repeat each tags).tags, location: CodeLocation(file: fileID, line: line), object: object, as: conversion
      ))
  }
}
