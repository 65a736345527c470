/// What a registrant says about its registration, such as the host of a plugin. Its texts count as metadata of the entry, beside a value
/// that the registration itself has.
package protocol RegistrantInfo: Sendable {
  var metadata: [String: String] { get }
}

/// The facts about a registration that few registrations have.
///
/// They are in a box beside the entry, so that an entry without details needs only a nil reference, which a resolve checks at once. Constant
/// once the entry is published.
struct EntryDetails: Sendable {
  var metadata: (any Sendable)?
  var registrantInfo: (any RegistrantInfo)?
  /// The dependencies of the factory as an initializer, key paths or a declaration give them, or nil.
  var dependencies: [Dependency]?
  /// The factory may resolve more than `dependencies`.
  var hasUnknownDependencies = false
  /// The same registration with the other lifetime, in no container, for a resolve with `cached:`. Nil unless registered with `annotated(cached:)`.
  ///
  /// It needs an entry of its own. An entry in a singleton's build represents that build in the paths of waiters, and an uncached
  /// run of the same factory must not be mistaken for it.
  var otherCaching: Entry?
  /// The source location of the registration that this one replaced, if it has no tags. `validate()` reports it.
  var replaced: CodeLocation?
  /// The recorded dependencies, in a container that learns.
  var learned: LearnedDependencies?
  /// The IDs of the overrides in which the scope of a scoped entry was made. Its factory may use these.
  var scopeOverrides: [Int] = []

  /// The metadata that the registrant gives, or nil.
  var texts: [String: String]? { registrantInfo.flatMap { $0.metadata.isEmpty ? nil : $0.metadata } }
}

final class EntryDetailsBox: Sendable {
  let details: EntryDetails

  init(_ details: EntryDetails) { self.details = details }
}

extension Entry {
  /// Change them only before the entry is published.
  final var details: EntryDetails {
    get { detailsBox?.details ?? EntryDetails() }
    set { detailsBox = EntryDetailsBox(newValue) }
  }

  /// Copies the details of another entry, but for those that are of that one alone.
  final func copyDetails(of other: Entry) {
    guard var details = other.detailsBox?.details else { return }
    details.learned = nil
    details.replaced = nil
    self.details = details
  }
}
