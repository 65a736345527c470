internal import TroupeHost

/// A copy of a text in C's form, in memory of its own.
final class CText: Sendable {
  // Safe to share: the text is constant.
  /// The text, which ends with a NUL; valid for as long as the object.
  nonisolated(unsafe) let pointer: UnsafePointer<CChar>

  init(_ text: String) {
    let bytes = text.utf8CString
    let copy = UnsafeMutableBufferPointer<CChar>.allocate(capacity: bytes.count)
    _ = copy.initialize(from: bytes)
    // The buffer has at least the NUL.
    pointer = UnsafePointer(copy.baseAddress.unsafelyUnwrapped)
  }

  deinit { pointer.deallocate() }
}

extension String {
  /// Copies a required text of a program.
  ///
  /// - Throws: A `Diagnosis` with the code `invalidArgument` if it is NULL or not UTF-8.
  init(_ text: UnsafePointer<CChar>?, as name: String) throws(Diagnosis) {
    guard let text = try Self.optional(text, as: name) else { throw .missing(name) }
    self = text
  }

  /// Copies a text of a program that may be NULL.
  ///
  /// - Throws: A `Diagnosis` with the code `invalidArgument` if it is not UTF-8.
  static func optional(_ text: UnsafePointer<CChar>?, as name: String) throws(Diagnosis) -> String? {
    guard let text else { return nil }
    guard let copy = String(validatingCString: text) else {
      throw Diagnosis(.invalidArgument, name, problem: "is not UTF-8", remedy: "encode it as UTF-8")
    }
    return copy
  }

  /// Copies the texts of an array of a program.
  ///
  /// - Throws: A `Diagnosis` with the code `invalidArgument`.
  static func list(
    _ texts: UnsafePointer<UnsafePointer<CChar>>?, _ count: Int, as name: String
  ) throws(Diagnosis) -> [String] {
    guard try Diagnosis.checkCount(count, of: texts, name), let texts else { return [] }
    // Read as pointers that may be NULL, since the program may pass any.
    return try UnsafeRawPointer(texts).withMemoryRebound(to: UnsafePointer<CChar>?.self, capacity: count) {
      texts throws(Diagnosis) in
      var list: [String] = []
      for index in 0..<count { list.append(try String(texts[index], as: "\(name)[\(index)]")) }
      return list
    }
  }
}

extension Diagnosis {
  /// Returns whether an array of a program has elements.
  ///
  /// - Throws: A `Diagnosis` with the code `invalidArgument` if the array is NULL or does not fit into memory. A count above the greatest
  ///   `Int` is a negative one here.
  static func checkCount(_ count: Int, of array: (some _Pointer)?, _ name: String) throws(Diagnosis) -> Bool {
    guard 0...(Int.max / MemoryLayout<Int>.size) ~= count else {
      throw Diagnosis(
        .invalidArgument, name, problem: "has \(UInt(bitPattern: count)) elements, more than fit into memory",
        remedy: "pass the number of elements")
    }
    guard count == 0 || array != nil else { throw .missing(name) }
    return count > 0
  }

  /// Returns the diagnosis of an argument that is NULL.
  static func missing(_ name: String) -> Diagnosis {
    Diagnosis(.invalidArgument, name, problem: "is NULL", remedy: "pass a valid pointer")
  }
}
