internal import CTroupe
internal import Glibc
internal import Troupe
internal import TroupeFiles
internal import TroupeManifest
internal import TroupeSandbox
internal import TroupeSignature

// The side of a probe that loads the plugin. `Prober` starts it, and `ChildRun` reads its reports.

/// Runs a probe in the calling process and ends the process. Called by `CSandbox` before main, and by the launchers.
@c(troupe_probe_main)
public func troupeProbeMain(_ descriptor: Int32) {
  ProbeChild(ChildSession(descriptor), programOptions: PluginHost.Options()).run()
}

/// Warms up a fork server; see `ProbeChild.rehearse`. Called by `CSandbox` before the first fork.
@c(troupe_probe_rehearse)
public func troupeProbeRehearse() { ProbeChild.rehearse() }

/// The process that loads a plugin for a probe, with a `PluginHost` of its own. The *requesting host* is the one that started the probe.
///
///     request ─► READY ─► STEP opening ─► STEP entering ─► … ─► REPORT ─► STEP closing ─► STEP exiting ─► DONE ─► exit
///                                                                └────── if not registered ─────────────► DONE ─► _exit
///
/// `probe.h` defines the messages. When the process ends unexpectedly, the last STEP tells where. The report also names what the plugin has
/// changed in the process: it compares two snapshots, `ProcessState`.
///
/// The plugin may do anything to this process: close the channel, fork, end the process, or exhaust descriptors and threads. The order of
/// the checks follows from that.
struct ProbeChild {
  private let session: ChildSession
  /// The options of a program that calls `PluginHost.runAsProbeIfRequested`, for their services and contracts.
  private let programOptions: PluginHost.Options

  init(_ session: ChildSession, programOptions: PluginHost.Options) {
    self.session = session
    self.programOptions = programOptions
  }

  func run() -> Never {
    guard let request = session.request(ProbeRequest.self), request.host == HostVersions.key else {
      ChildRole.fail("this is Troupe \(Release.version), and a host of another version asks for the probe")
    }
    session.begin(memory: request.memory, descriptors: request.descriptors)
    let processID = getpid()
    if let diagnosis = Sanitizer.diagnosis(path: request.path, library: request.library) {
      session.send(report: ProbeReport.rejected(diagnosis))
      session.end()
    }
    let result = load(request, processID)
    guard result.hasChannel else { session.endWithoutChannel() }
    session.send(report: result.report)
    if case .registered = result.report {
      close(request, result.host)
      // An exit handler of the leak sanitizer would report the leaks of the whole program.
      if !Sanitizer.isLoaded { session.exit(ProbeStep(.exiting, request.id)) }
    }
    session.end()
  }

  /// Shuts down the host of this process, which releases the plugin. It unmaps the image if the requesting host would do so.
  private func close(_ request: ProbeRequest, _ host: PluginHost) {
    session.send(step: ProbeStep(.closing, request.id))
    host.shutdown()
  }

  private struct LoadResult {
    let report: ProbeReport
    let host: PluginHost
    /// False if the plugin has closed or replaced the channel, so that no report can be sent.
    var hasChannel = true
  }

  /// Returns the options of the host that loads the plugin of a request and the plugins that it needs.
  private static func options(_ request: ProbeRequest, _ programOptions: PluginHost.Options) -> PluginHost.Options {
    var options = PluginHost.Options(
      files: request.needs + [request.path], contracts: [.checkingTransform] + programOptions.contracts,
      configuration: request.configuration, services: programOptions.services, log: Log(from: .error) { _ in })
    options.loading = .eager
    options.probing = .never
    options.unloadsImages = request.unloads
    options.process = .probe
    // The requesting host caches the result.
    options.cacheDirectory = nil
    // The requesting host has checked the size.
    options.maximumFileSize = .max
    options.pins = request.pins.map { Pins($0) }
    // The requesting host waits until no process writes to the file, and then has the plugin probed again.
    options.writerPatience = .zero
    return options
  }

  /// Runs the code of a probe once without a plugin, in a fork server. The children then inherit the symbols that the loader has bound, and
  /// the conformances and metadata that the Swift runtime has cached, instead of finding them for each probe.
  ///
  /// Starts no thread, and runs nothing asynchronous: a process with several threads must not fork.
  static func rehearse() {
    let library = OwnLibrary.path ?? ""
    let sample = ProbeRequest(
      host: HostVersions.key, path: library, library: library, id: "org.example.rehearsal", needs: [], configuration: [:],
      memory: nil, descriptors: 256, pins: nil, unloads: false)
    guard let request = try? RecordReader.value(ProbeRequest.self, RecordWriter.bytes(sample)) else { return }
    let host = PluginHost(options(request, PluginHost.Options()))
    _ = Sanitizer.diagnosis(path: "/proc/self/exe", library: "/proc/self/exe")
    let before = ProcessState(descriptors: [])
    // It is no plugin, and is refused.
    try? host.load()
    try? rehearseEntry(host, library)
    _ = before.changes(in: ProcessState(descriptors: []))
    let report = ProbeReport.registered(PluginSummary(host.registrations, refusals: []))
    _ = (RecordWriter.bytes(report), RecordWriter.bytes(ProbeStep(.closing, request.id)), LoadedImage.all)
    host.shutdown()
  }

