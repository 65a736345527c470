internal import TroupeHost
internal import TroupeTools

/// `troupe map`: calls a C function for each row of CSV files.
enum MapCommand: Command {
  private static let output = Option("o", value: "FILE", isLetter: true, "Write to FILE. Default: standard output.")
  private static let columns = Option(
    "columns", value: "LIST",
    "Pass these columns, such as width,height or 2,1.",
    details: "By default, the columns with the names of the parameters or, if there is none, the first columns."
  )
  private static let noHeader = Option("no-header", "FILE begins with a row and has no header.")
  private static let delimiter = Option(
    "delimiter", value: "CHAR", "Separate cells by CHAR, or by tab. Default: a comma.")
  private static let jobs = Option(
    "jobs", value: "N", "Use N threads. Default: 1.",
    details: "Threads share the rows; with --output-directory, each processes a FILE.")
  private static let onError = Option(
    "on-error", value: "ACTION", choices: ["stop", "null"],
    "If a row fails: stop (default) or null.", details: "null leaves the results of the row empty and reports it.")
  private static let onlyResults = Option("only-results", "Leave out the columns of FILE.")

  static let spec = CommandSpec(
    "map", "Call a C function for each row of CSV files and append the results.",
    operands: "UUID|NAME [FILE …]", operandCount: 1...Int.max,
    examples: [
      "troupe map area rooms.csv", "troupe map area rooms.csv --columns height,width --only-results",
      "troupe map area rooms.csv -o areas.csv",
    ],
    options: [columns, delimiter, noHeader, onlyResults, onError, output, .outputDirectory, .resume, jobs]
      + HostArguments.loading,
    details: [
      "The FILE -, and no FILE, is standard input. All FILEs of one output must have the same header. Memory use does not depend on the size of FILE.",
      "Cells have the form of arguments of troupe call. An empty cell is null: the function is not called for the row, and its results are empty. An empty cell in quotes is an empty text.",
      "The columns of the results are named after the function and its outputs. Values of enumerations are written by name, structs and buffers as JSON. Cells with a delimiter, a quote or a line break are quoted.",
      "An error begins with FILE:LINE. If a row fails, -o or standard output keeps the rows before it, and an output in DIR does not appear.",
      "A function of numbers is called over columns of 4096 rows, which --jobs divides. All plugins allow that; a function of an adopted library does if its file has \"threads\": \"any\".",
    ])

  static func run(_ arguments: ParsedArguments) async throws -> ExitStatus {
    let name = arguments.operands[0]
    let files = try InputFile.named(
      Array(arguments.operands.dropFirst()), mayFail: arguments.has(.outputDirectory))
    let (options, jobs) = (try options(arguments), try FileJobs.count(arguments))
    let directory = try OutputDirectory(files, arguments)
    if directory != nil, arguments.has(output) {
      throw Diagnosis(
        .usage, "-o", problem: "excludes --output-directory", remedy: "leave out one of the two options")
    }
    let host = try HostArguments.host(arguments) { $0.logsRefusals = false }
    try HostArguments.prepare(host, arguments)
    await FunctionOperand.start(name, host, arguments)
    let registration = try FunctionOperand.find(name, host, arguments)
    let (threads, callers) = directory == nil ? (jobs, 1) : (1, jobs)
    let function = try TableFunction(
      host.function(registration), of: registration.plugin, threads: threads, callers: callers)
    let map = TableMap(function, options) { Terminal.printMessage($0) }
    var status = ExitStatus.success
    if let directory {
      status = try await FileJobs(directory, jobs: jobs).runWithProgress { try map.run($0) }
    } else {
      var progress = StreamProgress()
      defer { progress.end() }
      try map.run(files, to: arguments.one(output)) { progress.add($0) }
    }
    host.shutdown()
    return status
  }

  private static func options(_ arguments: ParsedArguments) throws(Diagnosis) -> TableMap.Options {
    var options = TableMap.Options()
    options.columns = arguments.one(columns)?.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    options.hasHeader = !arguments.has(noHeader)
    options.failuresAreNull = arguments.one(onError) == "null"
    options.writesOnlyResults = arguments.has(onlyResults)
    if let text = arguments.one(delimiter) {
      let bytes = text == "tab" ? [UInt8(ascii: "\t")] : Array(text.utf8)
      guard bytes.count == 1, bytes[0] < 0x80, !"\"\r\n".utf8.contains(bytes[0]) else {
        throw Diagnosis(
          .usage, "--delimiter",
          problem: "expected an ASCII character other than a quote or a line end, got \"\(text.shortened())\"",
          remedy: "give one such as ';', or tab")
      }
      options.delimiter = bytes[0]
    }
    return options
  }
}
