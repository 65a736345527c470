package import FoundationEssentials
internal import TroupeSignature
package import TroupeFiles
internal import TroupeBase

/// Writes the adoption file of a C library from its headers.
///
///     clang -ast-dump=json ─► SyntaxNode ─► Header ─► SignatureWriter ─► signatures ─► NAME.troupe.json
///     library ─► LibraryExports ──────────────┘ (exported functions only)
///
/// Each exported function gets the most detailed signature that `Signature` can read, or a reason why there is none. The same headers
/// and library give the same file: UUIDs have version 5.
package struct LibraryAdoption {
  /// An adopted function.
  package struct Function {
    /// The name in the headers, under which it is registered.
    package let name: String
    package let symbol: String
    package let uuid: UUID
    package let signature: String
  }

  /// A function that no signature describes.
  package struct UnadoptedFunction {
    package let name: String
    /// A part of a sentence, such as `a va_list`.
    package let reason: String
  }

  package struct Identity {
    package let id, name, version: String
    /// The name or path of the library, as the file names it.
    package let library: String

    package init(id: String, name: String, version: String, library: String) {
      (self.id, self.name, self.version, self.library) = (id, name, version, library)
    }
  }

  /// The functions in the order of the headers.
  package private(set) var functions: [Function] = []
  package private(set) var unadopted: [UnadoptedFunction] = []
  /// The number of selected functions that the headers declare and the library exports.
  package var count: Int { functions.count + unadopted.count }

  /// Writes the signatures. Cost: proportional to the size of the tree, about 10 ms for a megabyte.
  ///
  /// - Parameters:
  ///   - tree: The syntax tree of the headers in JSON, from `clang -Xclang -ast-dump=json`.
  ///   - exports: The symbols and the name of the library.
  ///   - guessesBuffers: Infers buffers and outputs from the names of parameters.
  /// - Throws: A `Diagnosis` if the tree is damaged.
  package init(
    tree: [UInt8], _ exports: LibraryExports, guessesBuffers: Bool, where isSelected: (String) -> Bool
  ) throws(Diagnosis) {
    let header: Header
    do {
      header = Header(try SyntaxNode(json: tree))
    } catch {
      throw Self.diagnosis(error)
    }
    let exported = header.functions.filter { exports.functions.contains($0.symbol) }
    let handles = Header.Handles(exported, in: header)
    let details = SignatureWriter.Detail.allCases.filter { guessesBuffers || $0 != .guesses }
    for function in exported where isSelected(function.name) {
      do throws(InexpressibleError) {
        functions.append(
          Function(
            name: function.name, symbol: function.symbol,
            uuid: UUID("\(exports.name)#\(function.symbol)", in: .adoption),
            signature: try Self.signature(function, header, handles, details)))
      } catch {
        unadopted.append(UnadoptedFunction(name: function.name, reason: error.reason))
      }
    }
  }

  private static func diagnosis(_ error: JSONScanner.SyntaxError) -> Diagnosis {
    switch error.problem {
    case .tooDeep:
      Diagnosis(
        .tooLarge, problem: "the headers have an expression whose syntax tree has more than \(SyntaxNode.maximumDepth) levels",
        remedy: "shorten the expression, or name headers without it")
    case .expected(let expectation):
      Diagnosis(
        .invalidData, problem: "clang wrote no syntax tree: byte \(error.offset) is not \(expectation)",
        remedy: "use the clang of the Swift toolchain")
    case .repeatedName:
      Diagnosis(
        .invalidData, problem: "clang wrote no syntax tree: the name at byte \(error.offset) occurs twice",
        remedy: "use the clang of the Swift toolchain")
    }
  }

  /// Returns the first signature that can be read, of those with less and less detail.
  private static func signature(
    _ function: Header.Function, _ header: Header, _ handles: Header.Handles, _ details: [SignatureWriter.Detail]
  ) throws(InexpressibleError) -> String {
    var lastError = InexpressibleError("the type \(function.type)")
    for detail in details {
      var writer = SignatureWriter(header, handles, detail)
      do throws(InexpressibleError) {
        let text = try writer.signature(function)
        do throws(SignatureError) {
          _ = try Signature(parsing: text)
          return text
        } catch {
          lastError = InexpressibleError("the type \(function.type): \(error.problem)")
        }
      } catch {
        lastError = error
      }
    }
    throw lastError
  }

  package func file(_ identity: Identity) -> String {
    let list = functions.map { function in
      """
          {
            "uuid": "\(function.uuid.uuidString.lowercased())",
            "name": \(function.name.quotedInJSON),
            "symbol": \(function.symbol.quotedInJSON),
            "signature": \(function.signature.quotedInJSON)
          }
      """
    }
    return """
      {
        "id": \(identity.id.quotedInJSON),
        "name": \(identity.name.quotedInJSON),
        "version": \(identity.version.quotedInJSON),
        "library": \(identity.library.quotedInJSON),
        "functions": [
      \(list.joined(separator: ",\n"))
        ]
      }

      """
  }
}

extension String {
  /// The text as a JSON string.
  fileprivate var quotedInJSON: String {
    var result = "\""
    for scalar in unicodeScalars {
      switch scalar {
      case "\"", "\\": result += "\\" + String(scalar)
      case "\u{0}"..<" ":
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