  /// Registers a function of the open libTroupe.so, as the entry of a plugin in C does.
  private static func rehearseEntry(_ host: PluginHost, _ library: String) throws {
    guard let version = SemanticVersion("1.0.0"), let stamp = FileStamp.of(library) else { return }
    let manifest = Manifest(
      adoptingAs: "org.example.rehearsal", name: "Rehearsal", description: "", version: version,
      abi: Manifest.ABI(major: Int(TROUPE_ABI_MAJOR), minor: Int(TROUPE_ABI_MINOR)))
    let bindings = HostBindings(
      plugin: manifest, configuration: [:], services: [], log: host.options.log, owner: Owner(name: manifest.id),
      factories: host.factories, ended: { _ in })
    let image = try PluginImage(
      ImageSource((library, stamp)), bindings: bindings, holdsSwift: false, unloads: false, process: .probe)
    func text(_ string: StaticString) -> UnsafePointer<CChar> {
      UnsafeRawPointer(string.utf8Start).assumingMemoryBound(to: CChar.self)
    }
    var factory = CFactory()
    factory.struct_size = UInt32(MemoryLayout<CFactory>.size)
    factory.uuid = text("4b6ff86a-6c6a-4c39-9c62-6f7a3ff5f4a1")
    factory.name = text("rehearsal")
    factory.signature = text("double (double width, string text)")
    let function = image.symbol("troupe_probe_main")
    factory.function = function.map { unsafeBitCast($0, to: troupe_function.self) }
    let registrar = bindings.registrar
    var tag: UnsafePointer<CChar>? = text("numeric")
    withUnsafePointer(to: &tag) { tags in
      (factory.tags, factory.tag_count) = (tags, 1)
      _ = bindings.registrations.run(image) { registrar.pointee.register_factory(registrar, &factory) }
    }
    _ = bindings.registrations.publish(replacing: nil)
    var code = CodeAddresses()
    _ = function.map { code.contains($0) }
  }

  /// Loads the plugins that a plugin needs, then the plugin itself between two snapshots of the process.
  ///
  /// - Parameter processID: The PID of this process. A process that the plugin forks has another one.
  private func load(_ request: ProbeRequest, _ processID: pid_t) -> LoadResult {
    var options = Self.options(request, programOptions)
    options.stepObserver = { [session] in session.send(step: $0) }
    let host = PluginHost(options)
    try? host.load { request.needs.contains($0.path) }
    for need in host.plugins where need.path != request.path {
      if let diagnosis = need.state.diagnosis {
        return LoadResult(
          report: .failed("it needs \(need.manifest?.id ?? need.path), which \(diagnosis.problem)"), host: host)
      }
    }
    // The sentinel has a low number, as the files of a host have: a plugin that closes descriptors which are not its own closes it, too.
    // The spare one is closed for the second snapshot, which needs descriptors even if the plugin has opened all others.
    let sentinel = open("/dev/null", O_RDONLY | O_CLOEXEC)
    let spare = open("/dev/null", O_RDONLY | O_CLOEXEC)
    let before = ProcessState(descriptors: [session.descriptor, sentinel])
    let images = Set(LoadedImage.all)
    try? host.load { $0.path == request.path }
    // A process that the plugin forked returns here, too.
    guard getpid() == processID else { _exit(0) }
    let extra = fcntl(sentinel, F_DUPFD_CLOEXEC, 0)
    let isExhausted = extra < 0 && errno == EMFILE
    let added = LoadedImage.all.filter { !images.contains($0) }
    // The new descriptor may have the number of one that the plugin has closed, which the second snapshot has to find closed.
    if extra >= 0 { Glibc.close(extra) }
    Glibc.close(spare)
    let after = ProcessState(descriptors: [session.descriptor, sentinel])
    // The complete report replaces this one, if it comes: `changes(in:)` sends the signal of a fault to a handler of the plugin, which may
    // end the process.
    let handlers = before.handlerChanges(in: after)
    if !handlers.isEmpty { session.send(provisional: ProbeReport.changedProcessState(handlers)) }
    let all = before.changes(in: after)
    var changes = all.filter { !$0.isHarmless }.map(\.description)
    if isExhausted { changes.append(ProcessState.exhausting) }
    if (try? DetachedThread.start {}) == nil { changes.append(ProcessState.exhaustingThreads) }
    if ProcessState.hasChildren { changes.append("leaves a process behind") }
    return LoadResult(
      report: changes.isEmpty ? verdict(request, host, added, all.map(\.description)) : .changedProcessState(changes),
      host: host,
      hasChannel: before.hasSame(session.descriptor, as: after))
  }

