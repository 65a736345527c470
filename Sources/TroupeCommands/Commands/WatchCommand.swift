internal import FoundationEssentials
internal import TroupeHost

/// `troupe watch`: what happens to the plugins in some directories.
enum WatchCommand: Command {
  static let syntax = Syntax(
    "watch", "Keep up with the plugins' directories: show plugins coming, going and being replaced.",
    options: Setup.loading + [.json],
    details: [
      "A line for each change of a plugin's state, until it is interrupted. A plugin that is new is tried in a process of its own. Since nothing is resolved here, the libraries themselves are opened only with --eager, or where a plugin wants it. A file that is replaced is then loaded anew, from a copy in memory; what the old version made works on until it is released. A version that cannot be used leaves the old one in its place. A file that is still being written is left alone until that is over.",
      "JSON: an object on a line of its own for each change, as those of troupe list, with the time, the state that the plugin has come to, that as a sentence, and the state before, {time, event, text, previous, …}.",
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
    let host = try Setup.host(arguments) { options in
      options.opensCopies = true
      options.keepsImages = false
    }
    let directories = try Setup.directories(arguments)
    guard !directories.isEmpty else {
      throw CommandFailure(.noInput, "there is no directory to watch; name one with --plugins or TROUPE_PLUGIN_PATH")
    }
    Terminal.complain("watching \(directories.joined(separator: ", ")), until it is interrupted")
    // What ends the command, or a wait at its end: a signal, what cannot be printed or watched, the end of the following or of the
    // printing, the clock.
    let (ends, end) = AsyncStream.makeStream(of: Result<Void, any Error>.self)
    let signals = try EndingSignals { end.yield(.success(())) }
    defer { withExtendedLifetime(signals) {} }
    let events = host.events
    let following = Task { end.yield(await result { try await host.follow() }) }
    Task {
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
    // Not for a plugin that is being tried, which may take long; that process ends by itself when this one does.
    try await wait(atMost: .milliseconds(300))
    // Ends the events with the last plugin. One that keeps what it made to itself is not waited for.
    host.shutdown()
    try await wait(atMost: .seconds(1))
    return .success
  }

  private static func result(_ body: () async throws -> Void) async -> Result<Void, any Error> {
    do {
      return .success(try await body())
    } catch let fault as PluginFault {
      return .failure(CommandFailure(fault))
    } catch {
      return .failure(error)
    }
  }

  private static func show(_ event: PluginEvent, asJSON: Bool) throws {
    let time = Date().formatted(.iso8601)
    guard asJSON else {
      let path = event.plugin.path
      // A file that does not say which plugin it is is what the line is about.
      let text = event.plugin.manifest.map { "\($0.id) \($0.version) \(event.change)  \(path)" } ?? "\(path) \(event.change)"
      return try Terminal.write("\(time)  \(text)".onOneLine + "\n")
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    try Terminal.write(String(decoding: encoder.encode(Line(time: time, event: event)), as: UTF8.self) + "\n")
  }
}
