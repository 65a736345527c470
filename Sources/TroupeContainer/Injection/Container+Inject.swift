extension Container {
  /// Runs every injection for a target and returns the target.
  func inject<Target>(into target: Target, isOnMainActor: Bool = false) throws -> Target {
    var passage = Passage(target)
    for found in try injections(into: passage.target) {
      let result = try run(found) {
        try found.injection.plan.apply(to: passage.target, from: self, as: found.entry, isOnMainActor: isOnMainActor)
      }
      passage.go(on: result)
    }
    return try passage.end(target)
  }

  /// Runs every injection for a target in an asynchronous context and returns the target.
  nonisolated(nonsending)
    func injectAsync<Target>(into target: Target) async throws -> Target
  {
    var passage = Passage(target)
    for found in try injections(into: passage.target) {
      let result = try await runAsync(found, into: passage.target)
      passage.go(on: result)
    }
    return try passage.end(target)
  }

  /// Runs an injection as the innermost factory of its thread. Like a factory with arguments, it may run inside itself, presumably
  /// with another target, until the stack is nearly full.
  private func run(_ found: RegisteredInjection, _ body: () throws -> Any) throws -> Any {
    let record = Readers.shared.pointee.record
    if BuildPath.isDependencyCycle(found.entry, hasArguments: true, record) {
      throw ResolutionError.cycle(through: BuildPath.dependencyCycle(to: found.entry))
    }
    found.entry.learned?.recordRun()
    record.pointee.push(.passUnretained(found.entry))
    defer { record.pointee.pop() }
    do { return try body() } catch { throw failure(error, of: found.entry) }
  }

  /// Runs an injection as the innermost factory of its task.
  nonisolated(nonsending)
    private func runAsync(_ found: RegisteredInjection, into target: Any) async throws -> Any
  {
    let entry = found.entry
    if BuildPath.all().count(where: { $0 === entry }) > BuildPath.maximumRecursion {
      throw ResolutionError.cycle(through: BuildPath.dependencyCycle(to: entry))
    }
    entry.learned?.recordRun()
    let path = BuildPath(entry)
    defer { path.end() }
    return try await BuildPath.$current.withValue(path) {
      do {
        return try await found.injection.plan.applyAsync(to: target, from: self, as: entry)
      } catch {
        throw failure(error, of: entry)
      }
    }
  }
}

/// A target that passes through several injections.
private struct Passage {
  /// The object, or for a value the result of the last injection.
  private(set) var target: Any
  private let isObject: Bool

  init<Target>(_ target: Target) {
    self.target = target
    isObject = type(of: target as Any) is AnyClass
  }

  mutating func go(on result: Any) {
    if !isObject { target = result }
  }

  /// Returns the target with its original type.
  func end<Target>(_ original: Target) throws -> Target {
    if isObject { return original }
    guard let result = target as? Target else {
      throw InjectionError.anotherType(type(of: original as Any), type(of: target))
    }
    return result
  }
}
