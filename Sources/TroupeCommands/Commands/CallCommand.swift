internal import FoundationEssentials
internal import Glibc
internal import TroupeHost
internal import TroupeTools

/// `troupe call`: calls C functions by their signatures.
///
///     area 3 4.5   ─►  CallArguments       the words of each call, and the content of each @FILE
///     area         ─►  FunctionOperand     the registration, from the cache or a probe
///     3 4.5        ─►  PluginHost.with     the values for the parameters; then the open plugin's function
///     13.5         ◄─  ForeignFunction
///
/// An argument that does not fit is an error before the plugin is opened.
enum CallCommand: Command {
  private static let then = Option(
    "then", operands: "UUID|NAME [ARG …]", isRepeatable: true,
    "Call another function with the results so far.",
    details: "$1 is the result of the first call. troupe help signatures has examples.")

  static let spec = CommandSpec(
    "call", "Call a C function of a plugin and print its result.",
    operands: "UUID|NAME [ARG …]", operandCount: 1...Int.max,
    examples: [
      "troupe call area 3 4.5", "troupe call zlib_crc32 0 @notes.txt", "troupe call compass 45 --json",
    ],
    options: [then, CallArguments.json, BytesFormat.option] + HostArguments.loading + [.json],
    note: "ARG @FILE is read from FILE. troupe call NAME --help shows the parameters of a function.",
    details: [
      "troupe call NAME --help shows the parameters, the description and examples of a function.",
      "Numbers are written as 10, 0x0a, 0b1010, 2.5, 0x1.8p3, inf or nan; booleans as true or false. An enumeration takes the name of a value. Every pointer takes null, a string too; --arguments passes the text \"null\".",
      "A pointer takes memory that the call allocates: elements as '[0, 0]', a number of zero bytes as '{\"bytes\": 64}', for bytes also text, and for a struct its members as '{\"x\": 3}'.",
      "What the function may have written to such memory is printed as {\"result\": …, \"NAME\": …}. A reference to a struct is printed as its members.",
      "A number of an adopted library, also in a literal, takes the name of a constant that troupe inspect shows, or several as A|B, and a text the name of a constant that is a text.",
      "A callback takes the name or UUID of a function of the same type. A struct, a complex number or a buffer takes JSON: '{\"x\": 3, \"y\": 4}' or '[1, 2, 3]'. A buffer of bytes takes text or {\"base64\": \"…\"}.",
      "Leave out parameters that the function only writes, and the length of a buffer that you give. Write -- before arguments that begin with a dash and are not numbers.",
      "@FILE reads an argument from a file and @- from standard input, also for --arguments. The system limits a word of the command line to 128 KiB. Write @@TEXT for the text @TEXT.",
      "A pointer to bytes gets the bytes of the file, every other parameter its text.",
      "With --then, $1, $2 and so on are the results of the calls. $1.NAME is an output, a member, or the memory of the parameter NAME, and $1.2 that of the second argument.",
      "--then '$1.NAME' = VALUE writes a member of the struct behind the first result, or an element of memory. It counts as a step without a result.",
      "Literals take results, too, as in {\"next\": \"$1\"}. Write $$TEXT for the text $TEXT.",
      "Texts, memory, callbacks and references last until the last call has returned.",
      "Structs, arrays and bytes are printed as JSON. A function with outputs prints {\"return\": …, \"NAME\": …}. Values of enumerations are printed by name. JSON: {result}, or {results} with --then.",
      "Text that the function prints precedes the result; with --json it goes to standard error. Text that plugins print when they are loaded always goes to standard error.",
      "The command starts only plugins that are known to have the function. It starts all if none is known, if the function takes a callback or a resolver, and with --eager.",
    ])

  /// Returns the help of the named function, or that of the command without a name. Does not call the function. Throws a `Diagnosis` if no
  /// or several functions have the name.
  static func help(_ arguments: ParsedArguments, width: Int) async throws -> String {
    guard let name = arguments.operands.first else { return spec.help(width: width) }
    let host = try HostArguments.host(arguments) { $0.logsRefusals = false }
    try HostArguments.prepare(host, arguments)
    await FunctionOperand.start(name, host, arguments)
    defer { host.shutdown() }
    let function = try FunctionOperand.find(name, host, arguments)
    return FunctionHelp(function, isUnique: host.functions(function.name).count == 1).text(width: width)
  }

  static func run(_ arguments: ParsedArguments) async throws -> ExitStatus {
    let steps = try CallArguments.steps(arguments)
    let format = BytesFormat(arguments)
    let host = try HostArguments.host(arguments) { $0.logsRefusals = false }
    try HostArguments.prepare(host, arguments)
    var results: [EarlierCall] = []
    // C may keep what a call was given until the last call has returned.
    let lifetime = ForeignLifetime()
    var shown: [Value] = []
    var plugins: [String] = []
    for step in steps {
      switch step {
      case .assignment(let assignment):
        try PluginActivity("the write to \(assignment.place)", of: plugins).during { try assignment.perform(results) }
        results.append(EarlierCall(outcome: CallOutcome(.void), parameters: [], result: .void, constants: ArgumentConstants()))
        shown.append(.void)
      case .call(let name, let given):
        await FunctionOperand.start(name, host, arguments)
        let function = try FunctionOperand.find(name, host, arguments)
        let constants = ArgumentConstants(of: function, host)
        let outcome = try call(
          function, given.reader(for: function, earlier: results, constants: constants), lifetime,
          printsData: !arguments.has(.json), host)
        plugins.append(function.plugin)
        results.append(
          EarlierCall(
            outcome: outcome, parameters: function.function?.callerParameters ?? [], result: function.function?.result,
            constants: constants))
        // Pointers in a result may lead anywhere.
        let activity = PluginActivity("the reading of the result of \(function.name)", of: [function.plugin])
        shown.append(try activity.during { format.shown(try function.shown(outcome.value)) })
        if !arguments.has(.json), let result = shown.last, result != .void {
          try Terminal.write { write in
            try result.writeLine(write)
            try write("\n")
          }
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
    PluginActivity("the release of the results", of: plugins).during { (results, shown) = ([], []) }
    withExtendedLifetime(lifetime) {}
    host.shutdown()
    return .success
  }

  /// Reads the arguments, opens the plugin and calls the function.
  ///
  /// - Parameter printsData: Adds the text that the function prints to the output.
  private static func call(
    _ registration: RegistrationDescription, _ reader: PluginHost.ArgumentReader, _ lifetime: ForeignLifetime, printsData: Bool,
    _ host: PluginHost
  ) throws -> CallOutcome {
    // Text that C still buffers comes before the result.
    defer { StandardOutput.restore() }
    return try PluginActivity(function: registration.name, of: registration.plugin).during {
      try host.with(registration, reading: reader) { function, values in
        // The plugin is open by now: only the function runs.
        if printsData { StandardOutput.redirectToOutput() }
        return try function.outcome(of: values, keeping: lifetime)
      }
    }
  }
}
