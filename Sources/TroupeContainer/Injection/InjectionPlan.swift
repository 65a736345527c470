/// The steps of an injection, for callers that do not know the type of its targets. `TypedInjectionPlan` does.
protocol InjectionPlan: AnyObject, Sendable {
  var target: any Any.Type { get }
  /// The dependencies of the key paths, in the order of the steps. Those of blocks are not known.
  var dependencies: [Dependency] { get }
  var hasBlocks: Bool { get }

  /// Returns true if the injection is for the dynamic type of a target, a superclass of it, or a protocol that it conforms to.
  func applies(to target: Any) -> Bool

  /// Runs the steps. `entry` is the registration of the injection, which errors name. Replaces a target that is a value.
  func apply<T>(to target: inout T, from container: Container, as entry: Entry, isOnMainActor: Bool) throws

  nonisolated(nonsending)
    func applyAsync<T>(to target: inout T, from container: Container, as entry: Entry) async throws
}

final class TypedInjectionPlan<Target>: InjectionPlan {
  let steps: [any InjectionStep<Target>]
  /// Runs all steps in a synchronous context; see `InjectionBuilder.run`.
  let run: InjectionBuilder<Target>.Run

  init(steps: [any InjectionStep<Target>], run: @escaping InjectionBuilder<Target>.Run) {
    self.steps = steps
    self.run = run
  }

  var target: any Any.Type { Target.self }
  var dependencies: [Dependency] { steps.compactMap(\.dependency) }
  var hasBlocks: Bool { steps.contains { $0.dependency == nil } }

  func applies(to target: Any) -> Bool {
    guard let cast = target as? Target else { return false }
    // A cast may change the type of a value, for example unwrap an optional.
    return type(of: cast as Any) == type(of: target)
  }

  func apply<T>(to target: inout T, from container: Container, as entry: Entry, isOnMainActor: Bool) throws {
    if T.self == Target.self {
      // A cast would take longer than a resolve.
      return try withUnsafeMutablePointer(to: &target) {
        let present = UnsafeMutableRawPointer($0).assumingMemoryBound(to: Target.self)
        try apply(toCast: &present.pointee, from: container, as: entry, isOnMainActor: isOnMainActor)
      }
    }
    try apply(casting: &target, from: container, as: entry, isOnMainActor: isOnMainActor)
  }

  // The cast needs metadata, which the caller would look up first if this were inlined.
  @inline(never)
  private func apply<T>(casting target: inout T, from container: Container, as entry: Entry, isOnMainActor: Bool) throws {
    guard var present = target as? Target else { return }
    try apply(toCast: &present, from: container, as: entry, isOnMainActor: isOnMainActor)
    replace(&target, with: present)
  }

  private func apply(toCast target: inout Target, from container: Container, as entry: Entry, isOnMainActor: Bool) throws {
    if !isOnMainActor { return try run(&target, container, entry) }
    for step in steps {
      do {
        target = try step.apply(to: target, from: container, as: entry, isOnMainActor: true)
      } catch {
        throw step.concerning(error)
      }
    }
  }

  nonisolated(nonsending)
    func applyAsync<T>(to target: inout T, from container: Container, as entry: Entry) async throws
  {
    let isSameType = T.self == Target.self
    guard var present = isSameType ? unsafeBitCast(target, to: Target.self) : target as? Target else { return }
    for step in steps {
      do {
        present = try await step.applyAsync(to: present, from: container, as: entry)
      } catch {
        throw step.concerning(error)
      }
    }
    if isSameType { target = unsafeBitCast(present, to: T.self) } else { replace(&target, with: present) }
  }

  /// Replaces a target that is a value. An object keeps its identity.
  private func replace<T>(_ target: inout T, with result: Target) {
    if type(of: target as Any) is AnyClass { return }
    guard let result = result as? T else { preconditionFailure("a step returned another type than \(T.self)") }
    target = result
  }
}

extension InjectionStep {
  /// Returns an error of the step with the property that the step was to set.
  func concerning(_ error: any Error) -> any Error {
    property.map { ResolutionError.concerning($0, error) } ?? error
  }
}
