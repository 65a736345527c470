internal import CTroupe
internal import Troupe

/// What came of opening a plugin.
struct LoadedPlugin {
  let registrations: PluginRegistrations
  /// Held here because a plugin that registers nothing may have threads or handlers of its own.
  let image: PluginImage
}

/// Makes a plugin's code part of the process: opens its image, has it register, and lets others see what it registered. One thread
/// does all of that.
final class PluginOpening {
  private let record: PluginRecord
  private let manifest: Manifest
  private let host: PluginHost
  private let interface: PluginInterface
  private var image: Result<PluginImage, any Error>?

  /// Prepares what the plugin is given.
  init(_ record: PluginRecord, _ manifest: Manifest, _ host: PluginHost) {
    (self.record, self.manifest, self.host) = (record, manifest, host)
    interface = PluginInterface(
      plugin: manifest, configuration: host.options.configuration[manifest.id] ?? [:], services: host.options.services,
      log: host.options.log, owner: record.owner, factories: host.factories,
      ended: { [record] in record.imageEnded(isMapped: $0) })
  }

  /// Opens the image, which runs its constructors. What is wrong with it is told by `register`.
  func open() {
    image = Result { try openImage() }
  }

  /// Has the plugin register.
  ///
  /// - Parameter old: On whose behalf what it takes the place of was registered.
  /// - Throws: A `PluginFault`, after which nothing of it is registered.
  func register(replacing old: Owner?) throws -> LoadedPlugin {
    if image == nil { open() }
    // What it registers holds the image from here on.
    guard let image = try image.take()?.get() else { preconditionFailure("opening a library gives an image or a fault") }
    if let adopted = record.outcome.adopted {
      try adopt(adopted, image)
    } else {
      try runEntry(image)
    }
    logRefusals()
    interface.completeLog()
    if let clash = interface.registrations.publish(replacing: old) {
      interface.keepImage()
      throw record.takenFault(clash)
    }
    return LoadedPlugin(registrations: interface.registrations, image: image)
  }

  /// The number of refused registrations of a plugin that are logged one by one.
  private static let loggedRefusals = 64

  /// Logs the refused registrations: those of an adopted library in one line, since `Plugin.refusals` has the reasons.
  private func logRefusals() {
    let (refusals, context) = (interface.registrations.notes, interface.registrations.context)
    guard let adopted = record.outcome.adopted else {
      for refusal in refusals.prefix(Self.loggedRefusals) { context.log(.error, refusal) }
      let rest = refusals.count - Self.loggedRefusals
      if rest > 0 { context.log(.error, "\(rest) more registrations are refused") }
      return
    }
    let count = adopted.functions.count + adopted.refusals.count
    guard !refusals.isEmpty else { return }
    context.log(
      .warning, "\(refusals.count) of \(count) registrations are refused; troupe inspect \(manifest.id) shows the reasons")
  }

  private func mark<Result, Failure>(
    _ step: LoadingStep, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    guard let markers = host.markers else { return try body() }
    return try markers.during(step, record.files, body)
  }

  /// What a fault of the image begins with, behind the plugin's file.
  private var subject: String { record.isAdoption ? "adopts a library that " : "" }

  private func openImage() throws -> PluginImage {
    let options = host.options
    let (library, stays) = try library()
    options.stepObserver?(ProbeStep(.opening, manifest.id))
    do {
      let source =
        options.opensCopies || options.pins != nil
        ? try ImageSource(copyOf: library, id: manifest.id, pins: options.pins, isAdopted: record.isAdoption)
        : ImageSource(library)
      return try mark(.opening) { () throws(PluginImage.Failure) in
        try PluginImage(source, interface: interface, stays: stays)
      }
    } catch let failure as ImageSource.Failure {
      throw record.fault(failure.code, subject + failure.problem, failure.remedy)
    } catch let failure as PluginImage.Failure {
      throw record.fault(.notLoadable, subject + failure.problem, failure.remedy)
    }
  }

  /// The library to open, if it is what was examined and nobody is writing it, and whether its image stays mapped.
  private func library() throws -> (file: (path: String, identity: PluginFile.Identity), stays: Bool) {
    let patience = host.options.writerPatience
    if record.isAdoption, PluginFile.isBeingWritten(record.path, patience: patience) { throw writtenFault(record.path) }
    guard let library = record.outcome.library, let file = ExaminedLibrary(library) else { throw record.changedFault }
    // Whether somebody is writing it comes last, since what that takes is given back as soon as the file is closed. The faults
    // come the other way round: a file that is being written may be anything.
    let stays = Result { try host.options.keepsImages || record.outcome.holdsSwift ?? holdsSwift(file) }
    let isUnchanged = file.isUnchanged
    guard !file.isBeingWritten(patience: patience) else { throw writtenFault(library.path) }
    guard isUnchanged else { throw record.changedFault }
    return (library, try stays.get())
  }

  private func writtenFault(_ file: String) -> PluginFault {
    let problem = PluginFile.writtenProblem(file)
    return record.fault(
      .changed, record.isAdoption && file != record.path ? "adopts \(file), which \(problem)" : problem,
      "refresh the host once the file is closed")
  }

  /// Whether an image holds Swift, whatever its manifest says. One that may not be opened for what it links is refused.
  private func holdsSwift(_ file: ExaminedLibrary) throws -> Bool {
    do {
      return try Admission().checkLinking(record.path, ELFFile(file.bytes), nil)
    } catch let error as ELFError {
      throw record.fault(.notALibrary, subject + error.description, "rebuild it, or remove it")
    } catch let fault as PluginFault {
      throw record.fault(fault.code, subject + fault.problem, fault.remedy)
    }
  }

  /// Lets a plugin register through its entry.
  private func runEntry(_ image: PluginImage) throws {
    host.options.stepObserver?(ProbeStep(.entering, manifest.id))
    guard let entry = image.entry else {
      throw record.fault(.noEntry, "has no function troupe_plugin_main", "define it and mark it TROUPE_EXPORT")
    }
    ThreadText.failure.set(nil)
    let status = mark(.entering) { interface.registrations.run(image) { entry(interface.registrar.pointer) } }
    let message = ThreadText.failure.take()
    guard status != TROUPE_OK else { return }
    interface.registrations.discard()
    // A plugin that gave up half way may have left threads or handlers behind.
    interface.keepImage()
    let notes = interface.registrations.notes
    let reason = message ?? (notes.isEmpty ? nil : notes.joined(separator: "; "))
    throw record.fault(
      .refused, "was refused by its own entry, which returned \(statusName(status))" + (reason.map { ": " + $0 } ?? ""),
      "fix it, or remove it")
  }

  /// Registers the functions of a library that has no entry.
  private func adopt(_ functions: AdoptedFunctions, _ image: PluginImage) throws {
    do {
      try AdoptedLibrary(image: image, interface: interface).register(functions)
    } catch {
      interface.registrations.discard()
      throw record.fault(error.code, error.problem, error.remedy)
    }
  }

  /// A status by its name in the header.
  private func statusName(_ status: troupe_status) -> String {
    let names = [
      "TROUPE_OK", "TROUPE_FAILED", "TROUPE_INVALID_ARGUMENT", "TROUPE_INVALID_SIGNATURE", "TROUPE_DUPLICATE",
      "TROUPE_INVALID_CONTRACT", "TROUPE_TOO_LATE", "TROUPE_WRONG_THREAD", "TROUPE_NOT_FOUND", "TROUPE_AMBIGUOUS",
      "TROUPE_OUT_OF_MEMORY",
    ]
    return names.indices.contains(Int(status)) ? names[Int(status)] : "the status \(status)"
  }
}
