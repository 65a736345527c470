/// The remedy for a key that is not registered: the text that follows "nothing is registered as KEY".
///
/// It lists the registrations that the caller may have meant: the same type under other tags, a type of the same name in another
/// module, or a subclass. It states the rule that explains why none of them is found, and what to request instead:
///
///     requested   registered          advice
///     a           a b                 name all its tags, or resolve an array
///     a b         a                   leave out "b"
///     Base        Derived             a subclass is found only if it is registered as Base.self
///
/// It also names assemblies that are not assembled.
struct MissingKeyAdvice {
  private let key: AnyKey
  /// At most five.
  private let nearest: [ValidationReport.Step]
  /// The types of the assemblies that have not made their registrations.
  private let waitingAssemblies: [String]
  /// True if a weak object is registered under the key and was released.
  private let isReleased: Bool

  /// Searches a container and its ancestors.
  init(_ container: Container, for key: AnyKey) {
    self.key = key
    nearest = container.nearest(to: key).map { ValidationReport.Step($0.key, $0.codeLocation) }
    waitingAssemblies = container.waitingAssemblies.map { $0.type }
    isReleased = container.select(key.metatype, Container.Request(tags: key.tags))?.entry.kind == .weak
  }

  /// Begins with "; ". Empty if there is nothing to advise.
  var text: String {
    if isReleased { return "; the weak object that was registered there was released" }
    let list = nearest.isEmpty ? "" : "; registered are " + nearest.map(\.description).joined(separator: ", ")
    return list + rule + assemblies
  }

  private var rule: String {
    let tags = nearest.filter { $0.key.identity == key.identity }.map(\.key.tagset)
    if !tags.isEmpty { return tagRule(tags) }
    if nearest.contains(where: { $0.key.type == key.type }) {
      return "; that is another library's own copy of \(key.type): link both with one library that has the type"
    }
    // Only an instance shows whether its type conforms to the protocol.
    if key.isOfProtocol { return "; what conforms to it is found only if it is registered as (any \(key.type)).self" }
    let hasSubclass = nearest.contains { isSubclass($0.key.metatype, of: key.metatype) }
    return hasSubclass ? "; a subclass is found only if it is registered as \(key.type).self" : ""
  }

  /// The rule for registrations of the requested type, whose tags are given: one has to have exactly the requested tags.
  private func tagRule(_ registered: [Set<AnySendableHashable>]) -> String {
    let wanted = key.tagset
    if registered.contains(where: { $0.isSuperset(of: wanted) }) {
      return "; name all \(registered.count == 1 ? "its tags" : "tags of one of them"), or resolve an array"
    }
    guard let fewer = registered.first(where: { $0.isSubset(of: wanted) }) else { return "" }
    let missing = wanted.subtracting(fewer).map(\.description).sorted().joined(separator: ", ")
    return "; leave out \(missing)" + (registered.count == 1 ? "" : " for \(AnyKey(metatype: key.metatype, tagset: fewer))")
  }

  private var assemblies: String {
    waitingAssemblies.isEmpty
      ? "" : "; not assembled yet: \(waitingAssemblies.joined(separator: ", ")); call assemble() before you resolve"
  }
}

extension Container {
  /// Returns the registrations nearest to a key: the same type under other tags, those with the most common tags and then with the fewest
  /// others first, then types of the same name in other modules, and subclasses. At most five, one per key.
  fileprivate func nearest(to key: AnyKey) -> [Entry] {
    let name = String(describing: key.metatype)
    let wanted = key.tagset
    let others = candidates(key.metatype, including: []).map { candidate in
      let tags = candidate.entry.key.tagset
      return (entry: candidate.entry, rank: (-tags.intersection(wanted).count, tags.count))
    }
    // Sorting is stable, so entries of the same rank stay in the order of registration.
    var entries = others.sorted { $0.rank < $1.rank }.map(\.entry)
    for container in selfAndAncestors {
      let others = container.allEntries { type in
        ObjectIdentifier(type) != key.identity && (String(describing: type) == name || isSubclass(type, of: key.metatype))
      }
      entries += others
    }
    var seen: Set<AnyKey> = []
    return Array(entries.filter { seen.insert($0.key).inserted }.prefix(5))
  }
}

extension AnyKey {
  /// True if the type is a protocol or a composition of protocols, other than `Any` and `AnyObject`.
  fileprivate var isOfProtocol: Bool {
    String(describing: Swift.type(of: metatype)).hasSuffix(".Protocol") && !["Any", "Swift.AnyObject"].contains(type)
  }
}

func isSubclass(_ type: any Any.Type, of other: any Any.Type) -> Bool {
  func isKind<Other>(of other: Other.Type) -> Bool { type is Other.Type }
  return type is AnyClass && type != other && isKind(of: other)
}
