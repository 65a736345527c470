import Synchronization

/// The assemblies of a container, each type once, and the calls of `assemble` that take turns with them.
///
/// An assembly passes three states:
///
///     waiting ──register(in:)──▶ registered ──registered(to:)──▶ active
///
/// While an assembly makes its registrations, `add` has a second meaning: the added assembly is a dependency, so it makes its
/// registrations at once and comes first. How an added assembly is called therefore depends on the caller. A task-local `Run` tells:
/// it is set for the functions and tasks that an assembly calls.
///
/// Calls of `assemble` take turns, so that each returns once all assemblies that were registered before it are active. A call from
/// inside an assembly does not wait for the outer call, which waits for it.
package final class AssemblyList: Sendable {
  /// Carries an assembly, which need not be Sendable, from the registering thread to the assembling one.
  private struct PendingAssembly: @unchecked Sendable {
    // Sendable because only the run that took the assembly out of the list, under the lock, calls its methods. The compiler does not see
    // whether the registering code uses it meanwhile: see `Registrar.register(assembly:)`.
    let assembly: any Assembly
    let owner: Owner?
    var type: ObjectIdentifier { ObjectIdentifier(Swift.type(of: assembly)) }
  }

  /// A running call of `register(in:)` or `activate`, visible to all functions and tasks that it starts.
  private final class Run: Sendable {
    @TaskLocal static var current: Run?

    let list: ObjectIdentifier
    /// True while assemblies make their registrations, false while they are activated.
    let isRegistering: Bool
    let outer: Run?
    /// A task that an assembly started inherits the run and may outlive it.
    let isOver = Atomic<Bool>(false)

    init(_ list: AssemblyList, isRegistering: Bool) {
      self.list = ObjectIdentifier(list)
      self.isRegistering = isRegistering
      outer = Self.current
    }
  }

  private struct State {
    /// The types of all assemblies, active ones included, with their owners.
    var known: [ObjectIdentifier: Owner?] = [:]
    var waiting: [PendingAssembly] = []
    var registered: [PendingAssembly] = []
    var isAssembling = false
    /// The calls that wait for their turn.
    var queue: [AsyncOneShotEvent] = []
  }

  private let state = Lock(State())

  package init() {}

  package var isEmpty: Bool { state.withLock { $0.known.isEmpty } }

  /// In the order of insertion.
  var waitingTypes: [any Any.Type] { state.withLock { $0.waiting.map { Swift.type(of: $0.assembly) } } }

  /// Adds an assembly, on behalf of an owner if one is given, unless the list has one of its type.
  ///
  /// If an assembly is making its registrations, the added one is its dependency. The waiting assembly of that type then makes its
  /// registrations at once, so that they come first.
  package func add(_ assembly: any Assembly, owner: Owner? = nil, registrar: any Registrar) {
    let pending = PendingAssembly(assembly: assembly, owner: owner)
    let isDependency = isRegistering
    let dependency = state.withLock { state -> PendingAssembly? in
      if state.known[pending.type] == nil {
        state.known[pending.type] = .some(owner)
        state.waiting.append(pending)
      }
      guard isDependency, let index = state.waiting.firstIndex(where: { $0.type == pending.type }) else { return nil }
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

  /// Activates every assembly that has made its registrations, in the order of registration.
  package func activate(resolver: any Resolver) async throws {
    let run = Run(self, isRegistering: false)
    defer { run.isOver.store(true, ordering: .releasing) }
    try await Run.$current.withValue(run) {
      while let next = state.withLock({ $0.registered.isEmpty ? nil : $0.registered.removeFirst() }) {
        try await next.assembly.registered(to: resolver)
      }
    }
  }

  /// Waits for its turn, lets every waiting assembly make its registrations, then activates them.
  ///
  /// A call from an assembly of this list does not wait, since it would wait for itself. During `register(in:)` it only lets waiting
  /// assemblies make their registrations, and the outer call activates them.
  ///
  /// - Throws: The error of an activation; the next call activates the assemblies after that one. A `CancellationError` if the task
  ///   is cancelled while it waits for its turn.
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

  /// Removes the assemblies whose owners a closure accepts, so that they can be added again.
  func remove(where isRemoved: (Owner?) -> Bool) {
    let dropped = state.withLock { state in
      let dropped = (state.waiting + state.registered).filter { isRemoved($0.owner) }
      state.waiting.removeAll { isRemoved($0.owner) }
      state.registered.removeAll { isRemoved($0.owner) }
      state.known = state.known.filter { !isRemoved($0.value) }
      return dropped
    }
    // A deinitializer may run any code, so they are released outside the lock.
    withExtendedLifetime(dropped) {}
  }

  /// True if the caller is inside the `register(in:)` of an assembly of this list.
  var isRegistering: Bool { present?.isRegistering ?? false }

  /// The innermost run of this list that called the caller.
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
      let waiter = state.withLock { state -> AsyncOneShotEvent? in
        guard state.isAssembling else {
          state.isAssembling = true
          return nil
        }
        let waiter = AsyncOneShotEvent()
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
    for waiter in queue { waiter.signal() }
  }

  private func register(_ pending: PendingAssembly, registrar: any Registrar) {
    pending.assembly.register(in: registrar)
    state.withLock { $0.registered.append(pending) }
  }
}
