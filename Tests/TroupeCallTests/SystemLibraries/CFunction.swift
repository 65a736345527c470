import Foundation
import TestSupport

@testable import TroupeCall

/// A function in C that makes a call and prints its results. It has a variable for each parameter.
struct CFunction {
  /// The definitions of the structs that it needs.
  private(set) var definitions: Set<String> = []
  private let call: SystemCall
  private var resultType = ""
  private var signature: Signature { call.signature }
  /// The declarations of the arguments, and of the buffers that the function fills, whose lengths may be arguments.
  private var inputs: [String] = []
  private var outputs: [String] = []
  /// The types of the parameters in C, and the arguments.
  private var types: [String] = []
  private var arguments: [String] = []
  /// The statements behind the call.
  private var shown: [String] = []
  /// The parameters whose values are the lengths of buffers.
  private var lengths: Set<Int> = []

  init(_ call: SystemCall) throws {
    self.call = call
    resultType = spelling(call.signature.result)
    var values = call.arguments[...]
    for (index, parameter) in call.signature.parameters.enumerated() {
      let value = call.signature.takesArgument[index] ? values.popFirst() : nil
      if call.signature.fixedCount == index { types.append("...") }
      switch parameter.passing {
      case .value: try addValue(index, parameter, value)
      case .pointer(let direction): try addReference(index, parameter, value, direction)
      case .buffer(let direction, let length, let used):
        try addBuffer(index, parameter, value, length)
        if direction != .input { show(.sequence(parameter.type, used ?? length), name(index)) }
      }
    }
  }

  /// The statements of the function.
  var body: String {
    let pointer = "((\(resultType) (*)(\(types.isEmpty ? "void" : types.joined(separator: ", "))))function)"
    let expression = "\(pointer)(\(arguments.joined(separator: ", ")))"
    let libraries = call.libraries.map(Self.quoted).joined(separator: ", ")
    var lines = ["void *function = find(\"\(call.name)\", (const char *[]){\(libraries), 0});"] + inputs + outputs
    if signature.result == .void {
      lines.append(expression + ";")
    } else {
      lines += ["\(resultType) result = \(expression);", "SEPARATE(); " + showing(signature.result, "result")]
      if let variable = call.variable { lines.append("handle_\(variable) = result;") }
    }
    return (lines + shown + ["END();"]).map { "  \($0)\n" }.joined()
  }

  private func name(_ index: Int) -> String { signature.parameters[index].name ?? "parameter\(index)" }

  private mutating func addValue(_ index: Int, _ parameter: Signature.Parameter, _ value: Value?) throws {
    let type = spelling(parameter.type)
    // The length of a buffer is declared behind the buffer.
    if let value { inputs.append("\(type) \(name(index)) = \(try literal(value, parameter.type));") }
    if signature.fixedCount.map({ index < $0 }) ?? true { types.append(type) }
    arguments.append(name(index))
  }

  private mutating func addReference(
    _ index: Int, _ parameter: Signature.Parameter, _ value: Value?, _ direction: Signature.Parameter.Direction
  ) throws {
    if let value {
      inputs.append("\(spelling(parameter.type)) \(name(index)) = \(try literal(value, parameter.type));")
    } else if direction == .output {
      inputs.append("\(spelling(parameter.type)) \(name(index)) = {0};")
    }
    types.append("void *")
    arguments.append("&\(name(index))")
    show(parameter.type, name(index))
    if parameter.type.isReference { shown.append("handle_\(name(index)) = \(name(index));") }
  }

  private mutating func addBuffer(
    _ index: Int, _ parameter: Signature.Parameter, _ value: Value?, _ length: LengthExpression
  ) throws {
    let (type, name) = (parameter.type, name(index))
    types.append("void *")
    arguments.append(name)
    guard let value else {
      outputs.append("\(spelling(type)) \(name)[\(length.text(self.name))]; memset(\(name), 0, sizeof \(name));")
      return
    }
    if case .string(let text?) = value {
      // Without a length, C adds a zero.
      inputs.append("\(spelling(type)) \(name)[\(length.isTerminated ? "" : "\(text.utf8.count)")] = \(Self.quoted(text));")
    } else {
      let elements = try (value.elements ?? []).map { try literal($0, type) } + (length.isTerminated ? ["{0}"] : [])
      inputs.append("\(spelling(type)) \(name)[] = {\(elements.joined(separator: ", "))};")
    }
    if let index = length.parameter, lengths.insert(index).inserted {
      inputs.append("\(spelling(signature.parameters[index].type)) \(self.name(index)) = sizeof \(name) / sizeof *\(name);")
    }
  }

