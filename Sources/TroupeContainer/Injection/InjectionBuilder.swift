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
/// Each `inject` returns a new builder with one more step. A step is compiled twice. As part of `run` it knows all types, which makes
/// it as fast as a resolve on the fast path. As an `InjectionStep` it also runs on the main actor and in asynchronous contexts.
///
/// Use a builder only on threads, and as long, as its registrar permits.
public struct InjectionBuilder<Target> {
  @usableFromInline typealias Run = @Sendable (_ target: inout Target, Container, Entry) throws -> Void

  private let registrar: any Registrar
  /// The steps for other contexts than that of `run`, with their dependencies.
  private let steps: [any InjectionStep<Target>]
  /// Runs all steps in a synchronous context, for the registration of the injection.
  @usableFromInline let run: Run

  init(registrar: any Registrar, steps: [any InjectionStep<Target>], run: @escaping Run) {
    self.registrar = registrar
    self.steps = steps
    self.run = run
  }

  private func adding(_ step: any InjectionStep<Target>) -> InjectionBuilder {
    adding(step) { target, container, entry in
      do {
        target = try step.apply(to: target, from: container, as: entry, isOnMainActor: false)
      } catch {
        throw step.concerning(error)
      }
    }
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

  // The public functions for key paths are in `InjectionBuilder+Overloads.swift`.

  @inlinable
  func adding<Value>(
    _ keyPath: any WritableKeyPath<Target, Value> & Sendable, tags: [Tag],
    set: @escaping @Sendable (inout Target, Value) throws -> Void
  ) -> InjectionBuilder {
    adding(keyPath, tags: tags) { target, container, _ in
      do {
        try set(&target, Container.instance(of: Value.self, boxed: tags, from: .passUnretained(container)))
      } catch {
        throw ResolutionError.concerning(keyPath, error)
      }
    }
  }

  @inlinable
  func adding<Wrapped>(
    optional keyPath: any WritableKeyPath<Target, Wrapped?> & Sendable, tags: [Tag],
    set: @escaping @Sendable (inout Target, Wrapped?) throws -> Void
  ) -> InjectionBuilder {
    adding(optional: keyPath, tags: tags) { target, container, _ in
      do {
        if let value = try container.registeredValue(Wrapped?.self, tags: tags) { try set(&target, value) }
      } catch {
        throw ResolutionError.concerning(keyPath, error)
      }
    }
  }

  @usableFromInline
  func adding<Value>(
    _ keyPath: any WritableKeyPath<Target, Value> & Sendable, tags: [Tag], run: @escaping Run
  ) -> InjectionBuilder {
    // If the property's type is a generic parameter, only this cast shows that it is optional.
    guard let optional = Value.self as? any OptionalProperty.Type else {
      return adding(PropertyStep(keyPath: keyPath, tags: tags), run: run)
    }
    return adding(optional.step(keyPath, tags: tags))
  }

  @usableFromInline
  func adding<Wrapped>(
    optional keyPath: any WritableKeyPath<Target, Wrapped?> & Sendable, tags: [Tag], run: @escaping Run
  ) -> InjectionBuilder {
    adding(OptionalPropertyStep(keyPath: keyPath, tags: tags), run: run)
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
    adding(BlockStep(block: block))
  }

  /// Adds an asynchronous step, which runs in the context of the caller. Only the asynchronous `resolve(into:)` can run it.
  public func inject(
    _ block: nonisolated(nonsending) @escaping @Sendable (Target, any Resolver) async throws -> Target
  ) -> InjectionBuilder {
    adding(AsyncBlockStep(block: block))
  }

  /// Adds a step that runs on the main actor.
  public func inject(
    isolation: MainActor, _ block: @escaping @MainActor @Sendable (Target, any Resolver) throws -> Target
  ) -> InjectionBuilder {
    adding(MainBlockStep(block: block))
  }

  // MARK: Registering

  /// Registers the injection with tags and returns its key. Replaces an injection for the same type with the same tags; a type may
  /// have several injections with different tags.
  @discardableResult
  public func register<each Tag: Hashable & Sendable>(
    tags: repeat each Tag, fileID: StaticString = #fileID, line: Int = #line
  ) -> Key<Injection> {
    let key = Injection.key(into: Target.self, tags: repeat each tags)
    let plan = TypedInjectionPlan(steps: steps, run: run)
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
    InjectionBuilder(registrar: self, steps: []) { _, _, _ in }
  }
}
