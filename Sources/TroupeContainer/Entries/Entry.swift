public import Synchronization

/// One registration: how to make an instance, and, for a singleton, the instance.
///
/// An entry belongs to one container at a time.
public class Entry: @unchecked Sendable, CustomStringConvertible {
  // Sendable because what changes after the entry is published is either atomic (`hasInstance`, `removedIn`, `made`), written before `hasInstance`
  // says so and constant from then on (the instance), or touched only under the lock of `SingletonBuilds` (`build`) or of the
  // container (`addedIn`, `sequence`, `owner`, `detailsBox`, before publication; `previousOwned`, `nextOwned`).

  /// Which context a factory needs and whether it takes arguments; decides which subclass an entry is.
  @frozen @usableFromInline
  enum Kind: UInt8 {
    /// `PlainEntry`: no arguments, any context.
    case plain
    /// `ArgumentEntry`: arguments, any context.
    case arguments
    /// `AsyncEntry`: no arguments, an asynchronous context.
    case async
    /// `AsyncArgumentEntry`: arguments, an asynchronous context.
    case asyncArguments
    /// `MainEntry`: any number of arguments, the main actor.
    case main
    /// `DynamicEntry`: arguments of types that it checks itself, any context.
    case dynamic
    /// `PendingEntry`: it has to be loaded before anything can be made.
    case pending
    /// `WeakEntry`: a weak reference to an object.
    case weak
  }

  // Members that a resolve does not read come first. They keep the others in cache lines without the heap object before the entry,
  // whose reference count other threads may change. `Padding` does the same at the end.

  /// The source line of the registration, 0 if it is unknown.
  private final let line: UInt32
  /// The source file of the registration, as a C string; nil if it is unknown.
  private final let file: UnsafePointer<UInt8>?
  /// The registered type.
  @usableFromInline final let metatype: any Any.Type
  /// The tags, distinct, sorted by hash.
  final let tags: [Tag]
  /// The order of registrations, in all containers.
  final var sequence = 0
  /// The owner of the registration; set before the entry is published.
  package final internal(set) var owner: Owner?
  /// The neighbors in the list of the owner's entries. For the writer.
  final var previousOwned, nextOwned: Unmanaged<Entry>?
  /// Further facts about the registration; nil if there are none. Set before the entry is published.
  final var detailsBox: EntryDetailsBox?
  /// The number of the instance in the order in which singletons were made, 0 before. Atomic since a removed entry may be building.
  final let creationOrder = Atomic<Int>(0)
  /// The present attempt to make a singleton's instance.
  final var build: SingletonBuild?

  /// How long instances live.
  public final let lifetime: Lifetime
  @usableFromInline final let kind: Kind
  /// True once a singleton or scoped entry has its instance.
  @usableFromInline final let hasInstance = Atomic<Bool>(false)
  /// How many untracked runs of an asynchronous factory have begun and not ended. Keeps the entry allocated.
  @usableFromInline final let untrackedRunCount = Atomic<UInt32>(0)
  /// The tags without counting references, so that threads which look at the same entry do not write to the same place.
  @usableFromInline final let unownedTags: UnsafeBufferPointer<Unmanaged<Tag>>
  /// The sum of the tags' hashes, 0 if there are none.
  @usableFromInline final let tagHash: UInt
  /// The container's version from which it is visible; set before it is published.
  @usableFromInline final let addedIn = Atomic<UInt64>(.max)
  /// The container's version from which it is not visible any more.
  @usableFromInline final let removedIn = Atomic<UInt64>(.max)

  init(
    kind: Kind, metatype: any Any.Type, tags: [Tag], lifetime: Lifetime, location: CodeLocation?
  ) {
    self.kind = kind
    self.lifetime = lifetime
    self.metatype = metatype
    self.tags = tags
    unownedTags = Self.unowned(tags)
    tagHash = TagHash.sum(tags)
    file = location?.file
    line = location?.line ?? 0
  }

  private static func unowned(_ tags: [Tag]) -> UnsafeBufferPointer<Unmanaged<Tag>> {
    if tags.isEmpty { return UnsafeBufferPointer(start: nil, count: 0) }
    let unowned = UnsafeMutableBufferPointer<Unmanaged<Tag>>.allocate(capacity: tags.count)
    _ = unowned.initialize(from: tags.map { Unmanaged.passUnretained($0) })
    return UnsafeBufferPointer(unowned)
  }

  deinit { unownedTags.deallocate() }

  /// The type and the tags of the registration.
  public final var key: AnyKey {
    AnyKey(metatype: metatype, tags: tags)
  }

