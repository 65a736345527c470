internal import TroupeHost

/// A step of `troupe call` that writes a member of a library's struct or an element of memory, as an assignment does in C.
///
///     troupe call open_image @image.jpg --then '$1.width' = 3 --then '$1.next.name' = text --then draw '$1'
///
/// The member's type decides how the value is read, as that of a parameter does. What the member then points to lives until the chain ends.
struct MemberAssignment {
  /// Such as `$1.next.name`.
  let place: String
  private let value: CallArgument

  /// - Parameter words: The place, `=` and the value.
  init(_ words: [String]) throws {
    guard words.count == 3, words[1] == "=" else {
      let shown = words.joined(separator: " ").shortened()
      throw Diagnosis(
        .usage, problem: "\"\(shown)\" is no assignment", remedy: "write --then '$1.MEMBER' = VALUE, or the name of a function")
    }
    place = words[0]
    value = try CallArgument.read([words[2]])[0]
  }

  /// Writes the member. Throws a `Diagnosis` if there is none, or for a value that does not fit.
  func perform(_ earlier: [EarlierCall]) throws {
    let (number, object, path) = try CallArguments.place(place, earlier)
    do {
      try object.assign(to: String(path)) { type in
        let parameter = Signature.Parameter(type: type, name: nil)
        let read = try CallArguments.argument(value, for: parameter, earlier, earlier[number - 1].constants)
        return try Signature(result: .void, parameters: [parameter]).arguments(reading: [read])[0]
      }
    } catch let error as CallError {
      throw Diagnosis(.usage, "\"\(place.shortened())\"", problem: error.problem, remedy: error.remedy)
    }
  }
}
