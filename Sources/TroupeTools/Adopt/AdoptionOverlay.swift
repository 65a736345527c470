internal import Glibc
internal import TroupeBase
internal import TroupeHost
internal import TroupeSignature

/// Edits of an adoption file in a file of their own, so that a new run of `troupe adopt` keeps them.
///
/// ```json
/// { "threads": "any",
///   "functions": {
///     "frexp": { "signature": "double (double x, out int *exponent)", "tags": ["math"] },
///     "print_number": { "symbol": "printf", "signature": "int (string format, ..., int number)" },
///     "gamma": null } }
/// ```
///
/// It is a merge patch (RFC 7396) in which functions go by their names: a member replaces the one from the headers, and null removes a member,
/// a function or a variable. A signature adopts a function whose declaration no signature describes, and may mention the tags of the headers. A
/// new name with a symbol adopts that function once more.
struct AdoptionOverlay {
  /// Members of a function, or null for one to leave out.
  private enum Edit {
    case members([JSONMember])
    case removal
  }

  let path: String
  /// The members beside `functions`.
  let members: [JSONMember]
  private var edits: [String: Edit] = [:]
  /// The signatures that replace those of the declarations.
  private var signatures: [String: JSONObject.Text] = [:]
  private var symbols: [String: JSONObject.Text] = [:]
  private let lines: JSONLines

  /// The largest size of the file in bytes.
  private static var maximumSize: UInt64 { AdoptionFile.maximumSize }

  /// Throws a `Diagnosis` with the line of an error.
  init(path: String) throws(Diagnosis) {
    let bytes = try Self.content(path)
    (self.path, lines) = (path, JSONLines(bytes))
    do throws(JSONError) {
      let whole = try JSONObject(JSONReader.read(bytes))
      members = whole.members.filter { $0.name != "functions" }
      if let id = whole.members.first(where: { $0.name == "id" }) {
        throw JSONError(id.value.location, "is in the overlay", remedy: "remove it, and set it with --id")
      }
      let example = "an object such as {\"frexp\": {\"tags\": [\"math\"]}}"
      for function in try whole.optionalObject("functions", expecting: example)?.members ?? [] {
        if case .null = function.value.content {
          edits[function.name] = .removal
        } else {
          let object = try JSONObject(function.value)
          edits[function.name] = .members(object.members)
          signatures[function.name] = try object.optionalMultilineString("signature", expecting: Self.signatureExample)
          symbols[function.name] = try object.optionalString("symbol", expecting: "the name of a function, such as \"crc32\"")
        }
      }
    } catch {
      throw Diagnosis(.invalidData, path, problem: error.sentence(in: lines), remedy: error.remedy)
    }
  }

  private static let signatureExample = "a C function type, such as \"double (double x, double y)\""

  private func diagnosis(_ error: JSONError) -> Diagnosis {
    Diagnosis(.invalidData, path, problem: error.sentence(in: lines), remedy: error.remedy)
  }

  private static func content(_ path: String) throws(Diagnosis) -> [UInt8] {
    do throws(SystemError) {
      let bytes = try FileDescriptor(opening: path, O_RDONLY).readToEnd()
      guard bytes.count > maximumSize else { return bytes }
    } catch {
      throw Diagnosis(.unreadable, path, problem: "cannot be read: \(error)", remedy: "correct the path of --overlay")
    }
    throw Diagnosis(
      .tooLarge, path, problem: "has more than \(maximumSize) bytes", remedy: "divide it among several files with --only")
  }

  /// Returns the signature that replaces the one of a declaration, or nil. Throws a `Diagnosis` with the line of a malformed one.
  ///
  /// - Parameter define: Returns the definitions in the headers of the tags that a signature mentions.
  func signature(
    of function: String, _ define: (String) -> [String]
  ) throws(Diagnosis) -> (declarations: [String], type: String)? {
    guard let signature = signatures[function] else { return nil }
    let declarations = define(signature.text)
    do throws(SignatureError) {
      _ = try Signature(parsing: (declarations + [signature.text]).joined(separator: " "))
    } catch {
      throw diagnosis(
        JSONError(signature.location, "is malformed: \(error)", remedy: "write \(Self.signatureExample)"))
    }
    return (declarations, signature.text)
  }

  /// The members of a function that replace those from the headers.
  func members(of function: String) -> [JSONMember] {
    if case .members(let members)? = edits[function] { members } else { [] }
  }

  func removes(_ function: String) -> Bool { if case .removal? = edits[function] { true } else { false } }

  /// Returns the further names that the overlay gives to functions, each with a symbol. Throws a `Diagnosis` for functions and symbols
  /// that the library does not have.
  ///
  /// - Parameters:
  ///   - names: The functions and variables that the headers declare and the library exports.
  ///   - known: The symbols of these functions.
  func additions(to names: [String], _ known: [String]) throws(Diagnosis) -> [(name: String, symbol: String)] {
    let (declared, exported) = (Set(names), Set(known))
    for (_, symbol) in symbols.sorted(by: { $0.key < $1.key }) where !exported.contains(symbol.text) {
      let nearest = nearestName(to: symbol.text, in: known).map { "write \($0.shown)" }
      throw diagnosis(
        JSONError(
          symbol.location, "is \(symbol.text.shown), which the headers do not declare or the library does not export",
          remedy: nearest ?? "name an exported function"))
    }
    let others = edits.keys.filter { !declared.contains($0) }.sorted()
    let unknown = others.filter { symbols[$0] == nil }
    if let first = unknown.first {
      let shown = unknown.map { "\"\($0.shortened())\"" }.listed(atMost: 10)
      let nearest = unknown.count > 1 ? nil : nearestName(to: first, in: names).map { "rename it to \"\($0)\", or remove it" }
      throw Diagnosis(
        .invalidData, path,
        problem: "edits the function\(unknown.count == 1 ? "" : "s") \(shown), "
          + "which the headers do not declare or the library does not export",
        remedy: nearest ?? "remove \(unknown.count == 1 ? "it" : "them"), or add a symbol that the library exports")
    }
    return others.compactMap { name in symbols[name].map { (name, $0.text) } }
  }

  /// Throws a `Diagnosis` if the host would refuse a part of the file with these edits.
  func check(_ content: String) throws(Diagnosis) {
    let refusal: (name: String?, error: JSONError)?
    do throws(JSONError) {
      let file = try AdoptionFile(Array(content.utf8))
      refusal = file.errors.first ?? file.refusals.first.flatMap { name, errors in errors.first.map { (name, $0) } }
    } catch {
      refusal = (nil, error)
    }
    guard let (name, error) = refusal else { return }
    // A path into a function begins with its index in the written file.
    let member = error.path.description
    let place = name.map { "functions.\($0)\(member.drop { $0 != "]" }.dropFirst())" } ?? member
    throw Diagnosis(.invalidData, path, problem: "makes an invalid file: \(place) \(error.problem)", remedy: error.remedy)
  }
}

extension [(name: String, json: String)] {
  /// Replaces, adds and removes members, as a merge patch does.
  mutating func merge(_ patch: [JSONMember]) {
    for member in patch {
      let index = firstIndex { $0.name == member.name }
      if case .null = member.value.content {
        if let index { remove(at: index) }
      } else if let index {
        self[index].json = member.value.text
      } else {
        append((member.name, member.value.text))
      }
    }
  }
}
