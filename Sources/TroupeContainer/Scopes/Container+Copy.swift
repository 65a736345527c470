import Synchronization

extension Container {
  /// Returns a container without a parent that has the registrations of this one, without their owners and instances.
  ///
  /// Cost: proportional to the registrations.
  package func copy() -> Container {
    let copy = Container(collisions: collisionPolicy)
    copy.add(allEntries { _ in true }.sorted { $0.sequence < $1.sequence }, owner: nil)
    return copy
  }

  /// The registered types of this container and its ancestors.
  package var registeredTypes: [any Any.Type] { selfAndAncestors.flatMap { $0.types(including: []) } }

  /// A number that no other container of the process has, assigned at its first use.
  package var containerID: Int {
    let known = assignedID.load(ordering: .relaxed)
    if known != 0 { return known }
    let new = Self.lastNumber.wrappingAdd(1, ordering: .relaxed).newValue
    let (exchanged, original) = assignedID.compareExchange(expected: 0, desired: new, ordering: .relaxed)
    return exchanged ? new : original
  }

  private static let lastNumber = Atomic<Int>(0)
}
