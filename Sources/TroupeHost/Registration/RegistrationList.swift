internal import FoundationEssentials

/// Registrations in their order, and whose each UUID is. Finding that out costs the same however many there are.
struct RegistrationList {
  private(set) var all: [Registration] = []
  private var holders: [UUID: Registration] = [:]

  init() {}

  /// Whose UUID it is, or nil if it is free.
  func holder(of uuid: UUID) -> Registration? { holders[uuid] }

  /// The first that has the same UUID as one of some others, or nil.
  func clash(with others: [Registration]) -> Registration? {
    others.lazy.compactMap { $0.uuid.flatMap { holders[$0] } }.first
  }

  /// Adds registrations, whose UUIDs are free.
  mutating func append(_ new: [Registration]) {
    all += new
    for registration in new {
      if let uuid = registration.uuid { holders[uuid] = registration }
    }
  }

  /// Removes what fulfils a condition.
  mutating func removeAll(where isUnwanted: (Registration) -> Bool) {
    guard all.contains(where: isUnwanted) else { return }
    let rest = all.filter { !isUnwanted($0) }
    self = RegistrationList()
    append(rest)
  }
}
