/// The registrations and assemblies in which a key was not found: the text that follows "nothing is registered as KEY".
struct MissingKeyAdvice {
  /// The key that is not registered.
  private let key: AnyKey
  /// The registrations that the caller may have meant, at most five, each with its source location.
  private let nearest: [ValidationReport.Step]
  /// The types of the assemblies that have not made their registrations.
  private let waitingAssemblies: [String]
  /// Whether the key is that of a weak object, which was released.
  private let isReleased: Bool

  /// Searches a container and its ancestors.
  init(_ container: Container, for key: AnyKey) {
    self.key = key
    nearest = container.nearest(to: key).map { ValidationReport.Step($0.key, $0.codeLocation) }
    waitingAssemblies = container.waitingAssemblies.map { $0.type }
    isReleased = container.select(key.metatype, Container.Request(tags: key.tags))?.entry.kind == .weak
  }

  /// The registrations that the caller may have meant, then the assemblies to assemble; empty if there are none.
  ///
  /// Whether a type conforms to a protocol shows only on an instance, so the text states the rule instead.
  var advice: String {
    if isReleased { return "; the weak object that was registered there was released" }
    let list = nearest.isEmpty ? "" : "; registered are " + nearest.map(\.description).joined(separator: ", ")
    return list + rule + assemblies
  }

  private var rule: String {
    if nearest.contains(where: { $0.key.identity == key.identity }) { return "" }
    if nearest.contains(where: { $0.key.type == key.type }) {
      return "; that is another library's own copy of \(key.type): link both with one library that has the type"
    }
    if key.isOfProtocol { return "; what conforms to it is found only if it is registered as (any \(key.type)).self" }
    let hasSubclass = nearest.contains { isSubclass($0.key.metatype, of: key.metatype) }
    return hasSubclass ? "; a subclass is found only if it is registered as \(key.type).self" : ""
  }

  private var assemblies: String {
    waitingAssemblies.isEmpty
      ? "" : "; not assembled yet: \(waitingAssemblies.joined(separator: ", ")); call assemble() before you resolve"
  }
}

extension Container {
  /// The registrations nearest to a key that is not registered: the same type under other tags, sorted by the number of shared
  /// tags, then types of the same name in other modules, and subclasses. At most five, one per key.
  fileprivate func nearest(to key: AnyKey) -> [Entry] {
    let name = String(describing: key.metatype)
    let wanted = key.tagset
    let others = candidates(key.metatype, including: []).map { candidate in
      (entry: candidate.entry, shared: candidate.entry.key.tagset.intersection(wanted).count)
    }
    // Sorting is stable: entries of the same rank stay in the order of registration.
    var entries = others.sorted { $0.shared > $1.shared }.map(\.entry)
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
  /// Whether the type is a protocol or a composition of protocols, except `Any` and `AnyObject`.
  fileprivate var isOfProtocol: Bool {
    String(describing: Swift.type(of: metatype)).hasSuffix(".Protocol") && !["Any", "Swift.AnyObject"].contains(type)
  }
}

/// Whether a type is a class, and a subclass of another one.
func isSubclass(_ type: any Any.Type, of other: any Any.Type) -> Bool {
  func isKind<Other>(of other: Other.Type) -> Bool { type is Other.Type }
  return type is AnyClass && type != other && isKind(of: other)
}
