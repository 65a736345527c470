internal import FoundationEssentials

/// Registrations in their order, and whose each UUID is. Finding that out costs the same however many there are.
struct RegistrationList {
  private(set) var all: [Registration] = []
  private var holders: [UUID: Registration] = [:]

  init() {}

  /// Whose UUID it is, or nil if it is free.
  func holder(of uuid: UUID) -> Registration? { holders[uuid] }

  /// The first of some registrations whose UUID another plugin has already, or nil.
  func clash(with new: [Registration]) -> UUIDClash? {
    for registration in new {
      guard let uuid = registration.uuid, let holder = holders[uuid], holder.plugin != registration.plugin else { continue }
      return UUIDClash(name: registration.name, uuid: uuid, holder: holder)
    }
    return nil
  }

  /// Adds registrations, whose UUIDs are free.
  mutating func append(_ new: [Registration]) {
    all += new
    for registration in new {
      if let uuid = registration.uuid { holders[uuid] = registration }
    }
  }

  /// Puts what a plugin registers now in place of what it registered before: what has the same UUID, or without one the same key, in
  /// its place, and the rest behind the others.
  mutating func replace(_ plugin: String, with new: [Registration]) {
    guard all.contains(where: { $0.plugin == plugin }) else { return append(new) }
    var waiting = Dictionary(grouping: new.indices) { new[$0].place }
    var placed: Set<Int> = []
    let kept = all.compactMap { old -> Registration? in
      guard old.plugin == plugin else { return old }
      guard let index = waiting[old.place]?.first else { return nil }
      waiting[old.place]?.removeFirst()
      placed.insert(index)
      return new[index]
    }
    self = RegistrationList()
    append(kept)
    append(new.indices.filter { !placed.contains($0) }.map { new[$0] })
  }

  /// Removes what fulfils a condition.
  mutating func removeAll(where isUnwanted: (Registration) -> Bool) {
    guard all.contains(where: isUnwanted) else { return }
    let rest = all.filter { !isUnwanted($0) }
    self = RegistrationList()
    append(rest)
  }
}

/// That a UUID is registered a second time.
struct UUIDClash {
  /// What is to be registered.
  let name: String
  let uuid: UUID
  /// What is.
  let holder: Registration

  /// What is wrong.
  var problem: String {
    "the factory \"\(name)\" has the UUID \(uuid), which \"\(holder.name)\" of \(holder.plugin) has already"
  }
  static let remedy = "make another with uuidgen"
}

extension Registration {
  /// What it has in common with what it replaces.
  fileprivate var place: AnyHashable { uuid.map { AnyHashable($0) } ?? AnyHashable(key) }
}
