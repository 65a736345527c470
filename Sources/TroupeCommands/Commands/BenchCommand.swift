internal import FoundationEssentials
internal import TroupeHost

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
    let duration = try arguments.seconds(duration) ?? .seconds(1)
    let earlier = try arguments.one(compare).map { ($0, try earlierReport($0)) }
    let name = arguments.operands[0]
    let host = try HostArguments.host(arguments)
    try HostArguments.prepare(host, arguments)
    await FunctionOperand.start(name, host, arguments)
    let transform = host.registrations.first { $0.contract == Contract.transform.name && $0.hasName(name) }
    var report =
      if let transform, host.functions(name).isEmpty {
        try await measureTransform(transform, host, arguments, for: duration)
      } else {
        try measureCalls(try FunctionOperand.find(name, host, arguments), host, arguments, for: duration)
      }
    if let (path, earlier) = earlier { try report.compare(with: earlier, path: path) }
    if arguments.has(.json) { try Terminal.writeJSON(report) } else { try Terminal.write(report.text) }
    host.shutdown()
    return .success
  }

  // MARK: Functions

  private static func measureCalls(
    _ function: Registration, _ host: PluginHost, _ arguments: ParsedArguments, for duration: Duration
  ) throws -> BenchReport {
    if arguments.has(.argument) {
      throw Diagnosis(.usage, "--arg", problem: "\(function.name) is a function", remedy: "write the arguments behind its name")
    }
    let given = try CallArguments.calls(arguments)[0].given
    let reader = try given.reader(for: function, earlier: [])
    return try CrashReports.during("the function \(function.name) of \(function.plugin)", of: [function.plugin]) {
      // The larger part for the function.
      let (calls, empty) = try host.with(function, reading: reader) { function, values in
        guard !function.isIsolated else {
          throw Diagnosis(
            .unavailable, function.name, problem: "runs in a worker, whose calls this command does not measure",
            remedy: "leave out --isolate; troupe workers measures empty calls")
        }
        let empty = try function.withEmptyFunction()
        return (
          try Measurement(for: duration * 4 / 5) { count in for _ in 0..<count { _ = try function.call(values) } },
          try Measurement(for: duration / 5) { count in for _ in 0..<count { _ = try empty.call(values) } }
        )
      }
      return BenchReport(function: function, calls, empty: empty)
    }
  }

  // MARK: Transforms

  /// Counts the bytes that a transform writes.
  private final class Counter: TransformOutput {
    private(set) var count = 0

    func write(_ bytes: Span<UInt8>) { count += bytes.count }
  }

  /// The size of a piece of input, as in `troupe run`.
  private static let pieceSize = 128 * 1024

  private static func measureTransform(
    _ registration: Registration, _ host: PluginHost, _ arguments: ParsedArguments, for duration: Duration
  ) async throws -> BenchReport {
    if arguments.has(CallArguments.json) {
      throw Diagnosis(.usage, "--arguments", problem: "\(registration.name) is a transform", remedy: "use --arg")
    }
    let input = try input(Array(arguments.operands.dropFirst()))
    let clock = ContinuousClock()
    let end = clock.now + duration
    var output = 0
    var times: [Double] = []
    repeat {
      let (name, transform) = try await transform(registration, host, arguments)
      let counter = Counter()
      let time = try CrashReports.during(name, of: [registration.plugin]) {
        try clock.measure {
          do {
            for start in stride(from: 0, to: input.count, by: pieceSize) {
              try transform.feed(input.span.extracting(start..<min(start + pieceSize, input.count)), to: counter)
            }
            try transform.finish(to: counter)
          } catch {
            throw Diagnosis(.invalidData, name, problem: "\(error)")
          }
        }
      }
      output = counter.count
      times.append(time / .nanoseconds(1))
    } while clock.now < end
    return BenchReport(
      transform: registration, Measurement(samples: times, runs: times.count), input: input.count, output: output)
  }

  /// Makes a transform, in a scope of its own.
  private static func transform(
    _ registration: Registration, _ host: PluginHost, _ arguments: ParsedArguments
  ) async throws -> (name: String, any Transform) {
    let tags = [registration.uuid?.uuidString ?? registration.name]
    let instance = try await ResolveCommand.resolve(
      host, tags: tags, contract: Contract.transform.name, arguments, in: host.container.scope())[0]
    let name = "\(registration.name) of \(registration.plugin)"
    guard let transform = instance.value as? any Transform else {
      throw Diagnosis(.internalError, name, problem: "registered for \(Contract.transform.name), but not a transform")
    }
    return (name, transform)
  }

  /// The content of files, or text of lines with words.
  private static func input(_ files: [String]) throws -> [UInt8] {
    if !files.isEmpty { return Array(try InputFile.named(files).map { try $0.content() }.joined()) }
    var text: [UInt8] = []
    text.reserveCapacity(16 << 20)
    var number = 0
    while text.count < 16 << 20 {
      text += "line \(number) of a text with words and numbers, such as \(number * number)\n".utf8
      number += 1
    }
    return text
  }

  // MARK: Options

  private static func earlierReport(_ path: String) throws -> BenchReport {
    let content = try InputFile.named([path])[0].content()
    do {
      return try JSONDecoder().decode(BenchReport.self, from: Data(content))
    } catch {
      throw Diagnosis(
        .invalidData, path, problem: "is not a report of troupe bench", remedy: "write one with troupe bench --json")
    }
  }
}
