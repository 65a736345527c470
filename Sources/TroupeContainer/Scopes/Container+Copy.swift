import Synchronization

extension Container {
  /// A container without a parent and with the registrations of this one, but without their owners and what was made of them.
  ///
  /// Cost: proportional to the registrations.
  package func copy() -> Container {
    let copy = Container(collisions: collisionPolicy)
    copy.add(allEntries { _ in true }.sorted { $0.sequence < $1.sequence }, owner: nil)
    return copy
  }

  /// The types of which something is registered here or in a parent.
  package var registeredTypes: [any Any.Type] { lineage.flatMap { $0.types(including: []) } }

  /// A number that no other container of the process has, given out when it is first asked for.
  package var number: Int {
    let known = givenNumber.load(ordering: .relaxed)
    if known != 0 { return known }
    let new = Self.lastNumber.wrappingAdd(1, ordering: .relaxed).newValue
    let (exchanged, original) = givenNumber.compareExchange(expected: 0, desired: new, ordering: .relaxed)
    return exchanged ? new : original
  }

  private static let lastNumber = Atomic<Int>(0)
}
