internal import CTroupe
internal import FoundationEssentials
internal import Glibc
internal import Synchronization
internal import Troupe
internal import TroupeCall

/// What one plugin registers while its entry runs. Nothing is visible to anybody else until the entry has succeeded, so an
/// entry that fails leaves nothing behind.
final class PluginRegistrations: Sendable {
  /// What the host gives to the plugin.
  let context: PluginContext
  private let owner: Owner
  private let factories: FactoryCatalog
  private let assemblies = AssemblyList()
  private let state = Mutex(State())

  private struct State {
    /// The thread that runs the entry, and the image it runs in; nil before and after.
    var entry: (thread: pthread_t, image: PluginImage)?
    var registrations = RegistrationList()
    var entries: [(key: AnyKey, entry: Entry)] = []
    /// What has been made visible, to be put back if what replaces it fails.
    var published: (registrations: [Registration], entries: [(key: AnyKey, entry: Entry)]) = ([], [])
    /// What was wrong with refused registrations.
    var notes: [String] = []
    /// Where there are functions.
    var code = CodeAddresses()
  }

  init(context: PluginContext, owner: Owner, factories: FactoryCatalog) {
    self.context = context
    self.owner = owner
    self.factories = factories
  }

  /// Lets the plugin's entry, or what stands for it, register.
  func run<Result, Failure>(_ image: PluginImage, entry: () throws(Failure) -> Result) throws(Failure) -> Result {
    state.withLock { $0.entry = (pthread_self(), image) }
    defer { state.withLock { $0.entry = nil } }
    return try entry()
  }

  /// Makes everything that was registered visible. Gives which of the plugin's UUIDs somebody took since it was registered, if that is
  /// so; nothing is visible then.
  ///
  /// - Parameter old: On whose behalf the plugin's places are held, or an older version of it is registered; that goes.
  func publish(replacing old: Owner?) -> UUIDClash? {
    let (registrations, entries) = state.withLock { state in
      state.published = (state.registrations.all, state.entries)
      (state.registrations, state.entries) = (RegistrationList(), [])
      return state.published
    }
    let clash = factories.add(registrations, entries: entries, owner: owner, replacing: old)
    if clash != nil { forget() }
    return clash
  }

  /// Forgets everything that was registered and is not yet visible.
  func discard() {
    // What is dropped may hold the plugin's image, whose end must not run under the lock.
    let dropped = state.withLock { state in
      defer { (state.registrations, state.entries) = (RegistrationList(), []) }
      return state.entries
    }
    withExtendedLifetime(dropped) {}
  }

  /// Whether there are assemblies to activate.
  var hasActivation: Bool { !assemblies.isEmpty }

  /// Activates the plugin's assemblies.
  func activate() async throws {
    try await assemblies.activate(resolver: factories.container)
  }

  /// Makes visible again what an owner has replaced. Singletons are made anew.
  func restore(replacing other: Owner) {
    let (registrations, entries) = state.withLock { state in
      state.published.entries = state.published.entries.map { ($0.key, $0.entry.copied(to: $0.key)) }
      return state.published
    }
    // The UUIDs are its own: who replaced it is the same plugin.
    _ = factories.add(registrations, entries: entries, owner: owner, replacing: other)
  }

  /// Takes everything back that is visible.
  func retract() {
    factories.removeAll(of: owner)
    forget()
  }

  /// Lets go of what has been made visible, which somebody else has taken back.
  func forget() {
    // What is dropped may hold the plugin's image, whose end must not run under the lock.
    let dropped = state.withLock { state in
      defer { state.published = ([], []) }
      return state.published
    }
    withExtendedLifetime(dropped) {}
  }

  /// Says what is wrong with a registration: remembers it while the entry runs, since it may be the reason for the plugin's
  /// refusal, and logs it otherwise.
  func note(_ message: String) {
    let isRemembered = state.withLock { state in
      if state.entry != nil { state.notes.append(message) }
      return state.entry != nil
    }
    if !isRemembered { context.log(.error, message) }
  }

  /// What was wrong with registrations so far.
  var notes: [String] { state.withLock { $0.notes } }
}

// MARK: Plugins in C

