/// Writes members of structs in C through the values that calls return, with the checks of references and memory.
extension Value {
  /// Writes the member or element at a path, such as `next.marks[0]`, of the object behind a reference or of memory.
  ///
  /// - Parameter value: Returns the new value for the type of the member.
  /// - Throws: A `CallError` as `ForeignReference.write(_:to:)` does, `argumentType` for another value than a reference or memory, or the error of
  ///   the closure.
  package func assign(to path: String, _ value: (CType) throws -> Value) throws {
    switch self {
    case .reference(let reference) where reference.isRemote:
      throw CallError(
        .handle, "the members of \(reference.type) cannot be written, since it is in a worker",
        remedy: "use the plugin without --isolate, or a function of the library that writes them")
    case .reference(let reference):
      // Nothing can be written behind an opaque reference, which the write says.
      try reference.write(try reference.record.map { try value(MemberLocation.type(path, in: $0)) } ?? .null, to: path)
    case .memory(let memory):
      let path = memory.count == 1 && path.hasPrefix("[0]") ? String(path.dropFirst(path.hasPrefix("[0].") ? 4 : 3)) : path
      try memory.write(try value(MemberLocation.type(path, in: memory.type, count: memory.count, size: memory.size)), to: path)
    default:
      throw CallError(
        .argumentType, "\(shown) is no memory of C, so that no member can be written",
        remedy: "write to a reference that a call returned, or to the memory of an argument")
    }
  }
}

extension MemberLocation {
  /// The type that a path leads to, also through references.
  fileprivate static func type(_ path: String, in type: CType, count: Int, size: Int) throws(CallError) -> CType {
    if path.isEmpty { return count == 1 ? type : .array(type, count: count) }
    let (location, rest) = try find(path, in: type, count: count, size: size)
    guard !rest.isEmpty, case .reference(let reference) = location.type, let record = reference.record else {
      return location.type
    }
    return try self.type(rest, in: record)
  }
}
