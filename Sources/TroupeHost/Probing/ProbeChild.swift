internal import CProbe
internal import Glibc
internal import Troupe

/// Runs a probe in the calling process, which is there for nothing else, and ends it. `CProbe` calls it before main, and the command's
/// launcher.
@c(troupe_probe_main)
public func troupeProbeMain(_ descriptor: Int32) {
  ProbeChild(ProbeChannel(moving: descriptor)).run()
}

/// A process that loads one plugin to find out what happens.
struct ProbeChild {
  private let channel: ProbeChannel

  init(_ channel: ProbeChannel) { self.channel = channel }

  /// How the process ends if it is not the plugin that ends it.
  private enum Exit {
    static let done: Int32 = 0
    static let misunderstood: Int32 = 70
    static let mute = ProbeResult.mute
  }

  /// Does what the host asks for.
  func run() -> Never {
    guard let bytes = channel.readAll(), let request = try? RecordReader.value(ProbeRequest.self, bytes) else {
      _exit(Exit.misunderstood)
    }
    prepare(request)
    channel.send(TROUPE_PROBE_READY)
    let process = getpid()
    let report = load(request, process)
    channel.send(TROUPE_PROBE_REPORT, RecordWriter.bytes(report.report))
    if fcntl(channel.descriptor, F_GETFD) < 0 { _exit(Exit.mute) }
    if case .registered = report.report {
      channel.send(TROUPE_PROBE_STEP, RecordWriter.bytes(ProbeStep(.closing, request.id)))
      report.host.shutdown()
    }
    troupe_probe_ignore_signals()
    channel.send(TROUPE_PROBE_DONE)
    _exit(Exit.done)
  }

  /// Sets the process up so that whatever happens in it stays in it.
  private func prepare(_ request: ProbeRequest) {
    _ = troupe_probe_end_with_parent()
    _ = troupe_probe_adopt_descendants()
    limit(RLIMIT_CORE, 0)
    if let memory = request.memory { limit(RLIMIT_AS, memory) }
    limit(RLIMIT_NOFILE, request.descriptors)
    troupe_probe_report_signals(channel.descriptor)
  }

  private func limit(_ resource: __rlimit_resource, _ value: UInt64) {
    var limits = rlimit()
    guard getrlimit(Int32(resource.rawValue), &limits) == 0 else { return }
    limits.rlim_cur = min(rlim_t(value), limits.rlim_max)
    limits.rlim_max = limits.rlim_cur
    setrlimit(Int32(resource.rawValue), &limits)
  }

  private func load(_ request: ProbeRequest, _ process: pid_t) -> (report: ProbeReport, host: PluginHost) {
    var options = PluginHost.Options(
      files: request.needs + [request.path], configuration: request.configuration, log: Log { _ in })
    options.loading = .eager
    options.probing = .never
    options.pins = request.pins.map { Pins($0) }
    options.stepObserver = { [channel] in channel.send(TROUPE_PROBE_STEP, RecordWriter.bytes($0)) }
    let host = PluginHost(options)
    host.load { request.needs.contains($0.path) }
    for need in host.plugins where need.path != request.path {
      if let fault = need.state.fault {
        return (.failed("it needs \(need.manifest?.id ?? need.path), which \(fault.problem)"), host)
      }
    }
    // A descriptor of low number, as the files of a host have.
    let sentinel = open("/dev/null", O_RDONLY | O_CLOEXEC)
    let before = ProcessState(descriptors: [channel.descriptor, sentinel])
    host.load { $0.path == request.path }
    // What a plugin forks comes back here, too.
    guard getpid() == process else { _exit(Exit.done) }
    let after = ProcessState(descriptors: [channel.descriptor, sentinel])
    var changes = before.changes(in: after)
    if ProcessState.hasChildren { changes.append("leaves a process behind") }
    if !changes.isEmpty { return (.meddled(changes), host) }
    guard let plugin = host.plugins.first(where: { $0.path == request.path }) else { return (.failed("it is gone"), host) }
    if let fault = plugin.state.fault { return (.rejected(fault), host) }
    guard plugin.manifest?.id == request.id else { return (.failed("it is another plugin meanwhile"), host) }
    return (.registered(PluginSummary(host.registrations.filter { $0.plugin == request.id })), host)
  }
}
