internal import FoundationEssentials
internal import TroupeHost
internal import TroupeTools

/// `troupe watch`: the changes of plugins in directories.
enum WatchCommand: Command {
  static let spec = CommandSpec(
    "watch", "Print each change of a plugin until interrupted.",
    examples: ["troupe watch", "troupe watch --plugins plugins", "troupe watch --json"],
    options: HostArguments.loading + [.json],
    details: [
      "New plugins are probed in a child process. The command resolves no plugin, so libraries are opened only with --eager or at the request of a plugin.",
      "A replaced file is loaded again from a copy in memory; instances of the old version work until they are released. An unusable version does not replace the old one.",
      "A file that another process is writing is skipped. A plugin is retired when its file is removed or replaced, not when the command ends.",
      "JSON: one object in a line for each change, with the members of troupe list and {time, event, text, previous}: the new state, the change as a sentence, and the previous state.",
    ])

  private struct Line: Encodable {
    let time: String
    let event: PluginEvent

    func encode(to encoder: any Encoder) throws {
      try PluginReport(event.plugin).encode(to: encoder)
      var members = encoder.container(keyedBy: Member.self)
      try members.encode(time, forKey: .time)
      try members.encode(event.plugin.state.name, forKey: .event)
      try members.encode(event.description, forKey: .text)
      try members.encode(event.previous?.name, forKey: .previous)
    }

    private enum Member: CodingKey { case time, event, text, previous }
  }

  static func run(_ arguments: ParsedArguments) async throws -> ExitStatus {
    let host = try HostArguments.host(arguments) { $0.opensCopies = true }
    let directories = try HostArguments.directories(arguments)
    guard !directories.isEmpty else {
      throw Diagnosis(.unreadable, problem: "no directory to watch", remedy: "name one with --plugins or TROUPE_PLUGIN_PATH")
    }
    // The check of the configuration finds the first plugins.
    let events = host.events
    try HostArguments.checkConfiguration(host)
    Terminal.printMessage("watching \(directories.joined(separator: ", ")) until interrupted")
    // The events that end the command or a wait: a signal, a failed write, the end of following or of printing, a timeout.
    let (ends, end) = AsyncStream.makeStream(of: Result<Void, any Error>.self)
    let signals = try TerminationSignals { _ in end.yield(.success(())) }
    defer { withExtendedLifetime(signals) {} }
    let following = Task { end.yield(await result { try await host.follow() }) }
    let printing = Task {
      end.yield(await result { for await event in events { try show(event, asJSON: arguments.has(.json)) } })
    }
    var next = ends.makeAsyncIterator()
    func wait(atMost limit: Duration) async throws {
      let clock = Task {
        try await Task.sleep(for: limit)
        end.yield(.success(()))
      }
      try await next.next()?.get()
      clock.cancel()
    }
    try await next.next()?.get()
    following.cancel()
    // A running probe may take longer; its process ends with this one.
    try await wait(atMost: .milliseconds(300))
    // Prints the events until here. The end of the host retires its plugins, which are still in the directories.
    printing.cancel()
    try await wait(atMost: .seconds(1))
    host.shutdown()
    return .success
  }

  private static func result(_ body: () async throws -> Void) async -> Result<Void, any Error> {
    do {
      return .success(try await body())
    } catch {
      return .failure(error)
    }
  }

  private static func show(_ event: PluginEvent, asJSON: Bool) throws {
    let time = Date().formatted(.iso8601)
    guard asJSON else {
      let path = event.plugin.path
      // A file without a manifest has only its path.
      let text = event.plugin.manifest.map { "\($0.id) \($0.version) \(event.change)  \(path)" } ?? "\(path) \(event.change)"
      return try Terminal.write("\(time)  \(text)".onOneLine + "\n")
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    try Terminal.write(String(decoding: encoder.encode(Line(time: time, event: event)), as: UTF8.self) + "\n")
  }
}
