internal import FoundationEssentials
internal import TroupeHost
package import TroupeTools

/// `troupe bench`: measures calls of a C function, or a transform.
enum BenchCommand: Command {
  private static let duration = Option("for", value: "SECONDS", "Measure for SECONDS. Default: 1.")
  private static let compare = Option(
    "compare", value: "FILE", "Compare with an earlier report.", details: "troupe bench --json writes FILE.")

  static let spec = CommandSpec(
    "bench", "Measure calls of a C function, or the throughput of a transform.",
    operands: "UUID|NAME [ARG …]", operandCount: 1...Int.max,
    examples: [
      "troupe bench area 3 4.5", "troupe bench base64-encode --for 0.5", "troupe bench area 3 4.5 --json > before.json",
    ],
    options: [duration, compare, CallArguments.json, .argument] + HostArguments.loading + [.json],
    details: [
      "A function is called repeatedly with the same arguments, written as for troupe call. The figures are the median time of a call and the times that 95 and 99 of 100 samples do not exceed.",
      "A sample is a call, or the mean of as many calls as fill 10 µs. The overhead is the median for an empty function of the same type: it belongs to the call and not to the function.",
      "Typed calls of a program in Swift have a smaller overhead.",
      "For a transform, each ARG is a FILE of its input; without one, the input is 16 MiB of text. The figures are megabytes of input per second.",
      "Each run gets a new transform, with the arguments of --arg. Memory holds the whole input.",
      "--compare prints the change beside the noise: half of the distance between the quartiles of the samples of both reports. noise and change are shares of the median; other is the earlier subject if it differs.",
      "JSON: {kind, name, plugin, uuid, signature, unit, median, p95, p99, noise, overhead, runs, input, output, comparison: {median, change, noise, other}}.",
    ], hint: "name a transform by its name or UUID")

  static let awaitsFactories = true

  static func run(_ arguments: ParsedArguments) async throws -> ExitStatus {
    let benchmark = Benchmark(for: try arguments.seconds(duration) ?? .seconds(1))
    let earlier = try arguments.one(compare).map { (path: $0, report: try BenchReport(contentsOf: $0)) }
    let name = arguments.operands[0]
    let host = try HostArguments.host(arguments)
    try HostArguments.prepare(host, arguments)
    await FunctionOperand.start(name, host, arguments)
    let transform = host.registrations.first { $0.contract == Contract.transform.name && $0.hasName(name) }
    var report =
      if let transform, host.functions(name).isEmpty {
        try await measure(transform: transform, benchmark, host, arguments)
      } else {
        try measure(function: try FunctionOperand.find(name, host, arguments), benchmark, host, arguments)
      }
    if let earlier { try report.compare(with: earlier.report, path: earlier.path) }
    if arguments.has(.json) { try Terminal.writeJSON(report) } else { try Terminal.write(report.text) }
    host.shutdown()
    return .success
  }

  private static func measure(
    function: RegistrationDescription, _ benchmark: Benchmark, _ host: PluginHost, _ arguments: ParsedArguments
  ) throws -> BenchReport {
    if arguments.has(.argument) {
      throw Diagnosis(.usage, "--arg", problem: "\(function.name) is a function", remedy: "write the arguments behind its name")
    }
    let given = try CallArguments.only(arguments)
    return try benchmark.calls(
      of: function, host, reading: given.reader(for: function, earlier: [], constants: ArgumentConstants(of: function, host)))
  }

  private static func measure(
    transform: RegistrationDescription, _ benchmark: Benchmark, _ host: PluginHost, _ arguments: ParsedArguments
  ) async throws -> BenchReport {
    if arguments.has(CallArguments.json) {
      throw Diagnosis(.usage, "--arguments", problem: "\(transform.name) is a transform", remedy: "use --arg")
    }
    let files = Array(arguments.operands.dropFirst())
    let tags = [transform.uuid?.uuidString ?? transform.name]
    return try await benchmark.transforms(of: transform, input: files.isEmpty ? [] : InputFile.named(files)) {
      // In a scope of its own.
      try Pipeline.Stage(
        await ResolveCommand.resolve(
          host, tags: tags, contract: Contract.transform.name, arguments, in: host.container.scope())[0])
    }
  }
}

// MARK: Output

extension BenchReport {
  /// The lines for the user.
  package var text: String {
    var facts = [(kind.rawValue, "\(name) of \(plugin)")]
    if let signature { facts.append(("signature", signature)) }
    facts += [("median", shown(median)), ("p95", shown(p95)), ("p99", shown(p99))]
    if let overhead { facts.append(("overhead", shown(overhead))) }
    facts.append(("runs", "\(runs)"))
    if let input, let output { facts.append(("sizes", "\(input) bytes to \(output) bytes")) }
    if let comparison { facts.append(("change", shown(comparison))) }
    return facts.map { $0.padding(to: 11) + $1.onOneLine + "\n" }.joined()
  }

  private func shown(_ change: Change) -> String {
    let sign = change.change < 0 ? "" : "+"
    let other = change.other.map { " of \($0)" } ?? ""
    let share = "\(sign)\(Self.rounded(change.change * 100)) % from \(shown(change.median))\(other)"
    let noise = "noise \(Self.rounded(change.noise * 100)) %"
    return change.isSignificant ? "\(share); \(noise)" : "\(share), within the \(noise)"
  }

  private func shown(_ number: Double) -> String {
    guard kind == .function else { return "\(Self.rounded(number)) \(unit)" }
    let units = [(1.0, "ns"), (1e3, "µs"), (1e6, "ms"), (1e9, "s")]
    let (factor, unit) = units.last { number >= $0.0 } ?? units[0]
    return "\(Self.rounded(number / factor)) \(unit)"
  }

  /// Rounds to three digits; further ones are noise.
  private static func rounded(_ number: Double) -> String {
    let digits = abs(number) >= 100 ? 1.0 : abs(number) >= 10 ? 10 : 100
    let text = "\((number * digits).rounded() / digits)"
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }
}
