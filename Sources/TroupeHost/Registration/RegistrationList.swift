internal import FoundationEssentials
internal import Troupe

/// Registrations in order, with an index by UUID. The cost of a lookup does not depend on their number.
struct RegistrationList {
  private(set) var all: [Registration] = []
  /// The index of the registration with each UUID.
  private var places: [UUID: Int] = [:]
  /// The number of registrations of each plugin.
  private var counts: [String: Int] = [:]

  init() {}

  /// Returns the registration with a UUID, or nil if the UUID is free.
  func holder(of uuid: UUID) -> Registration? { places[uuid].map { all[$0] } }

  /// Returns the first clash of a UUID with a registration of another plugin, or nil.
  func clash(with new: [Registration]) -> UUIDClash? {
    for registration in new {
      guard let uuid = registration.uuid, let holder = holder(of: uuid), holder.plugin != registration.plugin else { continue }
      return UUIDClash(name: registration.name, uuid: uuid, holder: holder)
    }
    return nil
  }

  /// Appends registrations, whose UUIDs must be free.
  mutating func append(_ new: [Registration]) {
    for registration in new { append(registration) }
  }

  /// Appends a registration, whose UUID must be free.
  mutating func append(_ registration: Registration) {
    if let uuid = registration.uuid { places[uuid] = all.count }
    counts[registration.plugin, default: 0] += 1
    all.append(registration)
  }

  /// Replaces the registrations of a plugin. A new registration with the same UUID, or without a UUID the same key, replaces the old one
  /// at its position; the others are appended.
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

  /// Removes the registrations of a plugin. Those at the end are removed without cost for the rest, so that plugins can be removed in
  /// reverse order.
  mutating func removeAll(of plugin: String) {
    while let last = all.last, last.plugin == plugin { removeLast() }
    if counts[plugin] != nil { self = RegistrationList(all.filter { $0.plugin != plugin }) }
  }

  /// Removes the registrations under a key.
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

/// A second registration of a UUID.
struct UUIDClash {
  /// The name of the new registration.
  let name: String
  let uuid: UUID
  /// The existing registration.
  let holder: Registration

  /// The problem.
  var problem: String {
    "the factory \"\(name)\" has the UUID \(uuid.uuidString.lowercased()), which \"\(holder.name)\" of \(holder.plugin) has already"
  }
  static let remedy = "make another with uuidgen"
}

extension Registration {
  /// The value that it shares with the registration that it replaces.
  fileprivate var slot: AnyHashable { uuid.map { AnyHashable($0) } ?? AnyHashable(key) }
}
