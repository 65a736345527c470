import Synchronization

/// Assemblies in the order in which they were first registered, each type once.
///
/// Each assembly moves through the list once: it waits, it makes its registrations, it is activated. Calls of `assemble` take
/// turns, so that each of them returns when all that was registered before it is active. Thread-safe.
package final class AssemblyList: Sendable {
  /// Carries an assembly, which need not be Sendable, from the thread that registers it to the one that uses it.
  private struct Carrier: @unchecked Sendable {
    // Sendable because the list is the only one that uses the assembly after it was registered, and each of its methods
    // is called by the one run that took the carrier out of the list under the lock.
    let assembly: any Assembly
    let owner: Owner?
    var type: ObjectIdentifier { ObjectIdentifier(Swift.type(of: assembly)) }
  }

  /// What a call of `register(in:)` or `activate` does at present, known to all that it calls and to their tasks.
  private final class Run: Sendable {
    @TaskLocal static var current: Run?

    let list: ObjectIdentifier
    /// Whether assemblies are making registrations, or else are being activated.
    let isRegistering: Bool
    let outer: Run?
    /// Whether it has ended. A task that an assembly started inherits the run and may outlive it.
    let isOver = Atomic<Bool>(false)

    init(_ list: AssemblyList, isRegistering: Bool) {
      self.list = ObjectIdentifier(list)
      self.isRegistering = isRegistering
      outer = Self.current
    }
  }

  private struct State {
    /// The types of all assemblies, with their owners.
    var known: [ObjectIdentifier: Owner?] = [:]
    var waiting: [Carrier] = []
    var registered: [Carrier] = []
    /// Whether a call of `assemble` has its turn.
    var isAssembling = false
    /// Who waits for a turn.
    var queue: [TaskWaiter] = []
  }

  private let state = Lock(State())

  package init() {}

  /// Whether nobody has added any.
  package var isEmpty: Bool { state.withLock { $0.known.isEmpty } }

  /// The types of the assemblies that have not made their registrations, in the order in which they were added.
  var waitingTypes: [any Any.Type] { state.withLock { $0.waiting.map { Swift.type(of: $0.assembly) } } }

  /// Adds an assembly, on behalf of an owner if there is one, unless one of its type was added before. An assembly that names
  /// another one while it makes its registrations depends on it; the one of this type then makes its own at once, so that they
  /// come first.
  package func add(_ assembly: any Assembly, owner: Owner? = nil, registrar: any Registrar) {
    let carrier = Carrier(assembly: assembly, owner: owner)
    let isDependency = isRegistering
    let dependency = state.withLock { state -> Carrier? in
      if state.known[carrier.type] == nil {
        state.known[carrier.type] = .some(owner)
        state.waiting.append(carrier)
      }
      guard isDependency, let index = state.waiting.firstIndex(where: { $0.type == carrier.type }) else { return nil }
      return state.waiting.remove(at: index)
    }
    if let dependency { register(dependency, registrar: registrar) }
  }

  /// Lets every waiting assembly make its registrations, on behalf of its owner if it has one.
  package func register(in registrar: any Registrar) {
    let run = Run(self, isRegistering: true)
    defer { run.isOver.store(true, ordering: .releasing) }
    Run.$current.withValue(run) {
      while let next = state.withLock({ $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }) {
        let owned = next.owner.flatMap { (registrar as? Container)?.registrar(owner: $0) }
        register(next, registrar: owned ?? registrar)
      }
    }
  }

  /// Activates every assembly that has made its registrations, in the order in which it did.
  package func activate(resolver: any Resolver) async throws {
    let run = Run(self, isRegistering: false)
    defer { run.isOver.store(true, ordering: .releasing) }
    try await Run.$current.withValue(run) {
      while let next = state.withLock({ $0.registered.isEmpty ? nil : $0.registered.removeFirst() }) {
        try await next.assembly.registered(to: resolver)
      }
    }
  }

  /// Waits for its turn, lets every waiting assembly make its registrations and then activates them.
  ///
  /// A call that comes from an assembly of this list does not wait, since that would be for itself: while the assembly makes
  /// its registrations, it only lets those that wait make theirs; their activation is left to the call that it is part of.
  ///
  /// - Throws: What the activation throws, those behind it being left to the next call; a `CancellationError` if the task is
  ///   cancelled while it waits for its turn.
  func assemble(in container: Container) async throws {
    if let present {
      register(in: container)
      if !present.isRegistering { try await activate(resolver: container) }
      return
    }
    try await begin()
    defer { end() }
    register(in: container)
    try await activate(resolver: container)
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

  /// Forgets all assemblies, so that they can be added anew.
  func removeAll() {
    let dropped = state.withLock { state in
      defer { (state.known, state.waiting, state.registered) = ([:], [], []) }
      return state.waiting + state.registered
    }
    withExtendedLifetime(dropped) {}
  }

  /// Whether the caller is inside the `register(in:)` of an assembly of this list.
  var isRegistering: Bool { present?.isRegistering ?? false }

  /// What this list is doing above the caller.
  private var present: Run? {
    var run = Run.current
    while let present = run {
      if present.list == ObjectIdentifier(self), !present.isOver.load(ordering: .acquiring) { return present }
      run = present.outer
    }
    return nil
  }

  private func begin() async throws {
    while true {
      let waiter = state.withLock { state -> TaskWaiter? in
        guard state.isAssembling else {
          state.isAssembling = true
          return nil
        }
        let waiter = TaskWaiter()
        state.queue.append(waiter)
        return waiter
      }
      guard let waiter else { return }
      try await waiter.wait()
    }
  }

  private func end() {
    let queue = state.withLock { state in
      defer { (state.isAssembling, state.queue) = (false, []) }
      return state.queue
    }
    for waiter in queue { waiter.wake() }
  }

  private func register(_ carrier: Carrier, registrar: any Registrar) {
    carrier.assembly.register(in: registrar)
    state.withLock { $0.registered.append(carrier) }
  }
}
