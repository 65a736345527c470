internal import TroupeSignature

/// Writes each signature of a library with the most detail that the parser of signatures accepts.
struct SignatureWriters {
  private let header: Header
  private let handles: Header.Handles
  private let guess: OwnerGuess?
  private let details: [SignatureWriter.Detail]

  /// - Parameter functions: All functions of the library, which also show which objects only the library can read.
  init(_ header: Header, _ functions: [Header.Function], _ request: LibraryAdoption.Request) {
    self.header = header
    handles = Header.Handles(functions, in: header)
    guess = request.guessesOwners ? OwnerGuess(functions, header, handles) : nil
    details = SignatureWriter.Detail.allCases.filter { request.guessesBuffers || $0 != .guesses }
  }

  /// The functions whose results each function releases.
  var owners: [String: [String]] { guess?.results ?? [:] }
  /// The functions that create objects without an owner, since another object may take them over, by the types.
  var unowned: [String: [String]] { guess?.unowned ?? [:] }

  /// Returns the first signature that can be read, and the declarations in front of it. Throws the error of the one with the least detail.
  func signature(_ function: Header.Function) throws(InexpressibleError) -> (declarations: [String], type: String) {
    try best(function.type) { writer throws(InexpressibleError) in
      let type = try writer.type(of: function)
      return (type, type)
    }
  }

  /// Returns the definitions of the tags that a signature mentions and does not declare, and of those that these mention. Tags that the headers
  /// do not define have none.
  func definitions(for signature: String) -> [String] {
    var writer = SignatureWriter(header, handles, .definitions)
    let tags = signature.matches(of: /\b(struct|union|enum)\s+(\w+)\s*([{;:])?/)
    let own = Set(tags.filter { $0.3 != nil }.map { "\($0.1) \($0.2)" })
    for tag in tags.map({ "\($0.1) \($0.2)" }) where !own.contains(tag) && header.definitions[tag] != nil {
      if tag.hasPrefix("enum ") { try? writer.define(tag) } else { writer.reference(tag) }
    }
    return writer.declarations
  }

  /// Returns the type of a variable, and the declarations in front of it.
  func type(_ variable: Header.Variable) throws(InexpressibleError) -> (declarations: [String], type: String) {
    try best(variable.type) { writer throws(InexpressibleError) in
      let type = try writer.type(of: variable)
      return (type, type + " (void)")
    }
  }

  /// - Parameter write: Returns the type, and a signature with it.
  private func best(
    _ subject: String,
    _ write: (inout SignatureWriter) throws(InexpressibleError) -> (type: String, signature: String)
  ) throws(InexpressibleError) -> (declarations: [String], type: String) {
    var lastError = InexpressibleError("the type \(subject)")
    for detail in details {
      var writer = SignatureWriter(header, handles, detail)
      writer.owners = guess
      do throws(InexpressibleError) {
        let (type, signature) = try write(&writer)
        do throws(SignatureError) {
          _ = try Signature(parsing: (writer.declarations + [signature]).joined(separator: " "))
          return (writer.declarations, type)
        } catch {
          lastError = InexpressibleError("the type \(subject): \(error.problem)")
        }
      } catch {
        lastError = error
      }
    }
    throw lastError
  }
}
