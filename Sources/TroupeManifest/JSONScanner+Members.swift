internal import Glibc
internal import TroupeBase

/// Reads values of expected types for manifests. A value of another type is skipped, so that the error can name the member.
extension JSONScanner {
  enum Found<Value> {
    case value(Value)
    case null
    case other
  }

  /// The opening brace must be next.
  ///
  /// - Parameter member: Reads the value of the member with a name.
  mutating func readObject(_ member: (inout JSONScanner, ArraySlice<UInt8>) throws(SyntaxError) -> Void) throws(SyntaxError) {
    var hasMember = try enter(.object)
    while hasMember {
      let name = try scanName()
      try skipColon()
      try member(&self, name)
      hasMember = try advance(in: .object)
    }
  }

  mutating func readString() throws(SyntaxError) -> Found<String> {
    next == UInt8(ascii: "\"") ? .value(try scanString()) : try skipOther()
  }

  /// Reads a string, a number, `true` or `false`, as text.
  mutating func readScalar() throws(SyntaxError) -> Found<String> {
    switch next {
    case UInt8(ascii: "\""), UInt8(ascii: "n"), UInt8(ascii: "{"), UInt8(ascii: "["): try readString()
    default: .value(try scanScalar())
    }
  }

  mutating func readStrings() throws(SyntaxError) -> Found<[String]> {
    try readElements { (scanner) throws(SyntaxError) in try scanner.readString() }
  }

  mutating func readObjects<Value>(_ read: (inout JSONScanner) throws(SyntaxError) -> Value) throws(SyntaxError) -> Found<
    [Value]
  > {
    try readElements { (scanner) throws(SyntaxError) in
      scanner.next == UInt8(ascii: "{") ? .value(try read(&scanner)) : try scanner.skipOther()
    }
  }

  private mutating func readElements<Value>(
    _ read: (inout JSONScanner) throws(SyntaxError) -> Found<Value>
  ) throws(SyntaxError) -> Found<[Value]> {
    guard next == UInt8(ascii: "[") else { return try skipOther() }
    var (values, hasOthers): ([Value], Bool) = ([], false)
    var hasElement = try enter(.array)
    while hasElement {
      if case .value(let value) = try read(&self) { values.append(value) } else { hasOthers = true }
      hasElement = try advance(in: .array)
    }
    return hasOthers ? .other : .value(values)
  }

  private mutating func skipOther<Value>() throws(SyntaxError) -> Found<Value> {
    let isNull = next == UInt8(ascii: "n")
    try skipValue()
    return isNull ? .null : .other
  }
}

/// Matches the name of a member in a `switch`, without a `String`.
func ~= (word: StaticString, name: ArraySlice<UInt8>) -> Bool {
  guard name.count == word.utf8CodeUnitCount else { return false }
  return name.withUnsafeBytes { bytes in bytes.baseAddress.map { memcmp($0, word.utf8Start, bytes.count) == 0 } ?? true }
}
