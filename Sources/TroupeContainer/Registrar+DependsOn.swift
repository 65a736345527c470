extension Registrar {
  /// Returns a registrar that declares the dependencies of each registration's factory for `Container.validate()` and the graph.
  /// Use it for factories that are not made by `auto`.
  ///
  /// ```swift
  /// container.annotated(dependsOn: Key<Engine>(), Key<Wheel>(tags: "front")).register { resolver in
  ///   try Car(engine: resolver.resolve(), wheel: resolver.resolve(tags: "front"))
  /// }
  /// ```
  ///
  /// The container does not check the declaration; further dependencies of the factory stay unknown. A key of an optional may be
  /// missing. A key of an array or a set means all members. A key of a `LazyResolver` means a dependency that the factory does not
  /// resolve itself. The declaration for a factory of `auto`, or for an injection, adds to the known dependencies. It does not
  /// change the cost of a resolve.
  public func annotated<each Dependency>(dependsOn key: repeat Key<each Dependency>) -> any Registrar {
    var keys: [AnyKey] = []
    repeat keys.append(AnyKey(each key))
    return annotated(dependsOn: keys)
  }

  /// Returns a registrar that declares dependencies whose types are known only at run time; an empty array declares that the
  /// factories resolve nothing.
  public func annotated(dependsOn keys: [AnyKey]) -> any Registrar {
    let dependencies = keys.map { Dependency(key: $0, argumentTypes: nil, source: .declared) }
    return AnnotatedRegistrar(self) { details in
      details.dependencies = (details.dependencies ?? []).adding(dependencies)
      details.hasUnknownDependencies = false
    }
  }
}
