// Written by scripts/generate-overloads. Change that script, not this file.
//
// Overloads for properties of objects are inlined and take the key path as an autoclosure, so that the compiler replaces a literal by an
// access to the property. To set a property through a key path takes the runtime about four times as long as a resolve.

extension InjectionBuilder {
  /// Adds a step that sets a property to the instance registered under its type without tags.
  ///
  /// Pass a literal, since the argument is evaluated here and at each injection. The key path of a property that is isolated to
  /// an actor is not Sendable; use a block for such a property.
  @inlinable @inline(__always)
  public func inject<Value>(
    _ keyPath: @autoclosure @escaping @Sendable () -> any ReferenceWritableKeyPath<Target, Value> & Sendable
  ) -> InjectionBuilder {
    adding(keyPath(), tags: [], set: Self.setter(keyPath()))
  }

  /// Adds a step that sets a property to the instance registered under its type and exactly these tags.
  @inlinable @inline(__always)
  public func inject<Value, each Tag: Hashable & Sendable>(
    _ keyPath: @autoclosure @escaping @Sendable () -> any ReferenceWritableKeyPath<Target, Value> & Sendable,
    tags: repeat each Tag
  ) -> InjectionBuilder {
    adding(keyPath(), tags: TagList.boxed(repeat each tags), set: Self.setter(keyPath()))
  }

  /// Adds a step that sets an optional property to the instance registered under the optional type without tags, or else under
  /// the wrapped type. If there is neither, the property keeps its value.
  @inlinable @inline(__always)
  public func inject<Wrapped>(
    _ keyPath: @autoclosure @escaping @Sendable () -> any ReferenceWritableKeyPath<Target, Wrapped?> & Sendable
  ) -> InjectionBuilder {
    adding(optional: keyPath(), tags: [], set: Self.setter(keyPath()))
  }

  /// Adds a step that sets an optional property to the instance registered under the optional type and exactly these tags, or
  /// else under the wrapped type. If there is neither, the property keeps its value.
  @inlinable @inline(__always)
  public func inject<Wrapped, each Tag: Hashable & Sendable>(
    _ keyPath: @autoclosure @escaping @Sendable () -> any ReferenceWritableKeyPath<Target, Wrapped?> & Sendable,
    tags: repeat each Tag
  ) -> InjectionBuilder {
    adding(optional: keyPath(), tags: TagList.boxed(repeat each tags), set: Self.setter(keyPath()))
  }

  /// Adds a step that sets a property to the instance registered under its type without tags.
  ///
  /// For properties of values, and of objects of any protocol.
  @_disfavoredOverload @inlinable
  public func inject<Value>(
    _ keyPath: any WritableKeyPath<Target, Value> & Sendable
  ) -> InjectionBuilder {
    adding(keyPath, tags: [], set: Self.setter(ofAny: keyPath))
  }

  /// Adds a step that sets a property to the instance registered under its type and exactly these tags.
  ///
  /// For properties of values, and of objects of any protocol.
  @_disfavoredOverload @inlinable
  public func inject<Value, each Tag: Hashable & Sendable>(
    _ keyPath: any WritableKeyPath<Target, Value> & Sendable, tags: repeat each Tag
  ) -> InjectionBuilder {
    adding(keyPath, tags: TagList.boxed(repeat each tags), set: Self.setter(ofAny: keyPath))
  }

  /// Adds a step that sets an optional property to the instance registered under the optional type without tags, or else under
  /// the wrapped type. If there is neither, the property keeps its value.
  ///
  /// For properties of values, and of objects of any protocol.
  @_disfavoredOverload @inlinable
  public func inject<Wrapped>(
    _ keyPath: any WritableKeyPath<Target, Wrapped?> & Sendable
  ) -> InjectionBuilder {
    adding(optional: keyPath, tags: [], set: Self.setter(ofAny: keyPath))
  }

  /// Adds a step that sets an optional property to the instance registered under the optional type and exactly these tags, or
  /// else under the wrapped type. If there is neither, the property keeps its value.
  ///
  /// For properties of values, and of objects of any protocol.
  @_disfavoredOverload @inlinable
  public func inject<Wrapped, each Tag: Hashable & Sendable>(
    _ keyPath: any WritableKeyPath<Target, Wrapped?> & Sendable, tags: repeat each Tag
  ) -> InjectionBuilder {
    adding(optional: keyPath, tags: TagList.boxed(repeat each tags), set: Self.setter(ofAny: keyPath))
  }
}
