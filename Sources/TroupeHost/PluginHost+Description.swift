internal import TroupeFiles

extension PluginHost: CustomStringConvertible {
  /// One line with the number of plugins in each state, the number of registrations, and the directories or files.
  public var description: String {
    var counts: [(state: String, count: Int)] = []
    let plugins = plugins
    for name in plugins.map(\.state.name) {
      let index = counts.firstIndex { $0.state == name } ?? counts.count
      if index == counts.count { counts.append((name, 0)) }
      counts[index].count += 1
    }
    let states = counts.map { "\($0.count) \($0.state)" }.joined(separator: ", ")
    let sources = (options.directories + options.files).joined(separator: ", ").onOneLine
    return "PluginHost: \(Self.count(plugins.count, "plugin"))\(states.isEmpty ? "" : " (\(states))"), "
      + "\(Self.count(registrations.count, "registration")) from \(sources.isEmpty ? "no directory" : sources)"
  }

  private static func count(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }
}