  /// The key and, if it is known, the source location.
  public final var description: String { "\(key)" + (location.map { " (\($0))" } ?? "") }

  /// The source location of the registration, such as `Example/Services.swift:12`; nil if it is unknown.
  public final var location: String? {
    file.map { String(cString: $0) + ":\(line)" }
  }

  /// The types of the arguments of the factory, in order; nil if it checks its arguments itself.
  package var argumentTypes: [any Any.Type]? { [] }

  /// The identities of the argument types of an entry of the kind `.arguments`; none for the others.
  @usableFromInline var argumentIdentities: [ObjectIdentifier] { [] }

  /// Whether the factory takes arguments of exactly these types.
  final func accepts(exactly types: [any Any.Type]) -> Bool {
    argumentTypes?.elementsEqual(types, by: ==) ?? false
  }

  /// A registration of the same factory under other tags and with another lifetime, without an instance and without details.
  func copy(tags: [Tag], lifetime: Lifetime) -> Entry {
    preconditionFailure("\(Self.self) cannot be copied")
  }

  /// Loads the registration of a pending entry, which replaces the entry.
  func load() throws {
    preconditionFailure("\(Self.self) is loaded")
  }

  /// Returns a pending entry for the same registration under another key, possibly of another type.
  func copyPending(to key: AnyKey) -> Entry {
    preconditionFailure("\(Self.self) is not pending")
  }

  /// The pending entry of which this one is a copy under another key; nil if loading replaces this entry.
  var pendingOriginal: Entry? { nil }

  /// Returns the object of a weak entry, for a caller that does not know the type; nil if it was released.
  func anyObject() throws -> Any? {
    preconditionFailure("\(Self.self) is not weak")
  }

  /// Returns an instance, for a caller that does not know the type.
  func anyInstance(from container: Container, _ request: Container.Request) throws -> Any {
    preconditionFailure("\(Self.self) has no instances")
  }

  /// Returns an instance in an asynchronous context, for a caller that does not know the type.
  nonisolated(nonsending)
    func anyInstanceAsync(from container: Container, _ request: Container.Request) async throws -> Any
  {
    try anyInstance(from: container, request)
  }

  /// The source location of the registration.
  final var codeLocation: CodeLocation? { file.map { CodeLocation(file: $0, line: line) } }

  /// Whether the factory takes these arguments, after dynamic casts if necessary.
  func accepts(_ arguments: [Any]) -> Bool {
    preconditionFailure("\(Self.self) does not implement accepts")
  }

  /// Whether it is visible at a version of the container.
  @inlinable @inline(__always)
  final func isVisible(at version: UInt64) -> Bool {
    addedIn.load(ordering: .relaxed) <= version && version < removedIn.load(ordering: .relaxed)
  }

  /// Whether its tags include all of some others, which are distinct and sorted by hash as its own. Counts no references.
  ///
  /// Cost: proportional to the number of its tags.
  final func includes(_ others: [Tag]) -> Bool {
    others.withUnsafeBufferPointer { others in
      var start = 0
      for index in others.indices {
        let other = Unmanaged.passUnretained(others[index])
        if !other._withUnsafeGuaranteedRef({ hasTag($0, &start) }) { return false }
      }
      return true
    }
  }

  /// Whether one of its tags from an index on is another one; moves the index to the first that may equal it or one that comes
  /// after it.
  private final func hasTag(_ other: Tag, _ start: inout Int) -> Bool {
    let hash = other.hash
    for index in start..<unownedTags.count {
      let own = unownedTags[index]
      let ownHash = own._withUnsafeGuaranteedRef { $0.hash }
      if ownHash < hash {
        start = index + 1
      } else if ownHash > hash {
        return false
      } else if own._withUnsafeGuaranteedRef({ $0.equals(other) }) {
        return true
      }
    }
    return false
  }

  /// Whether its tags are these, which are distinct.
  final func hasTags(exactly others: [Tag]) -> Bool {
    tags.count == others.count && includes(others)
  }
}

/// A source location.
struct CodeLocation: @unchecked Sendable {
  // Sendable because the text is a literal, which is constant and stays for as long as the program.
  /// The file's id as a C string that is part of the program.
  let file: UnsafePointer<UInt8>
  let line: UInt32

  init(file: UnsafePointer<UInt8>, line: UInt32) {
    self.file = file
    self.line = line
  }

  init(file: StaticString, line: Int) {
    self.init(file: file.utf8Start, line: UInt32(truncatingIfNeeded: line))
  }
}
