extension Registrar {
  /// Begins an injection: says into what. To be told what to inject, and then to `register()`.
  ///
  /// ```swift
  /// protocol UsesDatabase: AnyObject {
  ///   var database: Database? { get set }
  /// }
  ///
  /// container.into(injectable: (any UsesDatabase).self).inject(\.database, tags: "real").register()
  /// ```
  ///
  /// - Parameter type: A class, for its subclasses, too; a protocol, for everything that conforms to it; a struct or an enum.
  public func into<Target>(injectable type: Target.Type) -> InjectionBuilder<Target> {
    InjectionBuilder(registrar: self, steps: []) { _, _, _ in }
  }
}

/// An injection that is not registered yet: a target type and the steps that were added, in their order.
///
/// Each `inject` gives a new one. It is of use wherever and for as long as its registrar is.
public struct InjectionBuilder<Target> {
  /// Takes steps in any context, for the injection of an entry. Compiled where the types are known, as the quick way of a
  /// resolve is.
  @usableFromInline typealias Run = @Sendable (_ target: inout Target, Container, Entry) throws -> Void

  private let registrar: any Registrar
  /// What is done in contexts that `run` is not for, and what is known of it.
  private let steps: [any InjectionStep<Target>]
  /// Takes all the steps.
  @usableFromInline let run: Run

  init(registrar: any Registrar, steps: [any InjectionStep<Target>], run: @escaping Run) {
    self.registrar = registrar
    self.steps = steps
    self.run = run
  }

  private func adding(_ step: any InjectionStep<Target>, run next: @escaping Run) -> InjectionBuilder {
    if steps.isEmpty { return InjectionBuilder(registrar: registrar, steps: [step], run: next) }
    let run = run
    return InjectionBuilder(registrar: registrar, steps: steps + [step]) { target, container, entry in
      try run(&target, container, entry)
      try next(&target, container, entry)
    }
  }

  // MARK: Properties

  /// Adds a step that sets a property to what is registered under its type without tags.
  ///
  /// A property that is isolated to an actor has no key path that may be used anywhere; a block can set it.
  @inlinable
  public func inject<Value>(_ keyPath: any WritableKeyPath<Target, Value> & Sendable) -> InjectionBuilder {
    let set = Self.setter(keyPath)
    return adding(keyPath, tags: []) { target, container, _ in
      do { try set(&target, container.instance(of: Value.self)) } catch { throw ResolutionError.concerning(keyPath, error) }
    }
  }

  /// Adds a step that sets a property to what is registered under its type and exactly these tags; see `inject(_:)`.
  @inlinable
  public func inject<Value, each Tag: Hashable & Sendable>(
    _ keyPath: any WritableKeyPath<Target, Value> & Sendable, tags: repeat each Tag
  ) -> InjectionBuilder {
    let set = Self.setter(keyPath)
    let tags = TagProbe.boxed(repeat each tags)
    return adding(keyPath, tags: tags) { target, container, _ in
      do {
        try set(&target, container.slowly(Value.self, tags: tags))
      } catch {
        throw ResolutionError.concerning(keyPath, error)
      }
    }
  }

  /// Adds a step that sets an optional property to what is registered without tags under the optional type itself, or else
  /// under the type that it wraps; if there is neither, the property is left as it is.
  @inlinable
  public func inject<Wrapped>(_ keyPath: any WritableKeyPath<Target, Wrapped?> & Sendable) -> InjectionBuilder {
    let set = Self.setter(keyPath)
    return adding(optional: keyPath, tags: []) { target, container, _ in
      do {
        if let value = try container.quickInstance(wrappedBy: Wrapped?.self) { return try set(&target, value) }
        let value = try container.slowly(Wrapped?.self, tags: [])
        if container.isAnswer(value, tags: []) { try set(&target, value) }
      } catch {
        throw ResolutionError.concerning(keyPath, error)
      }
    }
  }

  /// Adds a step that sets an optional property to what is registered with exactly these tags under the optional type itself,
  /// or else under the type that it wraps; if there is neither, the property is left as it is.
  @inlinable
  public func inject<Wrapped, each Tag: Hashable & Sendable>(
    _ keyPath: any WritableKeyPath<Target, Wrapped?> & Sendable, tags: repeat each Tag
  ) -> InjectionBuilder {
    let set = Self.setter(keyPath)
    let tags = TagProbe.boxed(repeat each tags)
    return adding(optional: keyPath, tags: tags) { target, container, _ in
      do {
        let value = try container.slowly(Wrapped?.self, tags: tags)
        if container.isAnswer(value, tags: tags) { try set(&target, value) }
      } catch {
        throw ResolutionError.concerning(keyPath, error)
      }
    }
  }