extension PluginRegistrations {
  /// Registers a factory in C. Throws a `RegistrationError`.
  func add(_ descriptor: FactoryDescriptor, resolver: ResolverTable) throws(RegistrationError) {
    let image = try openImage()
    let declaration = descriptor.declaration
    var subject: String { FactoryDeclaration.subject(declaration.name) }
    if let fault = takenFault(declaration.uuid, name: declaration.name) { throw .duplicate(fault) }
    let prepared: PreparedCall
    do {
      prepared = try PreparedCall(
        type: declaration.type, function: descriptor.function, symbols: { owner($0, image) },
        maximumBufferSize: factories.maximumBufferSize, library: image)
    } catch {
      throw .signature("\(subject): \(error)")
    }
    let foreign = ForeignFactory(
      descriptor, plugin: owner.name, prepared: prepared, image: image, resolver: resolver)
    let tags = TagList(declaration.tags, declaration.uuid)
    let entries: [Entry]
    if let name = declaration.contract {
      let contract = factories.contract(named: name)
      if let fault = contract?.fault(inTable: descriptor.vtable) {
        throw .contract("\(subject): \(fault)")
      }
      entries = [foreign.entry(contract, tags: tags)]
    } else {
      entries = foreign.functionEntries(tags: tags)
    }
    state.withLock { state in
      state.registrations.append(
        Registration(plugin: owner.name, declaration, key: entries[0].key, addresses: descriptor.addresses))
      state.entries += entries.map { ($0.key, $0) }
    }
  }

  /// A function that frees what others give: the plugin's own, or one that the plugin links. Nil also for a variable, which nobody
  /// could call.
  private func owner(_ name: String, _ image: PluginImage) -> UnsafeRawPointer? {
    guard let address = image.symbol(name) ?? PreparedCall.global(name) else { return nil }
    return state.withLock { $0.code.contains(address) } ? address : nil
  }

  /// Whether a contract is known here and cannot do without a table of functions.
  func needsTable(_ contract: String) -> Bool {
    factories.contract(named: contract)?.fault(inTable: nil) != nil
  }

  /// The image whose entry runs on this thread.
  private func openImage() throws(RegistrationError) -> PluginImage {
    guard let entry = state.withLock({ $0.entry }) else { throw .late }
    guard pthread_equal(entry.thread, pthread_self()) != 0 else { throw .thread }
    return entry.image
  }

  /// Who has a UUID already, as a sentence, or nil.
  private func takenFault(_ uuid: UUID, name: String) -> String? {
    let own = state.withLock { $0.registrations.holder(of: uuid) }
    // What the plugin itself has under it is an older version, or held for this one.
    let others = factories.holder(of: uuid).flatMap { $0.plugin == owner.name ? nil : $0 }
    return (own ?? others).map { "\(UUIDClash(name: name, uuid: uuid, holder: $0).problem); \(UUIDClash.remedy)" }
  }
}

// MARK: Plugins in Swift

extension PluginRegistrations {
  /// Lets an assembly register. What it says through `refuse` and what is wrong with its registrations fails the entry.
  func receive(_ assembly: any Assembly) -> troupe_status {
    do {
      _ = try openImage()
    } catch {
      note(error.message)
      return error.status
    }
    let before = notes.count
    let registrar = SwiftRegistrar(self)
    assemblies.add(assembly, registrar: registrar)
    assemblies.register(in: registrar)
    return troupe_status(notes.count == before ? TROUPE_OK : TROUPE_FAILED)
  }

  /// The entry under a key: the plugin's own, or what others registered.
  func entry(for key: AnyKey) -> Entry? {
    state.withLock { $0.entries.last { $0.key == key }?.entry } ?? factories.container[key]
  }

  /// Registers an entry, or takes one of the plugin's own back.
  func set(_ entry: Entry?, for key: AnyKey, name: String?, metadata: [String: String]) {
    do {
      _ = try openImage()
    } catch {
      note("\(key) is not registered: \(error.message)")
      return
    }
    let registration = entry.map {
      Registration(
        plugin: owner.name, entry: $0, contract: factories.contract(of: key.metatype)?.name, name: name, metadata: metadata)
    }
    if let registration, let uuid = registration.uuid, let fault = takenFault(uuid, name: registration.name) {
      return note(fault)
    }
    state.withLock { state in
      state.entries.removeAll { $0.key == key }
      state.registrations.remove(key)
      guard let entry, let registration else { return }
      state.entries.append((key, entry))
      state.registrations.append(registration)
    }
  }

  /// Registers an assembly that another one needs.
  func add(_ assembly: any Assembly, registrar: SwiftRegistrar) {
    assemblies.add(assembly, registrar: registrar)
  }
}
