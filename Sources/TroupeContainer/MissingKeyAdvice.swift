/// The remedy for a key that is not registered: the text that follows "nothing is registered as KEY".
///
/// It lists the registrations that the caller may have meant: the same type under other tags, a type of the same name in another
/// module, or a subclass. It states the rule that explains why none of them is found, and what to request instead:
///
///     requested   registered          advice
///     a           a b                 name all its tags, or resolve an array
///     a b         a                   leave out "b"
///     Base        Derived             a subclass is found only if it is registered as Base.self
///     A           A?                  its factory makes an optional
///
/// It also names assemblies that are not assembled.
///
/// An error outlives its container, so the advice holds samples of the registrations at the time of the error, which cost little to
/// take: a program may use a failing resolve as a probe. The text is searched and written only when it is read.
///
///     ownType      the first registrations of the type, and the first with each tag of the key
///     otherTypes   the first registrations of each type, one array for all errors until the next registration
final class MissingKeyAdvice: Sendable {
  /// A registration that a caller may have meant, without its factory and instance, and its position.
  typealias Sample = (step: ValidationReport.Step, sequence: Int)

  private let key: AnyKey
  private let ownType: [Sample]
  /// One array for the container and each ancestor.
  private let otherTypes: [[Sample]]
  /// The assemblies that have not made their registrations, as keys of their types.
  private let waitingAssemblies: [AnyKey]
  /// True if a weak object is registered under the key and was released.
  private let isReleased: Bool

  /// Takes samples of a container and its ancestors.
  ///
  /// Cost: half a microsecond, and for the first error after a registration 20 nanoseconds for each type, at most 25 microseconds.
  init(_ container: Container, for key: AnyKey) {
    self.key = key
    let containers = container.selfAndAncestors
    ownType = containers.flatMap { $0.samples(near: key) }
    otherTypes = containers.map(\.samplesOfTypes)
    waitingAssemblies = container.waitingAssemblies
    isReleased =
      !ownType.isEmpty && container.select(key.metatype, Container.Request(tags: key.tags))?.entry.kind == .weak
  }

  /// Begins with "; ". Empty if there is nothing to advise.
  var text: String {
    if isReleased { return "; the weak object that was registered there was released" }
    let nearest = nearest
    let list = nearest.isEmpty ? "" : "; registered are " + nearest.map(\.description).joined(separator: ", ")
    return list + rule(for: nearest) + assemblies
  }

  /// The registrations nearest to the key: the same type under other tags, those with the most common tags and then with the fewest
  /// others first, then types of the same name in other modules, and subclasses. At most five, one per key.
  private var nearest: [ValidationReport.Step] {
    var seen: Set<AnyKey> = []
    let (wanted, name) = (key.tagset, String(describing: key.metatype))
    // A child's registration comes before that of its parent under the same key.
    let own = ownType.filter { seen.insert($0.step.key).inserted }.map { sample in
      let tags = sample.step.key.tagset
      return (sample.step, (-tags.intersection(wanted).count, tags.count, sample.sequence))
    }
    let others = otherTypes.joined().filter { sample in
      let type = sample.step.key.metatype
      return type != key.metatype
        && (String(describing: type) == name || isSubclass(type, of: key.metatype) || isOptional(type, of: key.metatype))
        && seen.insert(sample.step.key).inserted
    }
    let steps = own.sorted { $0.1 < $1.1 }.map(\.0) + others.sorted { $0.sequence < $1.sequence }.map(\.step)
    return Array(steps.prefix(5))
  }

  private func rule(for nearest: [ValidationReport.Step]) -> String {
    let tags = nearest.filter { $0.key.identity == key.identity }.map(\.key.tagset)
    if !tags.isEmpty { return tagRule(tags) }
    // This text has the addresses that tell private types of the same name apart.
    let name = String(reflecting: key.metatype)
    if nearest.contains(where: { String(reflecting: $0.key.metatype) == name }) {
      return "; that is another library's own copy of \(key.type): link both with one library that has the type"
    }
    if nearest.contains(where: { $0.key.type == key.type }) {
      return "; that is another private type of the same name, of another file or function"
    }
    if nearest.contains(where: { isOptional($0.key.metatype, of: key.metatype) }) {
      return "; its factory makes an optional: unwrap it there, as \(key.type).self, or resolve an optional"
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
    let names = waitingAssemblies.map(\.type).joined(separator: ", ")
    return names.isEmpty ? "" : "; not assembled yet: \(names); call assemble() before you resolve"
  }
}

extension Container {
  /// The first five registrations of each type, some 1,000 in all. The same array until the next commit.
  fileprivate var samplesOfTypes: [MissingKeyAdvice.Sample] {
    let known = registrationSamples.withLock { $0 }
    // The release of samples may run the deinitializer of a tag, so it happens outside of the lock and the epoch guard.
    defer { withExtendedLifetime(known) {} }
    var new = withSnapshot { version -> (version: UInt64, samples: [MissingKeyAdvice.Sample])? in
      if known?.version == version { return nil }
      var samples: [MissingKeyAdvice.Sample] = []
      forEachTable { table in
        if samples.count < 1_000 { table.pointee.all.sample(5, visibleAt: version, into: &samples) }
      }
      return (version, samples)
    }
    guard let samples = new?.samples else { return known?.samples ?? [] }
    registrationSamples.withLock { swap(&$0, &new) }
    return samples
  }

  /// The first registrations of the type of a key, and the first with each of its tags.
  fileprivate func samples(near key: AnyKey) -> [MissingKeyAdvice.Sample] {
    withSnapshot { version in
      guard let table = table(key.metatype) else { return [] }
      var samples: [MissingKeyAdvice.Sample] = []
      for tag in key.tags { table.pointee.list(includingTagHash: tag.hash).sample(16, visibleAt: version, into: &samples) }
      table.pointee.all.sample(16, visibleAt: version, into: &samples)
      return samples
    }
  }
}

extension EntryList {
  fileprivate func sample(_ count: Int, visibleAt version: UInt64, into samples: inout [MissingKeyAdvice.Sample]) {
    let end = samples.count + count
    scan { entry in
      entry._withUnsafeGuaranteedRef { entry in
        if entry.isVisible(at: version) { samples.append((ValidationReport.Step(entry), entry.sequence)) }
      }
      return samples.count < end
    }
  }
}

extension AnyKey {
  /// True if the type is a protocol or a composition of protocols, other than `Any` and `AnyObject`.
  fileprivate var isOfProtocol: Bool {
    String(describing: Swift.type(of: metatype)).hasSuffix(".Protocol") && !["Any", "Swift.AnyObject"].contains(type)
  }
}

private func isOptional(_ type: any Any.Type, of other: any Any.Type) -> Bool {
  func isOptional<Wrapped>(of other: Wrapped.Type) -> Bool { type == Wrapped?.self }
  return isOptional(of: other)
}

func isSubclass(_ type: any Any.Type, of other: any Any.Type) -> Bool {
  func isKind<Other>(of other: Other.Type) -> Bool { type is Other.Type }
  return type is AnyClass && type != other && isKind(of: other)
}
