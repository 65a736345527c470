internal import FoundationEssentials
internal import Glibc
internal import TroupeHost

/// `troupe call`: calls one C function by its signature.
enum CallCommand: Command {
  private static let json = Option(
    "arguments", value: "JSON", "Read the arguments from a JSON array such as '[3, \"text\", null]'.")

  private static let then = Option(
    "then", isRepeatable: true, startsGroup: true,
    "Call another function in the same process: --then UUID|NAME [ARG …]. $1 is the result of the first call.")

  static let syntax = Syntax(
    "call", "Call a plain C function of a plugin and print the result.",
    operands: "UUID|NAME [ARG …]", operandCount: 1...Int.max,
    options: Setup.loading + [then, json, BytesFormat.option, .json],
    details: [
      "The type of the parameter decides the form of ARG: an integer (decimal, 0x…, 0b…); a floating-point number (decimal, 0x1.8p3, inf, nan); true or false; text; the name of an enumeration's value; null for a pointer (--arguments can pass NULL for a string); the name or UUID of a function of the same type for a callback; JSON such as '{\"x\": 3, \"y\": 4}' and '[1, 2, 3]' for a struct, a complex number and a buffer; text or {\"base64\": \"…\"} for a buffer of bytes. Leave out parameters that the function only writes, and the length of a buffer that you give. Write -- before arguments that begin with a dash and are not numbers.",
      "@FILE reads an argument of any length from a file and @- from standard input; the system limits a word of the command line to 128 KiB. A buffer of bytes gets the bytes of the file, every other parameter its text. --arguments accepts @FILE and @-, too. Write @@TEXT for the text @TEXT.",
      "With --then, an argument $1, $2 and so on is the result of that call, and $1.NAME its output parameter or member NAME. This passes a handle of an open object to the calls behind it; the handles are released when the last call has returned. Write $$TEXT for the text $TEXT. JSON: {results}.",
      "Structs, arrays and bytes are printed as JSON, bytes as {\"base64\": \"…\"}. A function with output parameters prints {\"return\": …, \"NAME\": …}. Values of enumerations are printed by name. JSON: {result}.",
      "The text that the function itself prints comes before the result; with --json it goes to standard error. So does all text that plugins print when they are loaded.",
      "The command starts only the plugins that are known to have the function, from earlier probes and adoption files. It starts all plugins if none is known, if the function takes callbacks or a resolver, and with --eager.",
    ])

