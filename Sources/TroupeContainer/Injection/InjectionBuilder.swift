/// An injection before its registration: a target type and steps, in order.
///
/// ```swift
/// container.into(injectable: Controller.self)
///   .inject(\.database, tags: "real")                        // a property
///   .inject { controller, resolver in                        // a block
///     controller.title = try resolver.resolve()
///     return controller
///   }
///   .register()
/// ```
///
/// Each `inject` returns a new builder with one more step. In a synchronous context, a step that sets a property runs code that the client
/// has compiled for its type, as fast as a resolve on the fast path. On the main actor and in asynchronous contexts, the library resolves.
///
/// Use a builder only where and while its registrar may be used.
public struct InjectionBuilder<Target> {
  private let registrar: any Registrar
  private let plan: TypedInjectionPlan<Target>

  fileprivate init(registrar: any Registrar, plan: TypedInjectionPlan<Target>) {
    self.registrar = registrar
    self.plan = plan
  }

  private func adding(
    _ dependency: Dependency? = nil, run: @escaping TypedInjectionPlan<Target>.Run,
    asyncRun: @escaping TypedInjectionPlan<Target>.AsyncRun
  ) -> InjectionBuilder {
    InjectionBuilder(registrar: registrar, plan: plan.adding(dependency, run: run, asyncRun: asyncRun))
  }

  // MARK: Properties

  // The public functions for key paths are in `Injection+Overloads.swift`.

  @inlinable
  func adding<Value>(
    _ keyPath: any WritableKeyPath<Target, Value> & Sendable, tags: [Tag],
    set: @escaping @Sendable (inout Target, Value) throws -> Void
  ) -> InjectionBuilder {
    adding(property: keyPath, tags: tags, set: set, isOptional: false) { target, container in
      try set(&target, Container.instance(of: Value.self, boxed: tags, from: .passUnretained(container)))
      return true
    }
  }

  @inlinable
  func adding<Wrapped>(
    optional keyPath: any WritableKeyPath<Target, Wrapped?> & Sendable, tags: [Tag],
    set: @escaping @Sendable (inout Target, Wrapped?) throws -> Void
  ) -> InjectionBuilder {
    adding(property: keyPath, tags: tags, set: set, isOptional: true) { target, container in
      if container.mayHave(ObjectIdentifier(Wrapped?.self)) { return false }
      let value = try Container.instanceIfPresent(of: Wrapped.self, boxed: tags, from: .passUnretained(container))
      if let value { try set(&target, value) }
      return true
    }
  }

  /// - Parameters:
  ///   - isOptional: True if `fast` expects an optional property.
  ///   - fast: Sets the property in a synchronous context, or returns false for a request that needs the slow path.
  @usableFromInline
  func adding<Value>(
    property keyPath: any AnyKeyPath & Sendable, tags: [Tag], set: @escaping @Sendable (inout Target, Value) throws -> Void,
    isOptional: Bool, fast: @escaping @Sendable (inout Target, Container) throws -> Bool
  ) -> InjectionBuilder {
    // If the property's type is a generic parameter, only this cast shows that it is optional.
    let optional = Value.self as? any OptionalProperty.Type
    let isFast = isOptional || optional == nil
    let store: @Sendable (inout Target, Value, Container) throws -> Void = { target, value, container in
      // Nil is a value to set only if the optional type itself is registered.
      if let optional, optional.isNil(value), container.select(Value.self, Container.Request(tags: tags)) == nil { return }
      try set(&target, value)
    }
    let dependency = Dependency(key: AnyKey(metatype: Value.self, tags: tags), argumentTypes: [], source: .known)
    return adding(dependency) { target, container, _, isOnMainActor in
      do {
        if isFast, !isOnMainActor, try fast(&target, container) { return }
        let request = Container.Request(tags: tags, isOnMainActor: isOnMainActor)
        try store(&target, container.instance(Value.self, request), container)
      } catch {
        throw ResolutionError.concerning(keyPath, error)
      }
    } asyncRun: { target, container, _ in
      do {
        let value = try await Container.instanceAsync(of: Value.self, boxed: tags, from: .passUnretained(container))
        try store(&target, value, container)
      } catch {
        throw ResolutionError.concerning(keyPath, error)
      }
    }
  }

  /// Returns a function that sets a property of an object. It captures only the key path, which the compiler replaces by an access.
  @inlinable @inline(__always)
  static func setter<Value>(
    _ keyPath: @autoclosure @escaping @Sendable () -> any ReferenceWritableKeyPath<Target, Value> & Sendable
  ) -> @Sendable (inout Target, Value) throws -> Void {
    { target, value in target[keyPath: keyPath()] = value }
  }

