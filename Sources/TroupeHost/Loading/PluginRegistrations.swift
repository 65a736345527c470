internal import CTroupe
internal import FoundationEssentials
internal import Glibc
internal import Synchronization
internal import Troupe
internal import TroupeCall
internal import TroupeFiles

/// What one plugin registers: collects the entries while the plugin's entry function runs, publishes them in one change, then activates and
/// retracts them. A failed entry leaves no registrations.
final class PluginRegistrations: Sendable {
  /// The plugin's side of the host.
  let context: PluginContext
  /// The minor version of the ABI that the plugin is built for.
  let abiMinor: Int
  private let owner: Owner
  private let factories: PluginRegistry
  private let assemblies = AssemblyList()
  private let state = Mutex(State())

  private struct State {
    /// The thread that runs the entry, and the image of the entry; nil before and after.
    var entry: (thread: pthread_t, image: PluginImage)?
    /// The entries that are not yet visible.
    var entries: [Entry] = []
    var holders: [UUID: RegistrationDescription] = [:]
    /// The addresses of the functions of factories in C.
    var addresses: [UUID: [UInt]] = [:]
    /// The first faults of refused registrations, and the number of all.
    var refusals: [Diagnosis] = []
    var refusalCount = 0
    var code = CodeAddresses()
  }

  init(context: PluginContext, abiMinor: Int, owner: Owner, factories: PluginRegistry) {
    (self.context, self.abiMinor, self.owner, self.factories) = (context, abiMinor, owner, factories)
  }

  /// Runs the plugin's entry, or the registration of an adopted library.
  func run<Result, Failure>(_ image: PluginImage, entry: () throws(Failure) -> Result) throws(Failure) -> Result {
    state.withLock { $0.entry = (pthread_self(), image) }
    defer { state.withLock { $0.entry = nil } }
    return try entry()
  }

  /// Publishes all registrations. Returns the fault, and publishes nothing, if another plugin has registered one of the UUIDs meanwhile.
  ///
  /// - Parameter old: The owner of the pending registrations or of the older version. Publishing removes those.
  func publish(replacing old: Owner?) -> Diagnosis? {
    factories.add(takeEntries(), owner: owner, replacing: old)
  }

  /// Returns one entry that is not yet visible for each type that has the name of a type of the program and is another type.
  ///
  /// - Parameter programKeys: The keys of these registrations with the program's types.
  func copiedTypes(_ programKeys: [AnyKey]) -> [Entry] {
    if programKeys.isEmpty { return [] }
    let entries = state.withLock { $0.entries }
    let keys = Set(entries.map(\.key))
    var seen: Set<ObjectIdentifier> = []
    return programKeys.filter { !keys.contains($0) && seen.insert($0.identity).inserted }.compactMap { wanted in
      let name = wanted.type
      return entries.first { $0.key.identity != wanted.identity && $0.key.type == name }
    }
  }

  func discard() {
    // Released outside the lock: the last reference to the image may be among them, whose end runs code of the plugin.
    withExtendedLifetime(takeEntries()) {}
  }

  private func takeEntries() -> [Entry] {
    state.withLock { state in
      defer { (state.entries, state.holders) = ([], [:]) }
      return state.entries
    }
  }

  var hasActivation: Bool { !assemblies.isEmpty }

  func activate() async throws {
    try await assemblies.activate(resolver: factories.container)
  }

  /// Returns the addresses that a plugin in C gives for a factory: that of the factory first, then those of its destroy function and of its
  /// vectorized body, where it has them.
  func addresses(of uuid: UUID) -> [UInt] { state.withLock { $0.addresses[uuid] ?? [] } }

  func retract() { factories.container.unregister(owner: owner) }

  /// Reports the fault of a registration: keeps it while the entry runs, since it may be the reason for which the plugin fails, and logs
  /// it otherwise.
  func refuse(_ diagnosis: Diagnosis) {
    let isKept = state.withLock { state in
      guard state.entry != nil else { return false }
      state.refusalCount += 1
      if state.refusals.count < Self.maximumRefusals { state.refusals.append(diagnosis) }
      return true
    }
    if !isKept { context.log(.error, "\(diagnosis)") }
  }

  /// Sets the faults of the registrations of a plugin in a worker.
  func setRefusals(_ diagnoses: [Diagnosis]) {
    state.withLock { ($0.refusals, $0.refusalCount) = (diagnoses, diagnoses.count) }
  }

  /// Adds the registrations of a plugin in a worker but those whose UUIDs other plugins have. Returns the faults of these.
  func add(_ entries: [Entry]) -> [Diagnosis] {
    var diagnoses: [Diagnosis] = []
    var isTaken = false
    for entry in entries {
      // The second entry of a function follows the first, and describes nothing.
      if let registration = entry.registrantInfo as? RegistrationDescription {
        let diagnosis = registration.uuid.flatMap { duplicateDiagnosis($0, name: registration.name) }
        isTaken = diagnosis != nil
        if let diagnosis { diagnoses.append(diagnosis) }
      }
      if !isTaken { state.withLock { $0.entries.append(entry) } }
    }
    return diagnoses
  }

  /// The faults of registrations so far. A count replaces those after the thousandth.
  var refusals: [Diagnosis] {
    let (refusals, count) = state.withLock { ($0.refusals, $0.refusalCount) }
    guard count > refusals.count else { return refusals }
    return refusals + [Diagnosis(.refused, problem: "\(count - refusals.count) more registrations are refused")]
  }

  var refusalCount: Int { state.withLock { $0.refusalCount } }

  private static let maximumRefusals = 1000
}

// MARK: Plugins in C