  private mutating func show(_ type: CType, _ expression: String) {
    shown.append("SEPARATE(); " + showing(type, expression))
  }

  /// A type as C spells it; pointers without a known target are `void *`.
  private mutating func spelling(_ type: CType) -> String {
    switch type {
    case .record(let record):
      definitions.insert(type.description)
      return "\(record.kind.rawValue) \(record.name ?? "")"
    case .enumeration(let enumeration): return enumeration.underlying.name
    case .reference(let reference): return reference.record.map { "const \(spelling(.record($0))) *" } ?? "void *"
    case .sequence(let element, _): return spelling(element) + " *"
    case .pointer, .function: return "void *"
    default: return type.description
    }
  }

  /// A value as an initializer in C.
  private mutating func literal(_ value: Value, _ type: CType) throws -> String {
    if case .string(let text?) = value, text.first == "$" { return "handle_" + text.dropFirst() }
    if case .reference(let reference) = type, let pointee = reference.record.map(CType.record), value != .null {
      return "&(\(spelling(pointee)))\(try literal(value, pointee))"
    }
    switch try value.converted(to: type) {
    case .bool(let bool): return bool ? "1" : "0"
    case .integer(let integer): return "(\(spelling(type)))\(UInt64(truncatingIfNeeded: integer))ULL"
    case .float(let float): return "\(float)f"
    case .double(let double): return "\(double)"
    case .longDouble(let number): return "\(number)L"
    case .string(let text?):
      guard case .wideString(let integer) = type else { return Self.quoted(text) }
      return (integer.name == "wchar_t" ? "L" : "u") + "\"\(text)\""
    case .array(let parts): return "CMPLX(\(try parts.map { try literal($0, .double) }.joined(separator: ", ")))"
    case .structure(let fields):
      guard case .record(let record) = type else { return "{0}" }
      let members = try zip(record.members, fields).map { ".\($0.name) = \(try literal($1.value, $0.type))" }
      return "{\(members.joined(separator: ", "))}"
    default: return "0"
    }
  }

  /// Statements that print an expression.
  private func showing(_ type: CType, _ expression: String) -> String {
    switch type {
    case .void: return ""
    case .bool, .integer, .enumeration: return "SHOW_INTEGER(\(expression));"
    case .float, .double, .longDouble: return "SHOW_FLOATING(\(expression));"
    case .complex(let real):
      let part = real == .float ? "float" : "double"
      let parts = [0, 1].map { "SHOW_FLOATING(((\(part) *)&\(expression))[\($0)]);" }
      return "printf(\"[\"); " + parts.joined(separator: " printf(\",\"); ") + " printf(\"]\");"
    case .string: return "show_text(\(expression));"
    case .wideString(let integer): return "show_wide(\(expression), \(integer.width / 8));"
    case .reference(let reference):
      guard let pointee = reference.record.map(CType.record) else { return "printf(\(expression) ? \"pointer\" : \"null\");" }
      return "if (!\(expression)) printf(\"null\"); else { \(showing(pointee, "(*\(expression))")) }"
    case .record(let record):
      let members = record.members.map { showing($0.type, "\(expression).\($0.name)") }
      return "printf(\"{\"); " + members.joined(separator: " printf(\",\"); ") + " printf(\"}\");"
    case .sequence(let element, let length):
      if element.isByte, !length.isTerminated { return "show_bytes(\(expression), \(length.text(name)));" }
      let condition = length.isTerminated ? "!is_zero(&\(expression)[i], sizeof *\(expression))" : "i < \(length.text(name))"
      let item = "if (i) printf(\",\"); \(showing(element, "\(expression)[i]"))"
      return "printf(\"[\"); for (long i = 0; \(condition); i++) { \(item) } printf(\"]\");"
    default: return "printf(\(expression) ? \"pointer\" : \"null\");"
    }
  }

  private static func quoted(_ text: String) -> String {
    let isPlain = { (byte: UInt8) in (35...126).contains(byte) && byte != UInt8(ascii: "\\") }
    return "\"" + text.utf8.map { isPlain($0) ? String(UnicodeScalar($0)) : "\\" + octal($0) }.joined() + "\""
  }

  private static func octal(_ byte: UInt8) -> String {
    let digits = String(byte, radix: 8)
    return String(repeating: "0", count: 3 - digits.count) + digits
  }
}