  /// Returns a function that sets a property of an object or a value.
  @inlinable
  static func setter<Value>(
    ofAny keyPath: any WritableKeyPath<Target, Value> & Sendable
  ) -> @Sendable (inout Target, Value) throws -> Void {
    guard let reference = keyPath as? ReferenceWritableKeyPath<Target, Value> else {
      return { target, value in
        let given = target
        target[keyPath: keyPath] = value
        // The setter of a protocol that is not class-bound may replace the object.
        _ = try InjectionError.checked(target, given: given)
      }
    }
    // It is safe to share, since it is the same object as the key path, which is Sendable.
    nonisolated(unsafe) let shared = reference
    return { target, value in target[keyPath: shared] = value }
  }

  // MARK: Blocks

  /// Adds a step of any kind. The block gets the target and the resolving container. It must return the same object, or for a value
  /// type a value of the target's type, changed or not.
  public func inject(_ block: @escaping @Sendable (Target, any Resolver) throws -> Target) -> InjectionBuilder {
    let run: TypedInjectionPlan<Target>.Run = { target, container, _, _ in
      target = try InjectionError.checked(block(target, container), given: target)
    }
    return adding(run: run) { target, container, entry in try run(&target, container, entry, false) }
  }

  /// Adds an asynchronous step, which runs in the context of the caller. Only the asynchronous `resolve(into:)` can run it.
  public func inject(
    _ block: nonisolated(nonsending) @escaping @Sendable (Target, any Resolver) async throws -> Target
  ) -> InjectionBuilder {
    adding { _, _, entry, _ in
      throw ResolutionError(entry.key, .requiresAsync, at: entry.codeLocation)
    } asyncRun: { target, container, _ in
      let result = try await block(target, container)
      target = try InjectionError.checked(result, given: target)
    }
  }

  /// Adds a step that runs on the main actor.
  public func inject(
    isolation: MainActor, _ block: @escaping @MainActor @Sendable (Target, any Resolver) throws -> Target
  ) -> InjectionBuilder {
    let run: TypedInjectionPlan<Target>.Run = { target, container, entry, isOnMainActor in
      guard isOnMainActor else {
        throw ResolutionError(entry.key, .requiresIsolation(MainActor.shared), at: entry.codeLocation)
      }
      let transfer = Transfer(target)
      target = try MainActor.assumeIsolated {
        Transfer(try InjectionError.checked(block(transfer.value, container), given: transfer.value))
      }.value
    }
    return adding(run: run) { target, container, entry in
      let transfer = Transfer(target)
      target = try await MainActor.run {
        var target = transfer.value
        try run(&target, container, entry, true)
        return Transfer(target)
      }.value
    }
  }

  // MARK: Registering

  /// Registers the injection with tags and returns its key. Replaces an injection for the same type with the same tags; a type may
  /// have several injections with different tags.
  @discardableResult
  public func register<each Tag: Hashable & Sendable>(
    tags: repeat each Tag, fileID: StaticString = #fileID, line: Int = #line
  ) -> Key<Injection> {
    let key = Injection.key(into: Target.self, tags: repeat each tags)
    let injection = Injection(plan: plan)
    let location = CodeLocation(file: fileID, line: line)
    let entry = PlainEntry<Injection>(tags: key.tags, lifetime: .transient, location: location) { _ in injection }
    entry.details.dependencies = plan.dependencies
    entry.details.hasUnknownDependencies = plan.hasBlocks
    registrar.add(entry)
    return key
  }
}

extension Registrar {
  /// Begins an injection into a type. Add steps with `inject`, then call `register()`.
  ///
  /// ```swift
  /// protocol UsesDatabase: AnyObject {
  ///   var database: Database? { get set }
  /// }
  ///
  /// container.into(injectable: (any UsesDatabase).self).inject(\.database, tags: "real").register()
  /// ```
  ///
  /// - Parameter type: A class, with its subclasses; a protocol, for all types that conform to it; a struct or an enum.
  public func into<Target>(injectable type: Target.Type) -> InjectionBuilder<Target> {
    InjectionBuilder(registrar: self, plan: TypedInjectionPlan())
  }
}

/// A type whose properties keep their value if it is not registered.
private protocol OptionalProperty: SendableMetatype {
  static func isNil<Value>(_ value: Value) -> Bool
}

extension Optional: OptionalProperty {
  fileprivate static func isNil<Value>(_ value: Value) -> Bool {
    precondition(Value.self == Self.self, "\(Value.self) is not \(Self.self)")
    return unsafeBitCast(value, to: Self.self) == nil
  }
}
