/// A registrar that adds details to each entry, such as metadata or declared dependencies, and passes it on to another registrar.
///
/// Registrations have many overloads, and a parameter for each detail would multiply them. A decorator needs none:
/// `container.annotated(metadata: 4).register(…)`.
final class AnnotatedRegistrar: Registrar {
  let base: any Registrar
  private let annotate: (inout EntryDetails) -> Void

  /// - Parameter annotate: Must not change details that an entry already has.
  init(_ base: any Registrar, annotate: @escaping (inout EntryDetails) -> Void) {
    self.base = base
    self.annotate = annotate
  }

  subscript(key: AnyKey) -> Entry? {
    get { base[key] }
    set { base[key] = newValue.map(annotated) }
  }

  func add(_ entry: Entry) { base.add(annotated(entry)) }
  func register(assembly: any Assembly) { base.register(assembly: assembly) }

  /// Returns a copy of an entry with the details, since other threads may read the entry.
  private func annotated(_ entry: Entry) -> Entry {
    let copy = entry.copied(to: entry.key)
    annotate(&copy.details)
    return copy
  }
}

extension Registrar {
  /// Returns a registrar that registers here and attaches metadata to each registration.
  ///
  /// ```swift
  /// struct Granularity: Sendable {
  ///   var meters: Int
  /// }
  ///
  /// let container = Container()
  /// let key = container.annotated(metadata: Granularity(meters: 4)).register(String.self) { _ in "map" }
  /// assert(container[key]?.metadata(as: Granularity.self)?.meters == 4)
  /// ```
  ///
  /// It works on a container, in a batch, and on behalf of an owner or a plugin. Metadata of the registration itself, or of an inner
  /// annotated registrar, takes precedence. It does not annotate the registrations of assemblies.
  ///
  /// Thread-safe if this registrar is; keeps this registrar alive. Cost: one allocation, and one for each registration.
  ///
  /// - Parameter metadata: A value of any Sendable type; read it with `Entry.metadata(as:)`, search for it with `filter`.
  public func annotated<Metadata: Sendable>(metadata: Metadata) -> any Registrar {
    AnnotatedRegistrar(self) { details in
      if details.metadata == nil { details.metadata = metadata }
    }
  }

  /// Returns a registrar that registers here and sets the plugin's description of each registration.
  package func annotated(registrantInfo: any RegistrantInfo) -> any Registrar {
    AnnotatedRegistrar(self) { $0.registrantInfo = registrantInfo }
  }

  /// The registrar without annotations that finally registers the entries.
  package var unannotated: any Registrar { (self as? AnnotatedRegistrar)?.base.unannotated ?? self }

  /// Returns a registrar that registers here and declares the dependencies of each factory, for `Container.validate()` and the graph.
  /// Use it for factories that `auto` does not make.
  ///
  /// ```swift
  /// container.annotated(dependsOn: Key<Engine>(), Key<Wheel>(tags: "front")).register { resolver in
  ///   try Car(engine: resolver.resolve(), wheel: resolver.resolve(tags: "front"))
  /// }
  /// ```
  ///
  /// The container does not check the declaration against what the factory resolves. A key of an optional may be missing. A key of an
  /// array or a set means all members. A key of a `LazyResolver` means a dependency that the factory does not resolve itself. The
  /// declaration for a factory of `auto`, or for an injection, adds to the known dependencies. It does not change the cost of a
  /// resolve.
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