  /// Returns the report about a plugin that has done no harm to the process.
  ///
  /// - Parameters:
  ///   - images: The images that were opened with the plugin, its own included.
  ///   - warnings: The harmless changes of the process.
  private func verdict(
    _ request: ProbeRequest, _ host: PluginHost, _ images: [LoadedImage], _ warnings: [String]
  ) -> ProbeReport {
    guard let plugin = host.plugins.first(where: { $0.path == request.path }) else {
      return .failed("the file does not exist any more")
    }
    if let diagnosis = plugin.state.diagnosis { return .rejected(diagnosis) }
    guard plugin.manifest?.id == request.id else { return .failed("the file contains another plugin now") }
    let registrations = host.registrations.filter { $0.plugin == request.id }
    var code = CodeAddresses()
    for registration in registrations {
      let isCode = host.addresses(of: registration).map { UnsafeRawPointer(bitPattern: $0).map { code.contains($0) } ?? false }
      guard let index = isCode.firstIndex(of: false) else { continue }
      let what = index == 0 ? "function" : "destroy function"
      return .unusable(
        Diagnosis(
          .refused, request.path,
          problem: "registers \(registration.subject), whose \(what) is at an address without code",
          remedy: "pass the address of a function"))
    }
    if let image = images.first(where: \.needsExecutableStack) {
      return .rejected(
        Diagnosis(
          .writableCode, request.path, problem: "needs \(image.path), which makes the stack executable",
          remedy: "rebuild that library with -Wl,-z,noexecstack"))
    }
    var summary = PluginSummary(registrations, refusals: plugin.refusals)
    summary.warnings = plugin.warnings + warnings
    // The libraries that the plugin has opened. A path in /proc/self/fd is that of a copy of the plugin.
    let opened = images.map(\.path).filter { $0.hasPrefix("/") && !$0.hasPrefix("/proc/") && $0 != request.library }
    // The program may have opened others that the plugin needs.
    let needed = LinkCheck(of: request.library, directory: Path.directory(of: request.library)).files
    summary.libraries = opened.compactMap { FileState(path: $0) } + needed.filter { !opened.contains($0.path) }
    return .registered(summary)
  }
}

extension Contract {
  /// `troupe.transform/1` with a stricter check of the tables, which reads `/proc/self/maps`.
  fileprivate static var checkingTransform: Contract {
    let usual = Contract.transform
    return Contract(
      usual.name, (any Transform).self, tableStruct: .transform,
      checkTable: { usual.checkTable($0) ?? codeProblem(inTable: $0) },
      export: { usual.export($0) },
      wrap: { foreign in
        guard let transform = try usual.adapter.wrap(foreign) as? any Transform else {
          throw TransformError("the instance is no transform")
        }
        return transform
      })
  }

  private static func codeProblem(inTable table: UnsafeRawPointer) -> String? {
    guard let table = CTransform(copying: table) else { return nil }
    let functions = [
      ("feed", unsafeBitCast(table.feed, to: UnsafeRawPointer?.self)),
      ("finish", unsafeBitCast(table.finish, to: UnsafeRawPointer?.self)),
      ("message", unsafeBitCast(table.message, to: UnsafeRawPointer?.self)),
    ]
    var code = CodeAddresses()
    for case (let name, let address?) in functions where !code.contains(address) {
      return "vtable has an address without code for \(name)"
    }
    return nil
  }
}

extension PluginHost {
  /// Runs the probe and ends the process, if this process was started as a probe; returns otherwise.
  ///
  /// A program needs this function if its plugins fail without the services of the program, or if a probe has to check them against
  /// the contracts of the program. It then sets `Options.answersProbes` and calls this function first:
  ///
  /// ```swift
  /// var options = PluginHost.Options(directories: ["plugins"], contracts: [clock])
  /// options.answersProbes = true
  /// PluginHost.runAsProbeIfRequested(options)
  /// let host = PluginHost(options)
  /// ```
  ///
  /// - Parameter options: The options of the host; the probe uses their services and contracts.
  public static func runAsProbeIfRequested(_ options: Options) {
    guard let channel = ProbeAnswer.channel else { return }
    unsetenv(ChildRole.variable)
    ProbeChild(ChildSession(channel), programOptions: options).run()
  }

  /// The former name of `runAsProbeIfRequested(_:)`.
  public static func answerProbes(_ options: Options) { runAsProbeIfRequested(options) }
}