  @usableFromInline
  func adding<Value>(
    _ keyPath: any WritableKeyPath<Target, Value> & Sendable, tags: [Tag], run: @escaping Run
  ) -> InjectionBuilder {
    // Where the property's type is a generic parameter, nobody but this knows that it is optional.
    guard let optional = Value.self as? any OptionalProperty.Type else {
      return adding(PropertyStep(keyPath: keyPath, tags: tags), run: run)
    }
    let step = optional.step(keyPath, tags: tags)
    return adding(step) { target, container, entry in
      do {
        target = try step.apply(to: target, from: container, as: entry, isOnMainActor: false)
      } catch {
        throw ResolutionError.concerning(keyPath, error)
      }
    }
  }

  @usableFromInline
  func adding<Wrapped>(
    optional keyPath: any WritableKeyPath<Target, Wrapped?> & Sendable, tags: [Tag], run: @escaping Run
  ) -> InjectionBuilder {
    adding(OptionalPropertyStep(keyPath: keyPath, tags: tags), run: run)
  }

  /// Sets a property of a target.
  @inlinable
  static func setter<Value>(
    _ keyPath: any WritableKeyPath<Target, Value> & Sendable
  ) -> @Sendable (inout Target, Value) throws -> Void {
    guard let reference = keyPath as? ReferenceWritableKeyPath<Target, Value> else {
      return { target, value in
        let given = target
        target[keyPath: keyPath] = value
        // The setter of a protocol that is not only for classes may put another object in place of itself.
        _ = try InjectionError.checked(target, given: given)
      }
    }
    // Safe to share: it is the same object as the key path, which is Sendable.
    nonisolated(unsafe) let shared = reference
    return { target, value in target[keyPath: shared] = value }
  }

  // MARK: Blocks

  /// Adds a step of any kind. It is given the target and the container that was asked, and has to give back the very object if that
  /// is what the target is, or otherwise a value of the type of the target, changed or not.
  @inlinable
  public func inject(_ block: @escaping @Sendable (Target, any Resolver) throws -> Target) -> InjectionBuilder {
    adding(block) { target, container, _ in
      target = try InjectionError.checked(block(target, container), given: target)
    }
  }

  @usableFromInline
  func adding(_ block: @escaping @Sendable (Target, any Resolver) throws -> Target, run: @escaping Run) -> InjectionBuilder {
    adding(BlockStep(block: block), run: run)
  }

  /// Adds an asynchronous step, which only the asynchronous `resolve(into:)` can take; it runs where that was called.
  public func inject(
    _ block: nonisolated(nonsending) @escaping @Sendable (Target, any Resolver) async throws -> Target
  ) -> InjectionBuilder {
    let step = AsyncBlockStep(block: block)
    return adding(step) { target, container, entry in
      target = try step.apply(to: target, from: container, as: entry, isOnMainActor: false)
    }
  }

  /// Adds a step that runs on the main actor.
  public func inject(
    isolation: MainActor, _ block: @escaping @MainActor @Sendable (Target, any Resolver) throws -> Target
  ) -> InjectionBuilder {
    let step = MainBlockStep(block: block)
    return adding(step) { target, container, entry in
      target = try step.apply(to: target, from: container, as: entry, isOnMainActor: false)
    }
  }

  // MARK: Registering

  /// Registers the injection, in place of one for the same type that was registered without tags, and gives its key.
  @discardableResult @inlinable
  public func register(fileID: StaticString = #fileID, line: Int = #line) -> Key<Injection> {
    register(Injection.key(into: Target.self), fileID, line, erased)
  }

  /// Registers the injection, in place of one for the same type that was registered with the same tags, and gives its key. With
  /// different tags there may be several for one type.
  @discardableResult @inlinable
  public func register<each Tag: Hashable & Sendable>(
    tags: repeat each Tag, fileID: StaticString = #fileID, line: Int = #line
  ) -> Key<Injection> {
    register(Injection.key(into: Target.self, tags: repeat each tags), fileID, line, erased)
  }

  /// `run` for a target whose type is forgotten.
  @inlinable
  var erased: @Sendable (Any, Container, Entry) throws -> Any {
    let run = run
    return { target, container, entry in
      guard var present = target as? Target else { return target }
      try run(&present, container, entry)
      return present
    }
  }

  @usableFromInline
  func register(
    _ key: Key<Injection>, _ fileID: StaticString, _ line: Int, _ run: @escaping @Sendable (Any, Container, Entry) throws -> Any
  ) -> Key<Injection> {
    let plan = TypedInjectionPlan(steps: steps, run: run)
    let injection = Injection(plan: plan)
    let place = Place(file: fileID, line: line)
    let entry = PlainEntry<Injection>(tags: key.tags, lifetime: .transient, place: place) { _ in injection }
    entry.details.dependencies = plan.dependencies
    entry.details.mayNeedMore = plan.hasBlocks
    registrar.add(entry)
    return key
  }
}