  static func run(_ arguments: ParsedArguments) async throws -> ExitStatus {
    let calls = try Given.calls(arguments)
    let format = try BytesFormat(arguments)
    let host = try Setup.host(arguments)
    try Setup.prepare(host, arguments)
    var results: [Value] = []
    var shown: [Value] = []
    for (name, given) in calls {
      await start(name, host, arguments)
      let function = try function(name, host, arguments)
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

  /// The arguments of the command line, with the content of named files.
  private enum Given {
    case operands([CallArgument])
    case json(String)

    /// Reads the functions and their arguments.
    static func calls(_ arguments: ParsedArguments) throws -> [(name: String, given: Given)] {
      let groups = arguments.groups
      guard let text = arguments.one(CallCommand.json) else {
        try CallArgument.check(Array(groups.joined()))
        return try groups.map { ($0[0], .operands(try CallArgument.read(Array($0.dropFirst())))) }
      }
      guard groups.joined().count == 1 else {
        throw Diagnosis(
          .usage, problem: "arguments both with --arguments and as operands or --then", remedy: "use one of the two")
      }
      return [(groups[0][0], .json(try CallArgument.read([text])[0].json()))]
    }

    /// Returns a closure that reads the arguments for the function. The host calls it after it has opened the plugin.
    ///
    /// - Parameter earlier: The results of the calls before.
    func reader(for function: Registration, earlier: [Value]) throws(Diagnosis) -> PluginHost.ArgumentReader {
      switch self {
      case .json(let text):
        return { signature, functions in try signature.arguments(json: text, functions: functions) }
      case .operands(let operands):
        let parameters = function.function?.callerParameters ?? []
        var arguments: [Signature.Argument] = []
        for (index, operand) in operands.enumerated() {
          if let word = operand.word, !earlier.isEmpty, word.hasPrefix("$") {
            arguments.append(try Self.result(word, earlier))
          } else {
            arguments.append(try operand.argument(for: parameters.indices.contains(index) ? parameters[index] : nil))
          }
        }
        return { [arguments] signature, functions in try signature.arguments(reading: arguments, functions: functions) }
      }
    }

    /// Returns the result that `$2` or `$2.name` stands for; `$$text` is text.
    private static func result(_ word: String, _ earlier: [Value]) throws(Diagnosis) -> Signature.Argument {
      if word.hasPrefix("$$") { return .text(String(word.dropFirst())) }
      let path = word.dropFirst().split(separator: ".", omittingEmptySubsequences: false).map(String.init)
      guard let number = path.first.flatMap({ Int($0) }), number >= 1, number <= earlier.count else {
        throw Diagnosis(
          .usage, problem: "\"\(word.shortened())\" is the result of no earlier call",
          remedy: "use $1\(earlier.count > 1 ? " to $\(earlier.count)" : ""), or $\(word) for the text")
      }
      var value = earlier[number - 1]
      for name in path.dropFirst() {
        guard let member = value[name] else {
          throw Diagnosis(
            .usage, problem: "\"\(word.shortened())\": the result of call \(number) has no member \"\(name.shortened())\"",
            remedy: "use a member of \(value.description.shortened())")
        }
        value = member
      }
      return .value(value)
    }
  }

  /// Starts the plugins that provide the function, as files and earlier probes show. Starts all plugins if none shows it, if the function
  /// may use functions or instances of other plugins, and with `--eager`.
  private static func start(_ name: String, _ host: PluginHost, _ arguments: ParsedArguments) async {
    let providers = arguments.has(.eager) ? [] : host.providers(ofFunction: name)
    if !providers.isEmpty {
      await Setup.load(host, arguments) { providers.contains($0.path) }
      let functions = host.functions(name).compactMap(\.function)
      if !functions.isEmpty, !functions.contains(where: mayUseOthers) { return }
    }
    await Setup.load(host, arguments) { !providers.contains($0.path) }
  }

  /// Whether a function takes a callback, which may be a function of any plugin, or a resolver.
  private static func mayUseOthers(_ signature: Signature) -> Bool {
    signature.parameters.contains { parameter in
      switch parameter.type {
      case .function, .resolver: true
      default: false
      }
    }
  }

  private static func function(_ name: String, _ host: PluginHost, _ arguments: ParsedArguments) throws -> Registration {
    let functions = host.functions(name)
    guard let function = functions.first else {
      if let factory = host.registrations.first(where: {
        $0.name == name || $0.uuid?.uuidString.lowercased() == name.lowercased()
      }) {
        throw Diagnosis(
          .usage, problem: "\(factory.name) of \(factory.plugin): a factory of instances, not a function",
          remedy: "use troupe resolve or troupe run")
      }
      let plugins = host.plugins
      for plugin in plugins {
        if let refusal = plugin.refusal(of: name) { throw Diagnosis(.unavailable, plugin.path, problem: "\(refusal)") }
      }
      let known =
        plugins.isEmpty
        ? try Setup.noPlugins(arguments)
        : "known functions: " + knownNames(host.registrations.filter(\.isFunction).map(\.name), for: name)
      throw Diagnosis(.unavailable, problem: "no function \"\(name.shortened())\"", remedy: "\(known)")
    }
    guard functions.count == 1 else {
      let list = functions.map(\.distinction).joined(separator: ", ")
      throw Diagnosis(.usage, problem: "several functions have the name \"\(name)\"", remedy: "give the UUID of one: \(list)")
    }
    return function
  }

  /// - Parameter printsData: Whether the text that the function prints is part of the output.
  private static func call(
    _ registration: Registration, _ reader: @escaping PluginHost.ArgumentReader, printsData: Bool, _ host: PluginHost
  ) throws -> Value {
    // Text that C still buffers comes before the result.
    defer { StandardOutput.reclaim() }
    return try CrashReports.during("the function \(registration.name) of \(registration.plugin)", of: [registration.plugin]) {
      try host.call(registration) { signature, functions in
        let values = try reader(signature, functions)
        // The plugin is open by now: only the function runs.
        if printsData { StandardOutput.lendToPlugin() }
        return values
      }
    }
  }
}
