/// The details of a registration that few registrations have. Constant once the entry is published.
struct EntryDetails: Sendable {
  /// The metadata, of any type.
  var metadata: (any Sendable)?
  /// The registrant's own description, such as that of a plugin by its host, beside the metadata of the registration.
  var registrantInfo: (any Sendable)?
  /// The dependencies of the factory, known from an initializer, key paths or a declaration; nil if they are not known.
  var dependencies: [Dependency]?
  /// Whether the factory may resolve more than these.
  var hasUnknownDependencies = false
  /// The same registration with the other lifetime, in no container, for a resolve with `cached:`; nil if the registration does not
  /// support that.
  ///
  /// It needs an entry of its own. An entry in a singleton's build represents that build in the paths of waiters, and an uncached
  /// run of the same factory must not be mistaken for it.
  var otherCaching: Entry?
  /// The numbers of the overrides in which the scope of a scoped entry was made; its factory may use these.
  var scopeOverrides: [Int] = []
}

/// The details of an entry in a box, so that entries without details need only the space of a reference.
final class EntryDetailsBox: Sendable {
  let details: EntryDetails
  /// The learned dependencies, if the container learns.
  let learned: LearnedDependencies?

  init(_ details: EntryDetails, learned: LearnedDependencies? = nil) {
    self.details = details
    self.learned = learned
  }
}

extension EntryDetailsBox {
  /// The same details without learned dependencies.
  var withoutLearned: EntryDetailsBox { learned == nil ? self : EntryDetailsBox(details) }
}

extension Entry {
  /// The details of the registration. Change them only before the entry is published.
  final var details: EntryDetails {
    get { detailsBox?.details ?? EntryDetails() }
    set { detailsBox = EntryDetailsBox(newValue, learned: detailsBox?.learned) }
  }
}
