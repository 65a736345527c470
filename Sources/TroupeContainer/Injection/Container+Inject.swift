extension Container {
  /// Runs every injection for a target and returns the target.
  func inject<Target>(into target: Target, isOnMainActor: Bool = false) throws -> Target {
    var target = target
    for found in try injections(into: target) {
      try run(found) {
        try found.injection.plan.apply(to: &target, from: self, as: found.entry, isOnMainActor: isOnMainActor)
      }
    }
    return target
  }

  /// Runs every injection for a target in an asynchronous context and returns the target.
  nonisolated(nonsending)
    func injectAsync<Target>(into target: Target) async throws -> Target
  {
    var target = target
    for found in try injections(into: target) { try await runAsync(found, into: &target) }
    return target
  }

  /// Runs every injection for a target in an asynchronous context and returns the target; nil if there is none.
  nonisolated(nonsending)
    func injectAsync<Target>(intoPresent target: Target?) async throws -> Target?
  {
    guard let target else { return nil }
    return try await injectAsync(into: target)
  }

  /// Runs an injection as the innermost factory of its thread. Like a factory with arguments, it may run inside itself, presumably
  /// with another target, until the stack is nearly full.
  private func run(_ found: RegisteredInjection, _ body: () throws -> Void) throws {
    let record = EpochDomain.shared.pointee.record
    if BuildPath.isDependencyCycle(found.entry, hasArguments: true, record) {
      throw ResolutionError.cycle(through: BuildPath.dependencyCycle(to: found.entry))
    }
    found.entry.learned?.recordRun()
    record.pointee.push(.passUnretained(found.entry))
    defer { record.pointee.pop() }
    do { try body() } catch { throw failure(error, of: found.entry) }
  }

  /// Runs an injection as the innermost factory of its task.
  nonisolated(nonsending)
    private func runAsync<Target>(_ found: RegisteredInjection, into target: inout Target) async throws
  {
    let entry = found.entry
    if BuildPath.all().count(where: { $0 === entry }) > BuildPath.maximumRecursion {
      throw ResolutionError.cycle(through: BuildPath.dependencyCycle(to: entry))
    }
    entry.learned?.recordRun()
    let path = BuildPath(entry)
    defer { path.end() }
    try await BuildPath.$current.withValue(path) {
      do {
        try await found.injection.plan.applyAsync(to: &target, from: self, as: entry)
      } catch {
        throw failure(error, of: entry)
      }
    }
  }
}
