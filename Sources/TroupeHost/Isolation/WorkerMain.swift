internal import CSandbox
internal import CLinux
internal import Glibc
internal import Troupe
internal import TroupeCall
internal import TroupeFiles
internal import TroupeSandbox

/// Runs a worker in the calling process and ends the process. Called by `CSandbox` before main, and by the launchers.
@c(troupe_worker_main)
public func troupeWorkerMain(_ descriptor: Int32) { WorkerMain(descriptor).run() }

/// The process that holds isolated plugins: restricts itself, loads the plugins, and answers calls, on one thread for each slot.
struct WorkerMain {
  private let memory: ChannelMemory
  private let pendingLog = PendingLogFlag()

  enum Exit {
    static let misunderstood: Int32 = 70
    static let unavailable: Int32 = 71
  }

  /// Maps the memory of the channel, whose shape is the last part of the role.
  init(_ descriptor: Int32) {
    let role = Environment.value(ChildRole.variable)?.split(separator: ":")
    guard let start = role?.last.flatMap({ WorkerStart(String($0)) }),
      let memory = try? ChannelMemory(of: descriptor, start.shape)
    else {
      ChildRole.fail(
        "the environment requests a worker, and no host shares memory on descriptor \(descriptor); unset \(ChildRole.variable)")
    }
    linux_set_parent_death_signal(start.parent)
    close(descriptor)
    unsetenv(ChildRole.variable)
    // Lines appear when they end, since the process may end at any time.
    linux_buffer_output_lines()
    self.memory = memory
  }

  func run() -> Never {
    let end = WorkerEndpoint(memory, slot: 0, pendingLog: pendingLog)
    do {
      let request = try receive(WorkerRequest.self, kind: .restrict, end)
      guard request.host == HostVersions.key else {
        refuse(
          "this is Troupe \(Release.version), and a host of another version starts the worker", "install one version of Troupe",
          end)
      }
      let host = host(request)
      troupe_redirect_dispatch()
      let used = request.apply()
      let missing = WorkerPolicy.Layer.layers(request.required & ~used).map(\.rawValue).sorted()
      guard missing.isEmpty else {
        refuse(
          "this system lacks \(missing.joined(separator: ", ")), which the policy requires", "change the policy, or the system",
          end)
      }
      troupe_crash_write_to(memory.start)
      troupe_crash_prepare_thread()
      try end.send(kind: .done, RecordWriter.bytes(used))
      guard try end.receive().kind == MessageKind.load.rawValue else { _exit(Exit.misunderstood) }
      try? host.load()
      let isActivated = try host.activateBlocking()
      let (report, service) = report(request, host)
      for slot in 1..<memory.shape.slots { try serve(service, slot: slot) }
      try end.send(kind: .done, RecordWriter.bytes(report))
      let registrations = report.plugins.flatMap { $0.summary?.registrations ?? [] }
      // Jobs of the main actor can run only on this thread. A factory that waits may need them, and so may a task that an activation started.
      guard isActivated || registrations.contains(where: { $0.context != .any }) else { service.serve(end) }
      // Unsafe for the compiler only: this thread does not use the end any more.
      nonisolated(unsafe) let first = end
      try DetachedThread.start {
        troupe_crash_prepare_thread()
        service.serve(first)
      }
      MainQueue.serve(until: nil)
      while true { pause() }
    } catch {
      _exit(Exit.unavailable)
    }
  }

  private func receive<Value: Recordable>(_ type: Value.Type, kind: MessageKind, _ end: WorkerEndpoint) throws -> Value {
    let message = try end.receive()
    guard message.kind == kind.rawValue else { throw ReadError("another message is expected") }
    return try RecordReader.value(type, message.bytes)
  }

  private func refuse(_ problem: String, _ remedy: String, _ end: WorkerEndpoint) -> Never {
    let diagnosis = Diagnosis(.notPermitted, problem: problem, remedy: remedy)
    try? end.send(kind: .failed, RecordWriter.bytes(RemoteError.diagnosis(diagnosis)))
    // The host ends the process.
    while true { pause() }
  }

