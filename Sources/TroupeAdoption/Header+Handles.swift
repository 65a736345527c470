extension Header {
  /// The objects that only the library can read, to which its functions take pointers.
  struct Handles {
    /// The typedefs of `void` to which a function returns a pointer, such as `CURL`.
    private(set) var voids: Set<String> = []
    /// The defined structs that functions return and take by pointer, and in no other form.
    private(set) var structs: Set<String> = []

    /// - Parameter functions: The functions of the library.
    init(_ functions: [Function], in header: Header) {
      var (returned, taken, read): (Set<String>, Set<String>, Set<String>) = ([], [], [])
      for function in functions {
        guard case .function(let result, let list)? = try? HeaderTypeParser.type(function.type) else { continue }
        if let pointee = result.pointee, !pointee.isConstant, let name = header.nameOfVoid(pointee) { voids.insert(name) }
        for (index, type) in ([result] + list.types).enumerated() {
          guard let type = try? header.resolve(type), let words = type.words ?? type.pointee?.words else { continue }
          if type.pointee?.isConstant ?? true {
            read.insert(words)
          } else if index == 0 {
            returned.insert(words)
          } else {
            taken.insert(words)
          }
        }
      }
      // A program passes streams of the C library without reading them.
      structs = returned.intersection(taken).subtracting(read).union(["struct _IO_FILE"])
    }

    func contains(_ words: String, _ header: Header) -> Bool {
      guard words.hasPrefix("struct ") || words.hasPrefix("union "), !words.hasSuffix(HeaderTypeParser.anonymous) else {
        return false
      }
      return structs.contains(words) || header.definitions[words] == nil
    }
  }
}
