/// The steps of an injection, for callers that do not know the type of its targets. `TypedInjectionPlan` does.
protocol InjectionPlan: AnyObject, Sendable {
  var target: any Any.Type { get }

  /// Returns true if the injection is for the dynamic type of a target, a superclass of it, or a protocol that it conforms to.
  func applies(to target: Any) -> Bool

  /// Runs the steps. `entry` is the registration of the injection, which errors name. Replaces a target that is a value.
  func apply<T>(to target: inout T, from container: Container, as entry: Entry, isOnMainActor: Bool) throws

  nonisolated(nonsending)
    func applyAsync<T>(to target: inout T, from container: Container, as entry: Entry) async throws
}

/// All steps as two functions, each composed of the functions of the steps: one for synchronous contexts and the main actor, one for
/// asynchronous contexts.
final class TypedInjectionPlan<Target>: InjectionPlan {
  typealias Run = @Sendable (_ target: inout Target, Container, Entry, _ isOnMainActor: Bool) throws -> Void
  typealias AsyncRun = nonisolated(nonsending) @Sendable (_ target: inout Target, Container, Entry) async throws -> Void

  /// The dependencies of the key paths, in the order of the steps. Those of blocks are not known.
  let dependencies: [Dependency]
  let hasBlocks: Bool
  /// Nil without a step, as is `asyncRun`.
  private let run: Run?
  private let asyncRun: AsyncRun?
  private let isForClass = Target.self is AnyClass

  init(dependencies: [Dependency] = [], hasBlocks: Bool = false, run: Run? = nil, asyncRun: AsyncRun? = nil) {
    self.dependencies = dependencies
    self.hasBlocks = hasBlocks
    self.run = run
    self.asyncRun = asyncRun
  }

  /// Returns a plan with one more step.
  ///
  /// - Parameter dependency: Nil for a block.
  func adding(
    _ dependency: Dependency?, run next: @escaping Run, asyncRun asyncNext: @escaping AsyncRun
  ) -> TypedInjectionPlan {
    let dependencies = dependencies + [dependency].compactMap { $0 }
    let hasBlocks = hasBlocks || dependency == nil
    guard let run, let asyncRun else {
      return TypedInjectionPlan(dependencies: dependencies, hasBlocks: hasBlocks, run: next, asyncRun: asyncNext)
    }
    return TypedInjectionPlan(dependencies: dependencies, hasBlocks: hasBlocks) { target, container, entry, isOnMainActor in
      try run(&target, container, entry, isOnMainActor)
      try next(&target, container, entry, isOnMainActor)
    } asyncRun: { target, container, entry in
      try await asyncRun(&target, container, entry)
      try await asyncNext(&target, container, entry)
    }
  }

  var target: any Any.Type { Target.self }

  func applies(to target: Any) -> Bool {
    // A cast of the type takes a tenth of the time.
    if isForClass { return type(of: target) is Target.Type }
    guard let cast = target as? Target else { return false }
    // A cast may change the type of a value, for example unwrap an optional.
    return type(of: cast as Any) == type(of: target)
  }

  func apply<T>(to target: inout T, from container: Container, as entry: Entry, isOnMainActor: Bool) throws {
    if T.self == Target.self {
      // A cast would take longer than a resolve.
      return try withUnsafeMutablePointer(to: &target) {
        let present = UnsafeMutableRawPointer($0).assumingMemoryBound(to: Target.self)
        try run?(&present.pointee, container, entry, isOnMainActor)
      }
    }
    try apply(casting: &target, from: container, as: entry, isOnMainActor: isOnMainActor)
  }

  // The cast needs metadata, which the caller would look up first if this were inlined.
  @inline(never)
  private func apply<T>(casting target: inout T, from container: Container, as entry: Entry, isOnMainActor: Bool) throws {
    guard var present = target as? Target else { return }
    try run?(&present, container, entry, isOnMainActor)
    replace(&target, with: present)
  }

  nonisolated(nonsending)
    func applyAsync<T>(to target: inout T, from container: Container, as entry: Entry) async throws
  {
    let isSameType = T.self == Target.self
    guard var present = isSameType ? unsafeBitCast(target, to: Target.self) : target as? Target else { return }
    try await asyncRun?(&present, container, entry)
    if isSameType { target = unsafeBitCast(present, to: T.self) } else { replace(&target, with: present) }
  }

  /// Replaces a target that is a value. An object keeps its identity.
  private func replace<T>(_ target: inout T, with result: Target) {
    if type(of: target as Any) is AnyClass { return }
    guard let result = result as? T else { preconditionFailure("a step returned another type than \(T.self)") }
    target = result
  }
}
