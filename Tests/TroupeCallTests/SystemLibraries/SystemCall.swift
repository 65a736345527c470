import Foundation
import TestSupport
import Testing

@testable import TroupeCall

/// A call in the table.
struct SystemCall {
  /// The names of the library, of which one is installed.
  let libraries: [String]
  let name: String
  let signature: Signature
  /// The arguments. For a reference, a text `$x` means the reference x of an earlier call.
  let arguments: [Value]
  /// The name of the reference that the function returns.
  let variable: String?

  /// Reads the table, whose form it describes at its beginning.
  static func table() throws -> [SystemCall] {
    let text = try String(contentsOfFile: Repo.fixture("calls/system-libraries.txt"), encoding: .utf8)
    var (libraries, declarations): ([String], String) = ([], "")
    var (signature, arguments): (Signature?, [Value]) = (nil, [])
    var calls: [SystemCall] = []
    for line in text.split(separator: "\n") where !line.hasPrefix("#") {
      if line.hasPrefix("    ") {
        var words = line.split(separator: " ")[...]
        while let word = words.popFirst() {
          let isVariable = words.first == "="
          let name = isVariable ? words.dropFirst().first : word
          if isVariable { words = words.dropFirst(2) }
          calls.append(
            SystemCall(
              libraries: libraries, name: String(try #require(name)), signature: try #require(signature), arguments: arguments,
              variable: isVariable ? String(word) : nil))
        }
      } else if line.hasPrefix("  ") {
        let parts = line.components(separatedBy: " =>")
        let parsed = try Signature(parsing: declarations + parts[0])
        (signature, arguments) = (parsed, try parsed.arguments(json: "[\(parts[1])]"))
      } else {
        let parts = line.components(separatedBy: " : ")
        libraries = parts[0].components(separatedBy: " | ")
        declarations = parts.count > 1 ? parts[1] : ""
      }
    }
    return calls
  }

  /// Calls the function with Troupe; returns the result and the outputs as the C program prints them.
  func run(_ references: inout [String: Value]) throws -> String {
    let library = try #require(
      libraries.lazy.compactMap { dlopen($0, RTLD_NOW | RTLD_LOCAL) }.first, "install the library \(libraries[0])")
    let function = try #require(dlsym(library, name), "the library \(libraries[0]) has no \(name)")
    // A sanitizer replaces the C library's free.
    let symbols: PreparedCall.SymbolLookup = { PreparedCall.global($0) ?? dlsym(library, $0).map { UnsafeRawPointer($0) } }
    let arguments = arguments.map { if case .string(let text?) = $0, text.first == "$" { references[text] ?? $0 } else { $0 } }
    let outcome = try PreparedCall(signature: signature, function: function, symbols: symbols).call(arguments)
    var texts: [String] = []
    if signature.result != .void {
      let result = signature.outputs.isEmpty ? outcome : outcome["return"]
      texts.append(Self.text(try #require(result)))
      if let variable { references["$" + variable] = result }
    }
    for parameter in signature.outputs {
      let name = try #require(parameter.name)
      let output = try #require(outcome[name])
      texts.append(Self.text(output))
      if output.reference != nil { references["$" + name] = output }
    }
    return texts.joined(separator: " ")
  }

  /// A value as the C program prints it: floating-point numbers by their bits, text and bytes without zeros at the end, and what a
  /// reference to a defined struct leads to.
  private static func text(_ value: Value) -> String {
    if case .reference(let reference) = value, reference.record != nil, let members = try? reference.read() {
      return text(members)
    }
    return switch value {
    case .void: ""
    case .bool(let bool): bool ? "1" : "0"
    case .integer(let integer): "\(integer)"
    case .float(let float): float.isNaN ? "nan" : String(float.bitPattern, radix: 16)
    case .double(let double): double.isNaN ? "nan" : String(double.bitPattern, radix: 16)
    case .longDouble(let number):
      number.number.isNaN ? "nan" : withUnsafeBytes(of: number.number) { $0.prefix(10).map { String($0, radix: 16) }.joined() }
    case .string(nil), .null: "null"
    case .string(let text?): quoted(Array(text.utf8))
    case .bytes(let bytes): quoted(bytes)
    case .array(let elements): "[" + elements.map { text($0) }.joined(separator: ",") + "]"
    case .packedArray(let elements): "[" + elements.map { text($0) }.joined(separator: ",") + "]"
    case .structure(let fields): "{" + fields.map { text($0.value) }.joined(separator: ",") + "}"
    case .pointer, .callback, .reference, .memory: "pointer"
    }
  }

  private static func quoted(_ bytes: [UInt8]) -> String {
    let end = (bytes.lastIndex { $0 != 0 } ?? -1) + 1
    return "\"" + bytes[..<end].map { (33...126).contains($0) ? String(UnicodeScalar($0)) : "\\\($0)," }.joined() + "\""
  }
}
