/// A registrar that changes each entry, such as by metadata or declared dependencies, and passes it on to another registrar.
///
/// Registrations have many overloads, and a parameter for each detail would multiply them. Decorators need none, and form a chain, in which
/// an entry passes from the outermost registrar to the container:
///
///     container.annotated(metadata: 4).annotated(cached: true).register(…)
///
///     entry ─→ annotated(cached: true) ─→ annotated(metadata: 4) ─→ container
///              outermost                  its base, the inner one
final class AnnotatedRegistrar: Registrar {
  let base: any Registrar
  private let change: (Entry) -> Entry

  /// - Parameter change: Returns a changed copy of an entry, since other threads may read the entry.
  init(_ base: any Registrar, change: @escaping (Entry) -> Entry) {
    self.base = base
    self.change = change
  }

  /// - Parameter annotate: Changes the details of a copy. These may come from the registration itself or from an outer registrar; to give
  ///   them precedence, it sets only what is nil.
  convenience init(_ base: any Registrar, annotate: @escaping (inout EntryDetails) -> Void) {
    self.init(base) { entry in
      let copy = entry.copied(to: entry.key)
      annotate(&copy.details)
      return copy
    }
  }

  subscript(key: AnyKey) -> Entry? {
    get { base[key] }
    set { base[key] = newValue.map(change) }
  }

  func add(_ entry: Entry) { base.add(change(entry)) }
  func register(assembly: any Assembly) { base.register(assembly: assembly) }
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
  /// It works on a container, in a batch, and on behalf of an owner or a plugin. An entry that has metadata keeps it. So of
  /// `container.annotated(metadata: 1).annotated(metadata: 2)` the last takes precedence. It does not annotate the registrations of
  /// assemblies.
  ///
  /// Thread-safe if this registrar is; keeps this registrar alive. Cost: one allocation, and one for each registration.
  ///
  /// - Parameter metadata: A value of any Sendable type; read it with `Entry.metadata(as:)`, search for it with `filter`.
  public func annotated<Metadata: Sendable>(metadata: Metadata) -> any Registrar {
    AnnotatedRegistrar(
      self,
      annotate: { details in
        if details.metadata == nil { details.metadata = metadata }
      })
  }

  /// Returns a registrar that registers here and lets a resolve choose whether to use a cache.
  ///
  /// ```swift
  /// final class Catalog: Sendable {}
  ///
  /// let container = Container()
  /// let key = container.annotated(cached: true).register { _ in Catalog() }
  /// let catalog = try container.resolve(Catalog.self)
  /// assert(try! container.resolve(key: key, cached: false) !== catalog)
  /// assert(try! container.resolve(Catalog.self) === catalog)
  /// ```
  ///
  /// With true the lifetime of each registration is `.singleton`, otherwise `.transient`, whatever `lifetime:` says. A resolve with
  /// `cached: false` runs the factory and leaves the cache as it is. One with `cached: true` uses the cache, and fills it if it is
  /// empty. Other resolves follow the registration. Any other registration ignores `cached:` in a resolve. Once the cache is filled,
  /// it ignores arguments. It does not apply to weak objects.
  ///
  /// Cost: a second entry beside each registration.
  public func annotated(cached: Bool) -> any Registrar {
    AnnotatedRegistrar(self) { $0.withOverridableCaching(isCached: cached) }
  }

  /// Returns a registrar that registers here and sets the plugin's description of each registration.
  package func annotated(registrantInfo: any RegistrantInfo) -> any Registrar {
    AnnotatedRegistrar(self, annotate: { $0.registrantInfo = registrantInfo })
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
    return AnnotatedRegistrar(
      self,
      annotate: { details in
        details.dependencies = (details.dependencies ?? []).adding(dependencies)
        details.hasUnknownDependencies = false
      })
  }
}
