internal import FoundationEssentials
internal import TroupeBase
internal import TroupeHost

/// The text of an adoption file, with the edits of the overlay, as a host reads it.
///
/// A file that would be too large has no descriptions, and then no constants either.
struct AdoptionFileText {
  let id, name, version, library: String
  let request: LibraryAdoption.Request
  let overlay: AdoptionOverlay?
  let functions: [LibraryAdoption.Function]
  let variables: [LibraryAdoption.Variable]
  /// The declarations that signatures share.
  let types: [String]
  let constants: [String: Manifest.Constant]

  /// Returns the text. Throws a `Diagnosis` if the host would not read the file.
  ///
  /// - Parameter library: The path of the library, for messages.
  func text(of library: String) throws(Diagnosis) -> String {
    // A file that is too large goes without descriptions, and then without constants, so that it keeps all functions.
    var undocumented = functions
    for index in undocumented.indices { undocumented[index].documentation = Documentation(description: "") }
    let contents = [(functions, constants), (undocumented, constants), (undocumented, [:])].lazy.map { json($0, $1) }
    let content = contents.first { $0.utf8.count <= AdoptionFile.maximumSize } ?? json(undocumented, [:])
    guard content.utf8.count <= AdoptionFile.maximumSize, functions.count <= AdoptionFile.maximumFunctionCount else {
      throw Diagnosis(
        .tooLarge, library,
        problem: "has \(functions.count) functions, for a file of \(content.utf8.count) bytes; "
          + "\(AdoptionFile.maximumFunctionCount) functions in \(AdoptionFile.maximumSize) bytes are allowed",
        remedy: "divide them among several files with --only and --id")
    }
    try overlay?.check(content)
    try checkCalls(content)
    return content
  }

  /// Throws a `Diagnosis` for `start` or `stop` that the host would refuse.
  private func checkCalls(_ content: String) throws(Diagnosis) {
    guard request.start != nil || request.stop != nil else { return }
    let error: JSONError?
    do throws(JSONError) { error = try AdoptionFile(Array(content.utf8)).errors.first?.error } catch let refusal {
      error = refusal
    }
    guard let error else { return }
    throw Diagnosis(.usage, "--\(error.path)", problem: error.problem, remedy: error.remedy)
  }

  /// The members have a fixed order, so that the same input gives the same file.
  private func json(_ functions: [LibraryAdoption.Function], _ constants: [String: Manifest.Constant]) -> String {
    var members: [(name: String, json: String)] = [
      ("id", id.inJSON), ("name", name.inJSON), ("version", version.inJSON), ("library", library.inJSON),
    ]
    let list = functions.map { function in
      var members: [(name: String, json: String)] = [
        ("uuid", function.uuid.inJSON), ("name", function.name.inJSON), ("symbol", function.symbol.inJSON),
        ("signature", function.shortened.inJSON),
      ]
      let documentation = function.documentation
      if !documentation.description.isEmpty { members.append(("description", documentation.description.inJSON)) }
      if !documentation.parameters.isEmpty {
        let texts = documentation.parameters.sorted { $0.key < $1.key }.map { "\($0.key.inJSON): \($0.value.inJSON)" }
        members.append(("parameters", "{\(texts.joined(separator: ", "))}"))
      }
      members.merge(function.edits)
      return "    {\n\(Self.lines(members, indentation: 6))\n    }"
    }
    if let start = request.start { members.append(("start", start.inJSON)) }
    if let stop = request.stop { members.append(("stop", stop.inJSON)) }
    if !types.isEmpty { members.append(("types", "[\n" + types.map { "    " + $0.inJSON }.joined(separator: ",\n") + "\n  ]")) }
    if !constants.isEmpty {
      let texts = constants.sorted { $0.key < $1.key }.map { (name: $0.key, json: $0.value.json) }
      members.append(("constants", "{\n\(Self.lines(texts, indentation: 4))\n  }"))
    }
    if !variables.isEmpty {
      let texts = variables.map { variable in
        let members = [
          ("uuid", variable.uuid.inJSON), ("name", variable.name.inJSON), ("symbol", variable.symbol.inJSON),
          ("type", variable.type.inJSON),
        ]
        return "    {\n\(Self.lines(members, indentation: 6))\n    }"
      }
      members.append(("variables", "[\n\(texts.joined(separator: ",\n"))\n  ]"))
    }
    members.merge(overlay?.members ?? [])
    members.append(("functions", "[\n\(list.joined(separator: ",\n"))\n  ]"))
    return "{\n\(Self.lines(members, indentation: 2))\n}\n"
  }

  private static func lines(_ members: [(name: String, json: String)], indentation: Int) -> String {
    let start = String(repeating: " ", count: indentation)
    return members.map { "\(start)\($0.name.inJSON): \($0.json)" }.joined(separator: ",\n")
  }
}
