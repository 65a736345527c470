/// Runs injections for a target: `InjectionCache` finds them, and each `InjectionPlan` runs its steps in order.
///
/// A running injection counts as a factory of the thread or task. So an injection that needs itself through a factory is a dependency
/// cycle, errors have it in their path, and a container that learns records what its blocks resolve.
extension Container {
  /// Runs each injection as the innermost factory of its thread. Like a factory with arguments, it may run inside itself with another
  /// target, until the stack is nearly full.
  func inject<Target>(into target: Target, isOnMainActor: Bool = false) throws -> Target {
    var target = target
    for found in try injections(into: target) {
      try run(found.entry, Request(tags: []), mayRecur: true) {
        try found.injection.plan.apply(to: &target, from: self, as: found.entry, isOnMainActor: isOnMainActor)
      }
    }
    return target
  }

  /// Runs each injection as the innermost factory of its task.
  nonisolated(nonsending)
    func injectAsync<Target>(into target: Target) async throws -> Target
  {
    var target = target
    for found in try injections(into: target) {
      try await runAsync(found.entry, Request(tags: []), maximumRecursion: BuildPath.maximumRecursion) {
        try await found.injection.plan.applyAsync(to: &target, from: self, as: found.entry)
      }
    }
    return target
  }
}
