import FoundationEssentials
import TroupeCall

/// Any bytes as JSON: as a value that is encoded and decoded again, as every type of a table, and as the arguments of functions
/// with buffers. Nothing may trap, and what is converted is converted to itself.
@_cdecl("LLVMFuzzerTestOneInput")
public func test(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = UnsafeBufferPointer(start: start, count: count)
  let text = String(decoding: bytes, as: UTF8.self)
  // The bytes choose what is done besides reading them, since all of it for each text takes too long.
  let choice = bytes.reduce(0) { ($0 &* 31 &+ Int($1)) & 0xFFFF }
  let signature = signatures[choice % signatures.count]
  if let arguments = try? signature.arguments(parsing: [text]) { checkCoded(arguments) }
  // The same as one of an array of arguments, and as all of them.
  if let arguments = try? signature.arguments(json: "[\(text)]") { checkCoded(arguments) }
  if let arguments = try? signature.arguments(json: text) { checkCoded(arguments) }
  guard let value = try? JSONDecoder().decode(Value.self, from: Data(bytes)) else { return 0 }
  check(value)
  for (index, type) in types.enumerated() {
    guard let converted = try? value.converted(to: type) else { continue }
    do {
      let again = try converted.converted(to: type)
      require(again.isSame(as: converted), "\(converted) is \(again) as \(type)")
      // A value that JSON can show is read back.
      if index % 8 == choice % 8, !type.holdsPointers, let decoded = try coded(converted) {
        let back = try decoded.converted(to: type)
        require(back.isSame(as: converted), "\(converted) comes back from JSON as \(back) as \(type)")
      }
    } catch {
      fatalError("\(converted) is of \(type) and does not convert to it: \(error)")
    }
  }
  return 0
}

/// Arguments come back from JSON. A float comes back as a double, and text that looks like bytes as bytes; once more, and nothing
/// changes.
private func checkCoded(_ arguments: [Value]) {
  for argument in arguments {
    do {
      if let value = try coded(argument) { check(value) }
    } catch {
      fatalError("\(argument) is not encoded: \(error)")
    }
  }
}

/// The value, which came from JSON, shows itself and is the same after it was encoded and decoded.
private func check(_ value: Value) {
  _ = value.description
  do {
    guard let again = try coded(value) else { return }
    require(again.isSame(as: value), "\(value) comes back from JSON as \(again)")
  } catch {
    fatalError("\(value) is not encoded: \(error)")
  }
}

/// The value after it was encoded and decoded; nil if it holds an integer that no C type holds.
private func coded(_ value: Value) throws -> Value? {
  let data: Data
  do {
    data = try JSONEncoder().encode(value)
  } catch EncodingError.invalidValue {
    return nil
  }
  return try JSONDecoder().decode(Value.self, from: data)
}

extension Value {
  /// Equality in which NaN is equal to itself, and a whole number to the integer as which it is written.
  fileprivate func isSame(as other: Value) -> Bool {
    switch (self, other) {
    case (.float(let a), .float(let b)) where a.isNaN: b.isNaN
    case (.double(let a), .double(let b)) where a.isNaN: b.isNaN
    case (.longDouble(let a), .longDouble(let b)) where a.double.isNaN: b.double.isNaN
    case (.double(let a), .integer(let b)), (.integer(let b), .double(let a)): Int128(exactly: a) == b
    case (.array(let a), .array(let b)): a.count == b.count && zip(a, b).allSatisfy { $0.isSame(as: $1) }
    case (.structure(let a), .structure(let b)):
      a.count == b.count && zip(a, b).allSatisfy { $0.name == $1.name && $0.value.isSame(as: $1.value) }
    default: self == other
    }
  }
}

extension CType {
  /// True for a type whose values are addresses, which JSON shows and does not accept.
  fileprivate var holdsPointers: Bool {
    switch self {
    case .pointer, .function: true
    case .array(let element, _): element.holdsPointers
    case .record(let record): record.members.contains { $0.type.holdsPointers }
    default: false
    }
  }
}

/// The types that every value is converted to.
private let types: [CType] =
  [
    "char", "signed char", "unsigned char", "short", "unsigned short", "int", "unsigned", "long", "unsigned long", "int8_t",
    "uint8_t", "uint64_t", "wchar_t", "bool", "float", "double", "long double", "string", "pointer", "resolver",
    "float _Complex", "double _Complex",
    "long double _Complex", "struct { double x, y; }", "struct { string base64; }", "struct { uint8_t base64[4]; }",
    "struct { int x; struct { char text[8]; float f[2][2]; } y; union { int64_t i; double d; } z; } packed",
    "union { int i; string s; unsigned char b[3]; }", "enum { RED, GREEN = 4, BLUE = -1 }",
    "enum : uint64_t { NONE, ALL = 0xffffffffffffffff }", "struct { int (*compare)(int, int); enum { A } a; bool b; }",
    "struct { string s; char c[1]; long double l; float _Complex z; uint64_t u; }",
    // These types occur only as elements of arrays.
    "struct { char base64[3]; double d[1]; string s[2]; int i[1]; bool b[1]; } ",
  ].map { type in
    // A type is only read as a part of a signature.
    guard let signature = try? Signature(parsing: "void (\(type) value)") else { fatalError("\(type) is no type") }
    return signature.parameters[0].type
  } + [.void]

/// The functions that every text is an argument of.
private let signatures: [Signature] = [
  "void (const uint8_t data[count], size_t count)", "void (char text[count], uint8_t count)",
  "void (const double values[3])", "void (const string names[count], int count)",
  "void (const struct { int x; string name; } points[count], inout int *count)",
  "void (const int8_t rows[count][3], int count)", "void (inout long double *x)", "void (inout struct { float x; } *x)",
  "void (int (*compare)(int, int))", "void (double x)", "void (uint64_t x)", "void (const enum { A, B } e[2])",
].map { text in
  guard let signature = try? Signature(parsing: text) else { fatalError("\(text) is no signature") }
  return signature
}

/// Ends the process with a message, also in a release build.
private func require(_ condition: Bool, _ message: @autoclosure () -> String) {
  guard condition else { fatalError(message()) }
}
