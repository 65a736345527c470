internal import FoundationEssentials
internal import Glibc
internal import TroupeHost

/// `troupe call`: one C function through its signature.
enum CallCommand: Command {
  private static let json = Option(
    "arguments", value: "JSON", "Take the arguments from a JSON array instead, such as '[3, \"text\", null]'.")

  static let syntax = Syntax(
    "call", "Call one plain C function that a plugin registered, and print what it returns.",
    operands: "UUID|NAME [ARG …]", operandCount: 1...Int.max, options: Setup.loading + [json, .json],
    details: [
      "Each ARG is read as what the function's parameter is: a number (decimal, 0x…, 0b…, inf, nan), true or false, text as it is, the name of an enumeration's value, null for a pointer (for a string that is NULL use --arguments), for a callback the name or UUID of a function of that very type; a struct, a complex number and a buffer are JSON, such as '{\"x\": 3, \"y\": 4}' and '[1, 2, 3]', and a buffer of bytes may be text or {\"base64\": \"…\"}. Leave out what the function only writes, and the length of a buffer that you give. Write -- in front of arguments that begin with a dash and are not numbers.",
      "A struct, an array and bytes, as {\"base64\": \"…\"}, are printed as JSON, and so is what a function writes, with its result: {\"return\": …, \"NAME\": …}. An enumeration's value is printed by its name. With --json: {result}.",
    ])

  private struct Report: Encodable {
    let result: Value
  }

  static func run(_ arguments: ParsedArguments) async throws -> ExitStatus {
    let name = arguments.operands[0]
    let given = try factoryArguments(arguments)
    let host = try Setup.host(arguments)
    try await Setup.start(host, arguments)
    let function = try function(name, host)
    let result = function.shown(try call(function, given, host))
    // What the function itself has printed, and C still keeps, comes before what it returned.
    fflush(nil)
    if arguments.has(.json) {
      try JSON.write(Report(result: result))
    } else if result != .void {
      try Terminal.write(result.line + "\n")
    }
    host.shutdown()
    return .success
  }

  private static func factoryArguments(_ arguments: ParsedArguments) throws -> FactoryArguments {
    let texts = Array(arguments.operands.dropFirst())
    guard let text = arguments.one(json) else { return .text(texts) }
    guard texts.isEmpty else {
      throw CommandFailure(.usage, "arguments are given both as operands and with --arguments; use one of the two")
    }
    return .json(text)
  }

  private static func function(_ name: String, _ host: PluginHost) throws -> Registration {
    let functions = host.functions(name)
    guard let function = functions.first else {
      if let factory = host.registrations.first(where: {
        $0.name == name || $0.uuid?.uuidString.lowercased() == name.lowercased()
      }) {
        throw CommandFailure(
          .usage, "\(factory.name) of \(factory.plugin) makes instances and is not called; use troupe resolve or troupe run")
      }
      let known = knownNames(host.registrations.filter(\.isFunction).map(\.name), for: name)
      throw CommandFailure(.unavailable, "there is no function \"\(name)\"; known functions: \(known)")
    }
    guard functions.count == 1 else {
      let list = functions.map(\.distinction).joined(separator: ", ")
      throw CommandFailure(.usage, "several functions are named \"\(name)\"; give the UUID of one: \(list)")
    }
    return function
  }

  private static func call(_ registration: Registration, _ arguments: FactoryArguments, _ host: PluginHost) throws -> Value {
    do {
      return try host.call(registration, arguments)
    } catch let failure as ResolutionFailure {
      throw CommandFailure(failure)
    }
  }
}
