extension Registrar {
  /// A registrar that attaches metadata to every registration that is made through it, and registers here.
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
  /// It has every verb that there is, and works on a container, in a batch, and on behalf of an owner or a plugin. What a
  /// registration says of itself, or a registrar that is nearer to it, is preferred. An assembly that is registered through it
  /// makes its registrations elsewhere, and they get nothing.
  ///
  /// Thread: like the registrar that it is made from, whose life it prolongs. Cost: an allocation, and one for each registration.
  ///
  /// - Parameter metadata: Anything; read it with `Entry.metadata(as:)`, look for it with `filter`.
  public func annotated<Metadata: Sendable>(metadata: Metadata) -> any Registrar {
    AnnotatedRegistrar(self) { details in
      if details.metadata == nil { details.metadata = metadata }
    }
  }

  /// The registrar that in the end registers what is registered with this one: what was annotated, or itself.
  package var unannotated: any Registrar { (self as? AnnotatedRegistrar)?.base.unannotated ?? self }
}

/// Adds details to every entry on its way to another registrar.
final class AnnotatedRegistrar: Registrar {
  let base: any Registrar
  private let annotate: (inout EntryDetails) -> Void

  /// Makes a registrar on another one. The closure leaves alone what an entry has already.
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

  /// A copy of an entry, since somebody may be looking at the entry itself, with the details.
  private func annotated(_ entry: Entry) -> Entry {
    let copy = entry.copied(to: entry.key)
    annotate(&copy.details)
    return copy
  }
}