  private func serve(_ service: WorkerService, slot: Int) throws {
    try DetachedThread.start { [memory, pendingLog] in
      troupe_crash_prepare_thread()
      service.serve(WorkerEndpoint(memory, slot: slot, pendingLog: pendingLog))
    }
  }

  /// Returns a host that has found the plugins, and has copied their libraries if that is asked for: the policy allows no copies.
  private func host(_ request: WorkerRequest) -> PluginHost {
    let log = Log(from: LogLevel(rawValue: request.logLevel) ?? .error) { [pendingLog] message in
      guard message.diagnosis == nil else { return }
      let line = WorkerLogLine(level: message.level.rawValue, plugin: message.plugin, text: message.text).line
      _ = Array(line.utf8).withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
      pendingLog.set()
    }
    var options = PluginHost.Options(files: request.paths, configuration: request.configuration, log: log)
    // The host logs the states of its plugins itself.
    options.stateLog = Log(from: .error) { _ in }
    options.loading = .eager
    options.probing = .never
    options.cacheDirectory = nil
    options.quarantineDirectory = nil
    options.maximumFileSize = .max
    options.maximumBufferSize = Int(clamping: request.maximumBufferSize)
    options.pins = request.pins.map { Pins($0) }
    options.opensCopies = request.opensCopies
    options.process = .worker
    let host = PluginHost(options)
    for file in host.discovered().files {
      // A fault of the copy is one of the load.
      try? PluginLoader(file, host)?.prepareCopy()
    }
    return host
  }

  private func report(_ request: WorkerRequest, _ host: PluginHost) -> (WorkerReport, WorkerService) {
    var registrations: [RegistrationDescription] = []
    let plugins = request.ids.map { id -> WorkerReport.Plugin in
      guard let plugin = host.plugins.first(where: { $0.manifest?.id == id }) else {
        let diagnosis = Diagnosis(.changed, problem: "contains another plugin now", remedy: "refresh the host")
        return WorkerReport.Plugin(id: id, diagnosis: diagnosis)
      }
      if let diagnosis = plugin.state.diagnosis { return WorkerReport.Plugin(id: id, diagnosis: diagnosis) }
      let own = host.registrations.filter { $0.plugin == id && $0.types != .opaque }
      registrations += own
      return WorkerReport.Plugin(
        id: id, summary: PluginSummary(own, refusals: plugin.refusals))
    }
    return (WorkerReport(plugins: plugins, maps: Self.maps), WorkerService(host, registrations, memory))
  }

  /// The content of `/proc/self/maps`, at most a megabyte.
  private static var maps: [UInt8] {
    guard let file = try? FileDescriptor(opening: "/proc/self/maps", O_RDONLY) else { return [] }
    var bytes: [UInt8] = []
    while bytes.count < 1 << 20, let piece = try? file.readPiece(), !piece.isEmpty { bytes += piece }
    return bytes
  }
}

extension WorkerRequest {
  /// Applies the policy to this process, which has one thread, and closes the descriptors of the grants. Returns the layers in force.
  fileprivate func apply() -> UInt32 {
    let own = Self.ownFiles
    defer { for descriptor in readable + writable + own { close(descriptor) } }
    return (readable + own).withUnsafeBufferPointer { readable in
      writable.withUnsafeBufferPointer { writable in
        calls.withUnsafeBufferPointer { calls in
          var policy = troupe_policy(
            readable: readable.baseAddress, readable_count: readable.count, writable: writable.baseAddress,
            writable_count: writable.count, memory: memory, processor_time: processorTime, descriptors: descriptors,
            threads: threads, file_size: fileSize,
            calls: calls.baseAddress, call_count: calls.count, layers: layers)
          return troupe_policy_apply(&policy)
        }
      }
    }
  }

  /// What only this process can open: its directory in /proc, and its libraries. The library of the host may have secrets beside it, so
  /// its directory is not among them.
  private static var ownFiles: [Int32] {
    let paths = ["/proc/self"] + LoadedImage.all.map(\.path).filter { $0.hasPrefix("/") }
    return paths.compactMap { path in (try? FileDescriptor(opening: path, linux_o_path))?.release() }
  }
}
