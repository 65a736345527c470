internal import TroupeHost
internal import TroupeTools

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
      "If you have to do something first, such as to install a plugin, the last line says what, and the command shows whether it was enough. HEADER, SOURCES and LIBRARY in a command stand for files that only you know.",
      "New content is loaded once in a child process, as by troupe inspect; with --isolate, in a worker.",
      PluginOperand.help,
      "Without an operand the command checks the installation: its files, compilers, directories, cache, pins, quarantine and plugins. It runs no plugin code then.",
      "Exit status: 0 if nothing keeps the plugin from being used, otherwise that of the cause.",
      "JSON: {subject, checks: [{name, result, detail}], cause: {problem, command, remedy}}; result is ok, warning, failed or skipped, and cause is absent if all is well. remedy is what to do before the command, and absent if the command is enough.",
    ])

  static func run(_ arguments: ParsedArguments) throws -> ExitStatus {
    let doctor = Doctor(
      arguments.search, directories: try HostArguments.directories(arguments), pinsOption: arguments.one(.pins),
      pinsFile: Result { try HostArguments.pinsFile(arguments) },
      makeHost: { files in
        try files.map { try HostArguments.host(files: $0, arguments) } ?? HostArguments.host(arguments)
      },
      checkIDs: { try HostArguments.checkConfiguredIDs($0, arguments, besides: $1) })
    let report =
      if let name = arguments.operands.first {
        try doctor.examine(name, isFile: PluginOperand.isFile(name))
      } else {
        try doctor.examineInstallation(host(arguments))
      }
    if arguments.has(.json) { try Terminal.writeJSON(report) } else { try Terminal.write(text(report)) }
    return report.cause.map { ExitStatus($0.code) } ?? .success
  }

  /// The host for an examination of the installation, which reports pins that cannot be read.
  private static func host(_ arguments: ParsedArguments) throws -> PluginHost {
    let host = try HostArguments.host(arguments, readsPins: false)
    try HostArguments.checkConfiguration(host)
    try HostArguments.checkConfiguredIDs(host, arguments)
    return host
  }

  private static func text(_ report: DoctorReport) -> String {
    var table = Table("RESULT", "CHECK", "FOUND")
    for check in report.checks { table.add(check.result.rawValue, check.name, check.detail) }
    let name = report.subject?.onOneLine.shortened()
    let end =
      if let cause = report.cause {
        "\ncause: \(cause.problem)\nfix:   \(cause.remedy.map { $0.onOneLine + "; then run " } ?? "")\(cause.command.onOneLine)\n"
      } else {
        "\n\(name.map { "nothing keeps \($0) from being used" } ?? "the installation is in order")\n"
      }
    return table.text(color: Terminal.hasColor) + end
  }
}
