internal import CSandbox
internal import CTroupe
internal import Glibc
internal import Synchronization
internal import Troupe
internal import TroupeFiles
internal import TroupeSandbox

struct LoadedPlugin {
  /// The replaced registrations of the older version, to restore if the activation fails.
  var former: [Entry] = []
  let bindings: HostBindings
  /// The open image, or the worker. Held because a plugin without registrations may have threads or handlers.
  let code: any AnyObject & Sendable
}

extension LoadedPlugin {
  var registrations: PluginRegistrations { bindings.registrations }

  /// The plugin after a successful activation, which no longer holds the older version.
  var withoutFormer: LoadedPlugin { LoadedPlugin(bindings: bindings, code: code) }
}

/// Opens a plugin's image, runs its registration and publishes the registrations, all on one thread.
final class PluginLoader {
  let file: PluginFile
  let manifest: Manifest
  let host: PluginHost
  let bindings: HostBindings
  private var image: Result<PluginImage, any Error>?

  /// Prepares the plugin's bindings. Returns nil for a file without a manifest.
  init?(_ file: PluginFile, _ host: PluginHost) {
    guard let manifest = file.manifest else { return nil }
    (self.file, self.manifest, self.host) = (file, manifest, host)
    bindings = HostBindings(
      plugin: manifest, configuration: host.options.configuration[manifest.id] ?? [:], services: host.options.services,
      log: host.options.log, owner: host.table[file].owner, factories: host.factories,
      ended: { [table = host.table] in table.apply(.releaseImage(isMapped: $0), to: file) })
  }

  /// Opens the image, which runs its constructors. `register` throws the fault of this step.
  func open() {
    guard host.options.isolation(of: manifest.id) == .inProcess else { return }
    image = Result { try openImage() }
  }

  /// Runs the plugin's registration and publishes the result.
  ///
  /// - Parameter old: The owner of the registrations to replace.
  /// - Throws: A `Diagnosis`. The plugin then has no registrations.
  func register(replacing old: Owner?) throws -> LoadedPlugin {
    if image == nil { open() }
    // The registrations hold the image from here on.
    guard let image = try image.take()?.get() else { preconditionFailure("opening a library gives an image or a fault") }
    if let adopted = file.outcome.adopted {
      try adopt(adopted, image)
    } else {
      try runEntry(image)
    }
    logRefusals()
    return try publish(image, replacing: old)
  }

  /// Publishes the registrations, and returns the plugin.
  ///
  /// - Parameter code: The open image, or the worker.
  func publish(_ code: any AnyObject & Sendable, replacing old: Owner?) throws -> LoadedPlugin {
    bindings.completeLog()
    let former = old.map { $0 === host.table[file].owner ? [] : host.factories.container.entries(owner: $0) } ?? []
    let copied = bindings.registrations.copiedTypes(host.table[file].pending?.programKeys ?? [])
    if let diagnosis = bindings.registrations.publish(replacing: old) {
      bindings.keepImage()
      throw file.refusal(diagnosis)
    }
    for entry in copied {
      let name = (entry.registrantInfo as? RegistrationDescription)?.name ?? entry.key.type
      host.options.log.write(
        .warning, manifest.id,
        "\(RegistrationDescription.subject(name)): \(entry.key.type) is another type than the program's of that name; "
          + "link the program and the plugin with one shared library that has the type")
    }
    return LoadedPlugin(former: former, bindings: bindings, code: code)
  }

  /// The number of refused registrations of a plugin that are logged one by one.
  private static let loggedRefusals = 64

  /// Logs the refused registrations: those of an adopted library in one line, since `Plugin.refusals` has the reasons.
  private func logRefusals() {
    let (registrations, context) = (bindings.registrations, bindings.registrations.context)
    guard let adopted = file.outcome.adopted else {
      for refusal in registrations.refusals.prefix(Self.loggedRefusals) { context.log(.error, "\(refusal)") }
      let rest = registrations.refusalCount - Self.loggedRefusals
      if rest > 0 { context.log(.error, "\(rest) more registrations are refused") }
      return
    }
    let count = adopted.functions.count + adopted.refusals.count
    let refused = registrations.refusalCount
    guard refused > 0 else { return }
    context.log(
      .warning, "\(refused) of \(count) registrations are refused; troupe inspect \(manifest.id) shows the reasons")
  }

