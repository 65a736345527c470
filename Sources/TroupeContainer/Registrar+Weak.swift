extension Registrar {
  /// Registers an object that somebody else keeps alive, under its class and tags.
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
  /// The registration stays when the object is gone, and hides one of a parent still. From then on a resolve throws `.notFound`, an
  /// optional is nil, and an array leaves it out. It takes any arguments, as does a singleton that has been made. Whatever thread
  /// resolves gets the object, so it has to be Sendable, as is every class of the main actor.
  ///
  /// Thread: any. Cost of a resolve: that of the long way, some hundred nanoseconds.
  @discardableResult
  public func register<Object: AnyObject & Sendable, each Tag: Hashable & Sendable>(
    weak object: Object, tags: repeat each Tag, fileID: StaticString = #fileID, line: Int = #line
  ) -> Key<Object> {
    let place = Place(file: fileID, line: line)
    let key = Key<Object>(tags: repeat each tags)
    add(WeakEntry<Object>(tags: key.tags, place: place, object: object) { $0 })
    return key
  }

  /// Registers an object that somebody else keeps alive, under a type that it can be seen as, and tags; see `register(weak:tags:)`.
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
  /// The closure gives the object as the registered type, nearly always `{ $0 }`, which compiles only where the object is of
  /// that type: no generic constraint can say so of a protocol. If it does not, `{ $0 as any Display }` has the compiler say
  /// why. Called at each resolve.
  @discardableResult
  public func register<T, Object: AnyObject & Sendable, each Tag: Hashable & Sendable>(
    _ type: T.Type = T.self, weak object: Object, tags: repeat each Tag, fileID: StaticString = #fileID, line: Int = #line,
    as conversion: @escaping @Sendable (Object) -> T
  ) -> Key<T> {
    let place = Place(file: fileID, line: line)
    let key = Key<T>(tags: repeat each tags)
    add(WeakEntry<T>(tags: key.tags, place: place, object: object, as: conversion))
    return key
  }
}
