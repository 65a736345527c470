internal import Troupe
internal import TroupeHost

// Checks and copies of the arguments that a program passes to functions of `troupe-host.h`. Each failure is a `Diagnosis` with the code
// `invalidArgument` whose subject is the argument's name.

extension String {
  /// Copies a required string, which must be UTF-8.
  init(_ text: UnsafePointer<CChar>?, as name: String) throws(Diagnosis) {
    guard let text = try Self.optional(text, as: name) else { throw .missing(name) }
    self = text
  }

  /// Copies a string that may be NULL.
  static func optional(_ text: UnsafePointer<CChar>?, as name: String) throws(Diagnosis) -> String? {
    guard let text else { return nil }
    guard let copy = String(validatingCString: text) else {
      throw Diagnosis(.invalidArgument, name, problem: "is not UTF-8", remedy: "encode it as UTF-8")
    }
    return copy
  }

  /// Copies an array of strings.
  static func list(
    _ texts: UnsafePointer<UnsafePointer<CChar>>?, _ count: Int, as name: String
  ) throws(Diagnosis) -> [String] {
    guard try Diagnosis.hasElements(count, of: texts, name), let texts else { return [] }
    // Read as pointers that may be NULL, since the program may pass any.
    return try UnsafeRawPointer(texts).withMemoryRebound(to: UnsafePointer<CChar>?.self, capacity: count) {
      texts throws(Diagnosis) in
      var list: [String] = []
      for index in 0..<count { list.append(try String(texts[index], as: "\(name)[\(index)]")) }
      return list
    }
  }
}

extension ABIStruct {
  /// Copies a struct into this library's layout. Members beyond its `struct_size` are zero. The struct is at least as large as in the first
  /// version of the header.
  func copy<Layout: BitwiseCopyable>(_ source: UnsafePointer<Layout>?, as name: String) throws(Diagnosis) -> Layout {
    guard let source else { throw .missing(name) }
    guard let copy = copy(source, as: Layout.self, minor: 0) else {
      throw Diagnosis(
        .invalidArgument, name, problem: "has struct_size \(Self.declaredSize(of: source))",
        remedy: "set it to sizeof of the struct, at least \(size(inMinor: 0))")
    }
    return copy
  }
}

extension Diagnosis {
  /// Checks the count of an array. Swift imports a `size_t` above `Int.max` as a negative number.
  static func hasElements(_ count: Int, of array: (some _Pointer)?, _ name: String) throws(Diagnosis) -> Bool {
    guard 0...(Int.max / MemoryLayout<Int>.size) ~= count else {
      throw Diagnosis(
        .invalidArgument, name, problem: "has \(UInt(bitPattern: count)) elements, more than fit into memory",
        remedy: "pass the number of elements")
    }
    guard count == 0 || array != nil else { throw .missing(name) }
    return count > 0
  }

  static func missing(_ name: String) -> Diagnosis {
    Diagnosis(.invalidArgument, name, problem: "is NULL", remedy: "pass a valid pointer")
  }
}
