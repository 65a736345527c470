internal import Dispatch
internal import FoundationEssentials
internal import Glibc
internal import TroupeHost

/// `troupe watch`: what happens to the plugins in some directories.
enum WatchCommand: Command {
  static let syntax = Syntax(
    "watch", "Load the plugins and keep up with their directories: show plugins coming, going and being replaced.",
    options: Setup.loading + [.json],
    details: [
      "A line for each change of a plugin's state, until it is interrupted. A file that is replaced is loaded anew, from a copy in memory; what the old version made works on until it is released. A file that is still being written is left alone until that is over. JSON: an object on a line of its own for each change, as those of troupe list, with the time, the event and the state before, {time, event, previous, …}."
    ])

  private struct Line: Encodable {
    let time: String
    let event: PluginEvent

    func encode(to encoder: any Encoder) throws {
      try PluginReport(event.plugin).encode(to: encoder)
      var members = encoder.container(keyedBy: Member.self)
      try members.encode(time, forKey: .time)
      try members.encode(event.description, forKey: .event)
      try members.encode(event.previous?.name, forKey: .previous)
    }

    private enum Member: CodingKey { case time, event, previous }
  }

  static func run(_ arguments: ParsedArguments) async throws -> ExitStatus {
    let host = try Setup.host(arguments) { options in
      options.opensCopies = true
      options.keepsImages = false
    }
    let events = host.events
    let following = Task { try await host.follow() }
    let signals = [SIGINT, SIGTERM, SIGHUP].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number)
      source.setEventHandler { following.cancel() }
      source.activate()
      return source
    }
    let printing = Task {
      for await event in events { try show(event, asJSON: arguments.has(.json)) }
    }
    do {
      try await following.value
    } catch let fault as PluginFault {
      throw CommandFailure(fault)
    }
    withExtendedLifetime(signals) {}
    host.shutdown()
    printing.cancel()
    return .success
  }

  private static func show(_ event: PluginEvent, asJSON: Bool) throws {
    let time = Date().formatted(.iso8601)
    guard asJSON else {
      let manifest = event.plugin.manifest
      let name = manifest.map { "\($0.id) \($0.version)" } ?? "-"
      return try Terminal.write("\(time)  \(name) \(event)  \(event.plugin.path)".onOneLine + "\n")
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    try Terminal.write(String(decoding: encoder.encode(Line(time: time, event: event)), as: UTF8.self) + "\n")
  }
}
