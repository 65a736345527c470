internal import TroupeHost

/// `troupe workers`: the workers of isolated plugins.
enum WorkersCommand: Command {
  static let spec = CommandSpec(
    "workers", "Start plugins in workers and show each worker.",
    examples: ["troupe workers", "troupe workers --isolate org.example.geometry", "troupe workers --json"],
    options: HostArguments.loading.filter { $0.name != Option.deadline.name } + [.json],
    details: [
      "Runs all plugins in workers unless --isolate selects some, and makes 1,000 empty calls of each worker.",
      "The table shows the process, the calls, the times that half and 99 of 100 calls do not exceed, the memory, and the layers of the policy that this system enforces.",
      "Exit status: 69 if no plugin runs in a worker since the plugins are rejected or fail to load.",
      "JSON: an array of {name, plugins, process, calls, failures, restarts, median, p99, memory, circuit, enforced}, durations in nanoseconds and memory in bytes.",
    ])

  private static let calls = 1000

  private struct Report: Encodable {
    let name: String
    let plugins: [String]
    let process: Int32?
    let calls, failures, restarts: Int
    let median, p99: Int64?
    let memory: Int?
    let circuit: String
    let enforced: [String]

    init(_ worker: WorkerStatus) {
      (name, plugins, process, memory) = (worker.name, worker.plugins, worker.process, worker.memory)
      (calls, failures, restarts) = (worker.calls, worker.failures, worker.restarts)
      (median, p99) = (worker.median?.nanoseconds, worker.percentile99?.nanoseconds)
      circuit = worker.circuit.rawValue
      enforced = worker.enforced.map(\.rawValue).sorted()
    }
  }

  static func run(_ arguments: ParsedArguments) async throws -> ExitStatus {
    let host = try HostArguments.host(arguments) { options in
      options.loading = .eager
      if !arguments.has(.isolate) { options.isolation = .worker(WorkerPolicy()) }
    }
    try await HostArguments.start(host, arguments)
    try host.callWorkers(times: calls)
    let workers = host.workers
    if arguments.has(.json) {
      try Terminal.writeJSON(workers.map(Report.init))
    } else if workers.isEmpty {
      Terminal.printMessage("no plugin runs in a worker")
    } else {
      try Terminal.write(table(workers.map(Report.init)).text(color: Terminal.hasColor))
    }
    let hasFailed = host.plugins.contains { $0.state.diagnosis != nil && host.isIsolated($0.manifest?.id ?? "") }
    host.shutdown()
    return workers.isEmpty && hasFailed ? .unavailable : .success
  }

  private static func table(_ workers: [Report]) -> Table {
    var table = Table("WORKER", "PROCESS", "CALLS", "P50", "P99", "MEMORY", "RESTARTS", "CIRCUIT", "ENFORCED")
    for worker in workers {
      table.add(
        worker.name, worker.process.map { "\($0)" } ?? "-", "\(worker.calls)", worker.median.map(microseconds) ?? "-",
        worker.p99.map(microseconds) ?? "-", worker.memory.map { "\($0 >> 20) MiB" } ?? "-", "\(worker.restarts)",
        worker.circuit, worker.enforced.joined(separator: " "),
        note: worker.plugins == [worker.name] ? nil : "plugins: " + worker.plugins.joined(separator: ", "))
    }
    return table
  }

  private static func microseconds(_ nanoseconds: Int64) -> String {
    let tenths = (nanoseconds + 50) / 100
    return "\(tenths / 10).\(tenths % 10) µs"
  }
}
