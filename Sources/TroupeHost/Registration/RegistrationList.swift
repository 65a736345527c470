internal import FoundationEssentials
internal import Troupe

/// Registrations in their order, and whose each UUID is. Finding that out costs the same however many there are.
struct RegistrationList {
  private(set) var all: [Registration] = []
  /// Where the registration of each UUID is.
  private var places: [UUID: Int] = [:]
  /// How many registrations each plugin has.
  private var counts: [String: Int] = [:]

  init() {}

  /// Whose UUID it is, or nil if it is free.
  func holder(of uuid: UUID) -> Registration? { places[uuid].map { all[$0] } }

  /// The first of some registrations whose UUID another plugin has already, or nil.
  func clash(with new: [Registration]) -> UUIDClash? {
    for registration in new {
      guard let uuid = registration.uuid, let holder = holder(of: uuid), holder.plugin != registration.plugin else { continue }
      return UUIDClash(name: registration.name, uuid: uuid, holder: holder)
    }
    return nil
  }

  /// Adds registrations, whose UUIDs are free.
  mutating func append(_ new: [Registration]) {
    for registration in new { append(registration) }
  }

  /// Adds a registration, whose UUID is free.
  mutating func append(_ registration: Registration) {
    if let uuid = registration.uuid { places[uuid] = all.count }
    counts[registration.plugin, default: 0] += 1
    all.append(registration)
  }

  /// Puts what a plugin registers now in place of what it registered before: what has the same UUID, or without one the same
  /// key, in its place, and the rest behind the others.
  mutating func replace(_ plugin: String, with new: [Registration]) {
    var waiting = Dictionary(grouping: new.indices) { new[$0].slot }
    var placed: Set<Int> = []
    var vacant: Set<Int> = []
    for index in all.indices where all[index].plugin == plugin {
      if let next = waiting[all[index].slot]?.first {
        waiting[all[index].slot]?.removeFirst()
        placed.insert(next)
        all[index] = new[next]
      } else {
        vacant.insert(index)
      }
    }
    if !vacant.isEmpty { self = RegistrationList(all.indices.filter { !vacant.contains($0) }.map { all[$0] }) }
    for index in new.indices where !placed.contains(index) { append(new[index]) }
  }

  /// Removes what a plugin registered. What is at the end goes at no cost for the rest, so that all can go in turn, the last first.
  mutating func removeAll(of plugin: String) {
    while let last = all.last, last.plugin == plugin { removeLast() }
    if counts[plugin] != nil { self = RegistrationList(all.filter { $0.plugin != plugin }) }
  }

  /// Removes what is registered under a key.
  mutating func remove(_ key: AnyKey) {
    if all.contains(where: { $0.key == key }) { self = RegistrationList(all.filter { $0.key != key }) }
  }

  private mutating func removeLast() {
    let last = all.removeLast()
    if let uuid = last.uuid { places[uuid] = nil }
    let count = counts[last.plugin] ?? 0
    counts[last.plugin] = count > 1 ? count - 1 : nil
  }

  private init(_ registrations: [Registration]) {
    append(registrations)
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
    "the factory \"\(name)\" has the UUID \(uuid.uuidString.lowercased()), which \"\(holder.name)\" of \(holder.plugin) has already"
  }
  static let remedy = "make another with uuidgen"
}

extension Registration {
  /// The value that it has in common with the registration that it replaces.
  fileprivate var slot: AnyHashable { uuid.map { AnyHashable($0) } ?? AnyHashable(key) }
}
