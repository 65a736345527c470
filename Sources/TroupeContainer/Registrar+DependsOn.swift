extension Registrar {
  /// A registrar of the same registrations that says of each what its factory resolves, so that `Container.validate()` and the
  /// graph know it. For factories that are not made by `auto`.
  ///
  /// ```swift
  /// container.annotated(dependsOn: Key<Engine>(), Key<Wheel>(tags: "front")).register { resolver in
  ///   try Car(engine: resolver.resolve(), wheel: resolver.resolve(tags: "front"))
  /// }
  /// ```
  ///
  /// What is said is believed: whatever else the factory resolves is not known. A key of an optional may be missing, one of an
  /// array or a set stands for everything that it is made of, and one of a `LazyResolver` for what is not needed before the
  /// instance is there. What is said about a factory of `auto`, or about an injection, is added to what that knows. Resolving
  /// costs what it costs without.
  public func annotated<each Dependency>(dependsOn key: repeat Key<each Dependency>) -> any Registrar {
    var keys: [AnyKey] = []
    repeat keys.append(AnyKey(each key))
    return annotated(dependsOn: keys)
  }

  /// The same for keys whose types are known at run time only; with none, for factories that resolve nothing.
  public func annotated(dependsOn keys: [AnyKey]) -> any Registrar {
    let dependencies = keys.map { Dependency(key: $0, argumentTypes: nil, source: .declared) }
    return AnnotatedRegistrar(self) { details in
      details.dependencies = (details.dependencies ?? []).adding(dependencies)
      details.mayNeedMore = false
    }
  }
}
