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
///     "gamma": null } }
/// ```
///
/// It is a merge patch (RFC 7396) in which functions go by their names: a member replaces the one from the headers, and null removes a member
/// or a function. A signature adopts a function whose declaration no signature describes.
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
  private(set) var signatures: [String: String] = [:]
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
          edits[function.name] = .members(try JSONObject(function.value).members)
          signatures[function.name] = try Self.signature(function)
        }
      }
    } catch {
      throw Diagnosis(.invalidData, path, problem: error.sentence(in: lines), remedy: error.remedy)
    }
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

  private static func signature(_ function: JSONMember) throws(JSONError) -> String? {
    let example = "a C function type, such as \"double (double x, double y)\""
    guard let signature = try JSONObject(function.value).optionalMultilineString("signature", expecting: example) else {
      return nil
    }
    do throws(SignatureError) {
      _ = try Signature(parsing: signature.text)
    } catch {
      throw JSONError(signature.location, "is malformed: \(error)", remedy: "write \(example)")
    }
    return signature.text
  }

  /// The members of a function that replace those from the headers.
  func members(of function: String) -> [JSONMember] {
    if case .members(let members)? = edits[function] { members } else { [] }
  }

  func removes(_ function: String) -> Bool { if case .removal? = edits[function] { true } else { false } }

  /// Throws a `Diagnosis` for a function that the library does not have.
  ///
  /// - Parameter functions: The names of those that the headers declare and the library exports.
  func check(_ functions: [String]) throws(Diagnosis) {
    let known = Set(functions)
    guard let name = edits.keys.sorted().first(where: { !known.contains($0) }) else { return }
    let nearest = nearestName(to: name, in: functions).map { "rename it to \"\($0)\", or remove it" }
    throw Diagnosis(
      .invalidData, path,
      problem: "edits the function \"\(name.shortened())\", which the headers do not declare or the library does not export",
      remedy: nearest ?? "remove it")
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
