extension Container {
  /// Makes all resolves take the slow path for the life of the container.
  func disableFastPath() {
    writer.withLock { $0.countOverride(1, in: self) }
  }

  /// Records a request of the innermost running factory. Called on the slow path of a container that learns.
  @inline(never)
  func learn(_ metatype: any Any.Type, _ request: Request) {
    guard let entry = BuildPath.innermost, let learned = entry.learned else { return }
    let key = AnyKey(metatype: metatype, tags: request.tags)
    let dependency = Dependency(key: key, argumentTypes: request.types, isOptional: request.isOptional, source: .learned)
    learned.add(dependency, of: entry.lifetime, from: self)
  }
}
