/// What is said about a registration besides how to make an instance, and what few registrations need. Constant once the entry
/// is published.
struct EntryDetails: Sendable {
  /// What its author attached to it, of any type.
  var metadata: (any Sendable)?
  /// What its factory resolves, if that is known: from an initialiser or key paths, or since somebody has said so; nil if
  /// nobody has.
  var dependencies: [Dependency]?
  /// Whether it may resolve more than that.
  var mayNeedMore = false
  /// The same registration with the other lifetime, in no container, for a resolve that overrides whether the instance is
  /// cached; nil if that cannot be overridden.
  ///
  /// An entry of its own, since one that is being made as a singleton stands for the wait of whoever needs that, and a factory
  /// that runs for somebody else meanwhile must not be taken for it.
  var otherCaching: Entry?
  /// Of what keeps a scope's instance, the numbers of the overrides within which the scope was made; it may be made of them.
  var scopeOverrides: [Int] = []
}

/// Keeps the details of an entry that has some, so that any other has the place of a reference for them and no more.
final class EntryDetailsBox: Sendable {
  let details: EntryDetails
  /// What is learned about it, if its container learns.
  let learned: LearnedDependencies?

  init(_ details: EntryDetails, learned: LearnedDependencies? = nil) {
    self.details = details
    self.learned = learned
  }
}

extension EntryDetailsBox {
  /// The same for an entry about which nothing has been learned.
  var withoutLearned: EntryDetailsBox { learned == nil ? self : EntryDetailsBox(details) }
}

extension Entry {
  /// What is said about the registration. To be changed before the entry is published.
  final var details: EntryDetails {
    get { detailsBox?.details ?? EntryDetails() }
    set { detailsBox = EntryDetailsBox(newValue, learned: detailsBox?.learned) }
  }
}