extension PluginRegistrations {
  func add(
    _ description: RegistrationDescription, _ code: FactoryCode, resolver: ResolverTable
  ) throws(Diagnosis) {
    let image = try imageOfEntry()
    if let uuid = description.uuid, let diagnosis = duplicateDiagnosis(uuid, name: description.name) { throw diagnosis }
    let prepared: PreparedCall
    do {
      prepared = try PreparedCall(
        type: code.type, function: code.function, symbols: { owner($0, image) },
        maximumBufferSize: factories.maximumBufferSize, library: image,
        lock: description.isCallableFromAnyThread ? nil : image.lock)
    } catch {
      throw Diagnosis(.invalidSignature, description.subject, problem: "\(error)")
    }
    let foreign = ForeignFactory(
      description, code, prepared: prepared, image: image, resolver: resolver, isInterrupted: factories.isInterrupted)
    let entries: [Entry]
    if let name = description.contract {
      let contract = factories.contract(named: name)
      if let problem = contract?.problem(inTable: code.vtable, abiMinor: abiMinor) {
        throw Diagnosis(.invalidContract, description.subject, problem: problem)
      }
      entries = [foreign.entry(contract)]
    } else {
      entries = foreign.plainFunction.entries()
    }
    entries.describe(as: description)
    state.withLock { state in
      state.entries += entries
      guard let uuid = description.uuid else { return }
      (state.holders[uuid], state.addresses[uuid]) = (description, code.addresses)
    }
  }

  /// Returns a function of the plugin or of a library that it links, which releases memory that other functions return. Nil also for a
  /// variable, which cannot be called.
  private func owner(_ name: String, _ image: PluginImage) -> UnsafeRawPointer? {
    guard let address = image.function(name) else { return nil }
    return state.withLock { $0.code.contains(address) } ? address : nil
  }

  /// Whether a contract is known and requires a table of functions.
  func needsTable(_ contract: String) -> Bool {
    factories.contract(named: contract)?.problem(inTable: nil, abiMinor: abiMinor) != nil
  }

  /// Returns the image whose entry runs. Throws after the entry has returned, and on another thread.
  private func imageOfEntry() throws(Diagnosis) -> PluginImage {
    guard let entry = state.withLock({ $0.entry }) else {
      throw Diagnosis(
        .tooLate, problem: "it registers after its entry has returned",
        remedy: "register in troupe_plugin_main, or in register(in:)")
    }
    guard pthread_equal(entry.thread, pthread_self()) != 0 else {
      throw Diagnosis(
        .wrongThread, problem: "it registers on another thread than the one that runs its entry",
        remedy: "register on the thread of the entry")
    }
    return entry.image
  }

  private func duplicateDiagnosis(_ uuid: UUID, name: String) -> Diagnosis? {
    let own = state.withLock { $0.holders[uuid] }
    // A registration of the plugin itself is an older version or a pending one.
    let others = factories.holder(of: uuid).flatMap { $0.plugin == owner.name ? nil : $0 }
    return (own ?? others).map { .duplicate(uuid, of: name, holder: $0) }
  }
}

// MARK: Plugins in Swift

extension PluginRegistrations {
  /// Runs the registration of an assembly. Reasons given to `fail` and faulty registrations fail the entry.
  func receive(_ assembly: any Assembly) -> troupe_status {
    do {
      _ = try imageOfEntry()
    } catch {
      refuse(error)
      return error.code.status
    }
    let before = refusalCount
    register(assembly: assembly)
    assemblies.register(in: self)
    return troupe_status(refusalCount == before ? TROUPE_OK : TROUPE_FAILED)
  }

  /// Registers an entry in place of the plugin's own with the same key and argument types, or unregisters those under a key.
  private func set(_ entry: Entry?, for key: AnyKey) {
    do {
      _ = try imageOfEntry()
    } catch {
      refuse(error.about("\(key)", "is not registered: "))
      return
    }
    // A copy, since the plugin may pass an entry that other threads read.
    let entry = entry?.copied(to: key)
    let registration = entry.map {
      var description = RegistrationDescription($0, plugin: owner.name)
      description.contract = factories.contractName(of: key.metatype)
      return description
    }
    if let registration, let uuid = registration.uuid, let diagnosis = duplicateDiagnosis(uuid, name: registration.name) {
      return refuse(diagnosis)
    }
    entry?.registrantInfo = registration
    // Compared outside the lock, since the `==` of a tag may use the registrar. Only the thread of the entry registers.
    let replaced = state.withLock { $0.entries }.filter { old in old.key == key && entry.map(old.collides) ?? true }
    state.withLock { state in
      for old in replaced {
        if let uuid = (old.registrantInfo as? RegistrationDescription)?.uuid { state.holders[uuid] = nil }
      }
      if !replaced.isEmpty { state.entries.removeAll { old in replaced.contains { $0 === old } } }
      if let entry { state.entries.append(entry) }
      if let registration, let uuid = registration.uuid { state.holders[uuid] = registration }
    }
    // Released outside the lock: a deinitializer of what a factory captured may use the registrar.
    withExtendedLifetime(replaced) {}
  }
}

/// The registrar of the plugin's assemblies.
extension PluginRegistrations: PluginRegistrar {
  var plugin: PluginContext { context }

  /// The entry under a key: the plugin's own, or that of another registrant.
  subscript(key: AnyKey) -> Entry? {
    get { state.withLock { $0.entries }.last { $0.key == key } ?? factories.container[key] }
    set { set(newValue, for: key) }
  }

  func register(assembly: any Assembly) {
    do {
      _ = try imageOfEntry()
    } catch {
      return refuse(error)
    }
    assemblies.add(assembly, registrar: self)
  }

  func fail(_ reason: String) { refuse(Diagnosis(.refused, problem: reason)) }
}
