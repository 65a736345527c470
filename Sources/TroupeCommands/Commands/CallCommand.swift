internal import FoundationEssentials
internal import Glibc
internal import TroupeHost

/// `troupe call`: calls one C function by its signature.
enum CallCommand: Command {
  private static let then = Option(
    "then", isRepeatable: true, startsGroup: true,
    "Call another function in the same process: --then UUID|NAME [ARG …]. $1 is the result of the first call.")

  static let spec = CommandSpec(
    "call", "Call a plain C function of a plugin and print the result.",
    operands: "UUID|NAME [ARG …]", operandCount: 1...Int.max,
    options: HostArguments.loading + [then, CallArguments.json, BytesFormat.option, .json],
    details: [
      "The type of the parameter decides the form of ARG: an integer (decimal, 0x…, 0b…); a floating-point number (decimal, 0x1.8p3, inf, nan); true or false; text; the name of an enumeration's value; null for a pointer (--arguments can pass NULL for a string); the name or UUID of a function of the same type for a callback; JSON such as '{\"x\": 3, \"y\": 4}' and '[1, 2, 3]' for a struct, a complex number and a buffer; text or {\"base64\": \"…\"} for a buffer of bytes. Leave out parameters that the function only writes, and the length of a buffer that you give. Write -- before arguments that begin with a dash and are not numbers.",
      "troupe call NAME --help shows the parameters, the description and examples of a function.",
      "@FILE reads an argument of any length from a file and @- from standard input; the system limits a word of the command line to 128 KiB. A buffer of bytes gets the bytes of the file, every other parameter its text. --arguments accepts @FILE and @-, too. Write @@TEXT for the text @TEXT.",
      "With --then, an argument $1, $2 and so on is the result of that call, and $1.NAME its output parameter or member NAME. This passes a handle of an open object to the calls behind it; the handles are released when the last call has returned. Write $$TEXT for the text $TEXT. JSON: {results}.",
      "Structs, arrays and bytes are printed as JSON, bytes as {\"base64\": \"…\"}. A function with output parameters prints {\"return\": …, \"NAME\": …}. Values of enumerations are printed by name. JSON: {result}.",
      "The text that the function itself prints comes before the result; with --json it goes to standard error. So does all text that plugins print when they are loaded.",
      "The command starts only the plugins that are known to have the function, from earlier probes and adoption files. It starts all plugins if none is known, if the function takes callbacks or a resolver, and with --eager.",
    ])

  /// Returns the help of the named function, or that of the command without a name. Does not call the function. Throws a `Diagnosis` if no
  /// or several functions have the name.
  static func help(_ arguments: ParsedArguments, width: Int) async throws -> String {
    guard let name = arguments.operands.first else { return spec.help(width: width) }
    let host = try HostArguments.host(arguments)
    try HostArguments.prepare(host, arguments)
    await FunctionOperand.start(name, host, arguments)
    defer { host.shutdown() }
    let function = try FunctionOperand.find(name, host, arguments)
    return FunctionHelp(function, isUnique: host.functions(function.name).count == 1).text(width: width)
  }

  static func run(_ arguments: ParsedArguments) async throws -> ExitStatus {
    let calls = try CallArguments.calls(arguments)
    let format = BytesFormat(arguments)
    let host = try HostArguments.host(arguments)
    try HostArguments.prepare(host, arguments)
    var results: [Value] = []
    var shown: [Value] = []
    for (name, given) in calls {
      await FunctionOperand.start(name, host, arguments)
      let function = try FunctionOperand.find(name, host, arguments)
      let reader = try given.reader(for: function, earlier: results)
      results.append(try call(function, reader, printsData: !arguments.has(.json), host))
      shown.append(format.shown(function.shown(results[results.count - 1])))
      if !arguments.has(.json), let result = shown.last, result != .void {
        try Terminal.write { write in
          try result.writeLine(write)
          try write("\n")
        }
      }
    }
    if arguments.has(.json) {
      let field = shown.count == 1 ? Value.Field("result", shown[0]) : Value.Field("results", .array(shown))
      try Terminal.write { write in
        try ValueWriter(style: .indented, write: write).write(.structure([field]))
        try write("\n")
      }
    }
    (results, shown) = ([], [])
    host.shutdown()
    return .success
  }

  /// - Parameter printsData: Whether the text that the function prints is part of the output.
  private static func call(
    _ registration: Registration, _ reader: @escaping PluginHost.ArgumentReader, printsData: Bool, _ host: PluginHost
  ) throws -> Value {
    // Text that C still buffers comes before the result.
    defer { StandardOutput.restore() }
    return try CrashReports.during("the function \(registration.name) of \(registration.plugin)", of: [registration.plugin]) {
      try host.call(registration) { signature, functions in
        let values = try reader(signature, functions)
        // The plugin is open by now: only the function runs.
        if printsData { StandardOutput.redirectToOutput() }
        return values
      }
    }
  }
}
