internal import Glibc
internal import TroupeHost

/// `troupe doctor`: finds why a plugin is not used, or checks the installation.
enum DoctorCommand: Command {
  static let spec = CommandSpec(
    "doctor", "Find why a plugin is not used, or check the installation.", operands: "[ID|FILE]", operandCount: 0...1,
    examples: [
      "troupe doctor", "troupe doctor org.example.geometry", "troupe doctor plugins/geometry.so --plugins plugins",
    ],
    options: HostArguments.discovery + [.configuration, .isolate, .probeDeadline, .json],
    details: [
      "Checks a plugin in the order of the host: directories, permissions, file, manifest, ABI and compiler, libraries, pins, quarantine, requirements, duplicate ids, cache, loading. The last lines name one cause and the command that fixes it.",
      "If you have to do something first, such as to install a plugin, the last line says what, and the command shows whether it was enough. SOURCES and LIBRARY in a command stand for files that only you know.",
      "New content is loaded once in a child process, as by troupe inspect; with --isolate, in a worker.",
      PluginOperand.help,
      "Without an operand the command checks the installation: its files, compilers, directories, cache, pins, quarantine and plugins. It runs no plugin code then.",
      "Exit status: 0 if nothing keeps the plugin from being used, otherwise that of the cause.",
      "JSON: {subject, checks: [{name, result, detail}], cause: {problem, command, remedy}}; result is ok, warning, failed or skipped, and cause is absent if all is well. remedy is what to do before the command, and absent if the command is enough.",
    ])

  static func run(_ arguments: ParsedArguments) throws -> ExitStatus {
    let report = try examine(arguments)
    if arguments.has(.json) {
      try Terminal.writeJSON(report)
    } else {
      try Terminal.write(report.text(color: Terminal.hasColor))
    }
    return report.cause?.status ?? .success
  }

  private static func examine(_ arguments: ParsedArguments) throws -> DoctorReport {
    let directories = try HostArguments.directories(arguments)
    guard let name = arguments.operands.first else {
      // The examination reports pins that cannot be read.
      let host = try HostArguments.host(arguments, readsPins: false)
      try HostArguments.checkConfiguration(host)
      try HostArguments.checkConfiguredIDs(host, arguments)
      return InstallationExamination.run(host, directories: directories, arguments)
    }
    let isFile = PluginOperand.isFile(name)
    let inDirectories = try HostArguments.host(arguments)
    // A file is found in its directory, with the plugins that it may require, or by its path.
    let path = location(of: name)
    let found = inDirectories.discover().filter { isFile ? location(of: $0.path) == path : $0.manifest?.id == name }
    // Several plugins can have one id. The host uses the admitted one.
    if let plugin = found.first(where: { $0.state.fault == nil }) ?? found.first {
      try checkConfiguredIDs(inDirectories, of: plugin, arguments)
      return PluginExamination(name, inDirectories, directories: directories, arguments).run(plugin)
    }
    guard isFile else {
      try HostArguments.checkConfiguredIDs(inDirectories, arguments, besides: name)
      return PluginExamination(name, inDirectories, directories: directories, arguments).run(missing: name)
    }
    let host = try HostArguments.host(files: [name] + inDirectories.plugins.map(\.path), arguments)
    guard let plugin = host.discover().first(where: { $0.path == name }) else {
      let adopting = host.plugins.first { $0.library.map(location) == path }?.path ?? PluginFileName.file(adopting: name)
      throw Diagnosis(
        .unreadable, name, problem: adopting == nil ? "is not found" : "is an adopted library, which is no plugin of its own",
        remedy: "name \(adopting ?? "a plugin file")")
    }
    // A link to a missing file is there.
    var status = stat()
    if lstat(name, &status) != 0, let fault = plugin.state.fault { throw fault }
    try checkConfiguredIDs(host, of: plugin, arguments)
    return PluginExamination(name, host, directories: directories, arguments).run(plugin)
  }

  /// Checks the ids of the options, unless the examined plugin is unreadable, so that its id may be one of them.
  private static func checkConfiguredIDs(_ host: PluginHost, of plugin: Plugin, _ arguments: ParsedArguments) throws {
    if plugin.manifest != nil { try HostArguments.checkConfiguredIDs(host, arguments) }
  }

  /// The path without links; for a link to a missing file, that of the link in its directory.
  private static func location(of path: String) -> String {
    Path.resolved(path) ?? (Path.resolved(Path.directory(of: path)) ?? ".") + "/" + Path.lastComponent(of: path)
  }
}
