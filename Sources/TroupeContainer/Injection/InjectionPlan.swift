/// The type-erased steps of an injection.
protocol InjectionPlan: Sendable {
  /// The type of the target.
  var target: any Any.Type { get }
  /// The dependencies of the key paths, in their order.
  var dependencies: [Dependency] { get }
  /// Whether some steps are blocks.
  var hasBlocks: Bool { get }

  /// Whether the injection applies to all targets with the type of this target: its target type is that type, a superclass of it,
  /// or a protocol that it conforms to.
  func isMeant(for target: Any) -> Bool

  /// Applies the steps for the injection of an entry and returns the target.
  func apply(to target: Any, from container: Container, as entry: Entry, isOnMainActor: Bool) throws -> Any

  /// Applies the steps in an asynchronous context and returns the target.
  nonisolated(nonsending)
    func applyAsync(to target: Any, from container: Container, as entry: Entry) async throws -> Any
}

/// The steps of an injection.
struct TypedInjectionPlan<Target>: InjectionPlan {
  let steps: [any InjectionStep<Target>]
  /// Runs the steps in any context.
  let run: @Sendable (Any, Container, Entry) throws -> Any

  var target: any Any.Type { Target.self }
  var dependencies: [Dependency] { steps.compactMap(\.dependency) }
  var hasBlocks: Bool { steps.contains { $0.dependency == nil } }

  func isMeant(for target: Any) -> Bool {
    guard let cast = target as? Target else { return false }
    // A cast may change the type of a value, for example unwrap an optional.
    return type(of: cast as Any) == type(of: target)
  }

  func apply(to target: Any, from container: Container, as entry: Entry, isOnMainActor: Bool) throws -> Any {
    if !isOnMainActor { return try run(target, container, entry) }
    guard var present = target as? Target else { return target }
    for step in steps {
      do {
        present = try step.apply(to: present, from: container, as: entry, isOnMainActor: true)
      } catch {
        throw step.concerning(error)
      }
    }
    return present
  }

  nonisolated(nonsending)
    func applyAsync(to target: Any, from container: Container, as entry: Entry) async throws -> Any
  {
    guard var present = target as? Target else { return target }
    for step in steps {
      do {
        present = try await step.applyAsync(to: present, from: container, as: entry)
      } catch {
        throw step.concerning(error)
      }
    }
    return present
  }
}

extension InjectionStep {
  /// Returns an error of the step, with the property if the step sets one.
  fileprivate func concerning(_ error: any Error) -> any Error {
    property.map { ResolutionError.concerning($0, error) } ?? error
  }
}
