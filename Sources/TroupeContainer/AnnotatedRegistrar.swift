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
  /// It has all functions of a registrar, and works on a container, in a batch, and on behalf of an owner or a plugin. Metadata of
  /// the registration itself, or of an inner annotated registrar, takes precedence. It does not annotate the registrations of
  /// assemblies.
  ///
  /// Thread-safe if this registrar is; keeps this registrar alive. Cost: one allocation, and one for each registration.
  ///
  /// - Parameter metadata: A value of any Sendable type; read it with `Entry.metadata(as:)`, search for it with `filter`.
  public func annotated<Metadata: Sendable>(metadata: Metadata) -> any Registrar {
    AnnotatedRegistrar(self) { details in
      if details.metadata == nil { details.metadata = metadata }
    }
  }

  /// Returns a registrar that registers here and sets the registrant's description of each registration.
  package func annotated(registrantInfo: any Sendable) -> any Registrar {
    AnnotatedRegistrar(self) { $0.registrantInfo = registrantInfo }
  }

  /// The registrar without annotations that finally registers the entries.
  package var unannotated: any Registrar { (self as? AnnotatedRegistrar)?.base.unannotated ?? self }
}

/// A registrar that adds details to each entry and passes it to another registrar.
final class AnnotatedRegistrar: Registrar {
  let base: any Registrar
  private let annotate: (inout EntryDetails) -> Void

  /// Creates a registrar on another one. The closure must not change details that an entry already has.
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

  /// Returns a copy of an entry with the details. A copy, because other threads may read the entry.
  private func annotated(_ entry: Entry) -> Entry {
    let copy = entry.copied(to: entry.key)
    annotate(&copy.details)
    return copy
  }
}
