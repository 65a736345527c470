/// Assemblies in the order in which they were first registered, each type once.
///
/// Each assembly moves through the list once: it waits, it makes its registrations, it is activated. Thread-safe.
package final class AssemblyList: Sendable {
  /// Carries an assembly, which need not be Sendable, from the thread that registers it to the one that uses it.
  private struct Carrier: @unchecked Sendable {
    // Sendable because the list is the only one that uses the assembly after it was registered, and each of its methods
    // is called by the one run that took the carrier out of the list under the lock.
    let assembly: any Assembly
    let owner: Owner?
    var type: ObjectIdentifier { ObjectIdentifier(Swift.type(of: assembly)) }
  }

  private struct State {
    /// The types of all assemblies, with their owners.
    var known: [ObjectIdentifier: Owner?] = [:]
    var waiting: [Carrier] = []
    var registered: [Carrier] = []
    /// How many calls of `register(in:)` are at work; two threads may assemble at the same time.
    var runs = 0
  }

  private let state = Lock(State())

  package init() {}

  /// Adds an assembly, on behalf of an owner if there is one, unless one of its type was added before. While the list is making registrations, which is when an
  /// assembly names what it depends on, the one of this type makes its own at once, so that they come first.
  package func add(_ assembly: any Assembly, owner: Owner? = nil, registrar: any Registrar) {
    let carrier = Carrier(assembly: assembly, owner: owner)
    let dependency = state.withLock { state -> Carrier? in
      if state.known[carrier.type] == nil {
        state.known[carrier.type] = .some(owner)
        state.waiting.append(carrier)
      }
      guard state.runs > 0, let index = state.waiting.firstIndex(where: { $0.type == carrier.type }) else { return nil }
      return state.waiting.remove(at: index)
    }
    if let dependency { register(dependency, registrar: registrar) }
  }

  /// Lets every waiting assembly make its registrations, on behalf of its owner if it has one.
  package func register(in registrar: any Registrar) {
    state.withLock { $0.runs += 1 }
    defer { state.withLock { $0.runs -= 1 } }
    while let next = state.withLock({ $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }) {
      let owned = next.owner.flatMap { (registrar as? Container)?.registrar(owner: $0) }
      register(next, registrar: owned ?? registrar)
    }
  }

  /// Forgets the assemblies of an owner, so that they can be added anew.
  func remove(owner: Owner) {
    let dropped = state.withLock { state in
      let dropped = (state.waiting + state.registered).filter { $0.owner == owner }
      state.waiting.removeAll { $0.owner == owner }
      state.registered.removeAll { $0.owner == owner }
      state.known = state.known.filter { $0.value != owner }
      return dropped
    }
    // Their ends may run anybody's code, and must not under the lock.
    withExtendedLifetime(dropped) {}
  }

  /// Activates every assembly that has made its registrations, in the order in which it did.
  package func activate(resolver: any Resolver) async throws {
    while let next = state.withLock({ $0.registered.isEmpty ? nil : $0.registered.removeFirst() }) {
      try await next.assembly.registered(to: resolver)
    }
  }

  private func register(_ carrier: Carrier, registrar: any Registrar) {
    carrier.assembly.register(in: registrar)
    state.withLock { $0.registered.append(carrier) }
  }
}