  /// Runs a step of loading, which the crash journal records meanwhile.
  private func run<Result, Failure>(
    _ step: LoadingStep, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    guard let journal = host.crashJournal else { return try keepingFloats(body) }
    return try journal.during(step, file.files) { () throws(Failure) in try keepingFloats(body) }
  }

  /// Runs code of the plugin, and then restores how this thread calculates floating-point numbers. Constructors that GCC before 13 links
  /// for -ffast-math would let the program flush subnormal numbers to zero.
  private func keepingFloats<Result, Failure>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    var environment = fenv_t()
    fegetenv(&environment)
    let state = troupe_probe_float_state()
    defer {
      if troupe_probe_float_state() != state {
        fesetenv(&environment)
        // Its probe may have shown that.
        if !host.table[file].allWarnings.contains(ProcessState.calculating) {
          host.table.update { $0.update(file) { $0.warnings.append(ProcessState.calculating) } }
          host.options.log.write(.warning, manifest.id, "\(ProcessState.calculating), when it is loaded; the host restores it")
        }
      }
    }
    return try body()
  }

  /// Prefix of the problem in a diagnosis of the image.
  private var subject: String { file.isAdoption ? Self.adoptedSubject : "" }

  static let adoptedSubject = "adopts a library that "

  private func openImage() throws -> PluginImage {
    let options = host.options
    let (library, holdsSwift) = try library()
    options.stepObserver?(ProbeStep(.opening, manifest.id))
    do {
      let source = try host.copies.withLock { $0[file.path] } ?? copy(of: library) ?? ImageSource(library)
      let image = try run(.opening) { () throws(Diagnosis) in
        try PluginImage(
          source, bindings: bindings, holdsSwift: holdsSwift, unloads: options.unloadsImages && !holdsSwift,
          process: options.process)
      }
      for warning in image.warnings {
        // Its probe may have shown it.
        if !host.table[file].allWarnings.contains(warning) {
          host.table.update { $0.update(file) { $0.warnings.append(warning) } }
        }
        host.warnOnce(warning, of: manifest.id)
      }
      if let obstacle = image.obstacle {
        options.log.write(.debug, manifest.id, "stays in memory once it is retired: it \(obstacle)")
      }
      return image
    } catch let diagnosis as Diagnosis {
      throw diagnosis.about(file.path, subject)
    }
  }

  /// Returns a copy of a library if the options ask for one, or if its file was overwritten while its old image is mapped, which the loader
  /// would take for the file. Else returns nil.
  private func copy(of library: (path: String, stamp: FileStamp)) throws -> ImageSource? {
    let options = host.options
    guard options.opensCopies || options.pins != nil || OpenedPaths.isOverwritten(library.stamp) else { return nil }
    return try ImageSource(copyOf: library, id: manifest.id, pins: options.pins, isAdopted: file.isAdoption)
  }

  /// Copies the library, for a process that cannot make copies later.
  func prepareCopy() throws {
    guard let copy = try copy(of: library().file) else { return }
    host.copies.withLock { $0[file.path] = copy }
  }

  /// Returns the library to open, if it is unchanged since the examination and no process writes it, and whether it contains Swift.
  func library() throws -> (file: (path: String, stamp: FileStamp), holdsSwift: Bool) {
    let patience = host.options.writerPatience
    if file.isAdoption, RegularFile.isBeingWritten(file.path, patience: patience) { throw writtenDiagnosis(file.path) }
    guard let library = file.outcome.library, let examined = try? RegularFile(path: library.path) else {
      throw file.changedDiagnosis
    }
    // Writers are detected last, since the check holds only until the file is closed. Their fault has precedence: a file that is being
    // written can have any content.
    let isSwift = Result { try file.outcome.holdsSwift ?? holdsSwift(examined.bytes) }
    let isUnchanged = (try? examined.bytes.descriptor.status()).map { FileStamp($0) } == library.stamp
    guard !examined.isBeingWritten(patience: patience) else { throw writtenDiagnosis(library.path) }
    guard isUnchanged else { throw file.changedDiagnosis }
    return (library, try isSwift.get())
  }

  private func writtenDiagnosis(_ path: String) -> Diagnosis {
    let problem = RegularFile.writtenProblem(path)
    return file.diagnosis(
      .changed, file.isAdoption && path != file.path ? "adopts \(path), which \(problem)" : problem,
      "refresh the host once the file is closed")
  }

  /// Whether an image contains Swift, regardless of its manifest. Throws if the libraries that it links forbid opening it.
  private func holdsSwift(_ library: FileBytes) throws -> Bool {
    do {
      return try Admission().checkLinking(file.path, ELFFile(library), manifest: nil)
    } catch let error as ReadError {
      throw file.diagnosis(.notALibrary, subject + error.description, "rebuild it, or remove it")
    } catch let diagnosis as Diagnosis {
      throw diagnosis.about(file.path, subject)
    }
  }

  private func runEntry(_ image: PluginImage) throws {
    host.options.stepObserver?(ProbeStep(.entering, manifest.id))
    guard let entry = image.entry else {
      throw file.diagnosis(.noEntry, "has no function troupe_plugin_main", "define it and mark it TROUPE_EXPORT")
    }
    ThreadLocalCString.failure.set(nil)
    let status = run(.entering) { bindings.registrations.run(image) { entry(bindings.registrar) } }
    let message = ThreadLocalCString.failure.take()
    guard status != TROUPE_OK else { return }
    bindings.registrations.discard()
    // A plugin that failed half-way may have left threads or handlers.
    bindings.keepImage()
    throw entryDiagnosis(status, message)
  }

  /// Returns the fault of an entry that failed.
  ///
  /// - Parameter message: The text of `troupe_host.fail`; nil if the entry did not call it.
  private func entryDiagnosis(_ status: troupe_status, _ message: String?) -> Diagnosis {
    let refusals = bindings.registrations.refusals
    let isSwift = manifest.language == "swift" && !refusals.isEmpty
    let problem =
      isSwift
      ? "has \(refusals.count == 1 ? "a refused registration" : "\(refusals.count) refused registrations")"
      : "was refused by its own entry, which returned \(statusName(status))"
    if let message { return file.diagnosis(.refused, "\(problem): \(message)", "fix it, or remove it") }
    guard let last = refusals.last else {
      return file.diagnosis(.refused, "\(problem) and gave no reason", "report the reason with troupe_host.fail")
    }
    let reasons = refusals.dropLast().map(\.description) + [last.statement]
    // A text that a plugin in Swift passes to `fail` contains the remedy.
    let remedy = last.remedy.isEmpty && !isSwift ? "fix it, or remove it" : last.remedy
    return file.diagnosis(.refused, "\(problem): \(reasons.joined(separator: "; "))", remedy)
  }

  private func adopt(_ functions: AdoptedFunctions, _ image: PluginImage) throws {
    let library = AdoptedLibrary(image: image, bindings: bindings)
    do throws(Diagnosis) {
      if functions.start == nil {
        try library.register(functions)
      } else {
        try run(.entering) { () throws(Diagnosis) in try library.register(functions) }
      }
    } catch {
      bindings.registrations.discard()
      throw error.about(file.path)
    }
  }

  private func statusName(_ status: troupe_status) -> String {
    let names = [
      "TROUPE_OK", "TROUPE_FAILED", "TROUPE_INVALID_ARGUMENT", "TROUPE_INVALID_SIGNATURE", "TROUPE_DUPLICATE",
      "TROUPE_INVALID_CONTRACT", "TROUPE_TOO_LATE", "TROUPE_WRONG_THREAD", "TROUPE_NOT_FOUND", "TROUPE_AMBIGUOUS",
      "TROUPE_OUT_OF_MEMORY",
    ]
    return names.indices.contains(Int(status)) ? names[Int(status)] : "the status \(status)"
  }
}
