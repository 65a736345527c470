import Foundation
import TestSupport
import Testing
import TroupeCall

@testable import TroupeTools

@Suite("Guessed buffers") struct BufferGuessTests {
  /// The pointers of a library as its documentation describes them, from a file in `Fixtures/adopt/buffers`.
  private struct Library {
    let header, library: String
    let options: [String]
    /// The buffers and outputs of each function, such as `dest[*destLen]`.
    var functions: [String: [String]] = [:]

    init(_ name: String) throws {
      let text = try String(contentsOfFile: Repo.fixture("adopt/buffers/\(name).txt"), encoding: .utf8)
      let lines = text.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
      (header, library, options) = (lines[0][0], lines[0][1], Array(lines[0][2...]))
      for line in lines.dropFirst() { functions[line[0]] = Array(line[1...]) }
    }

    /// Returns what `troupe adopt --guess-buffers` infers, in the same form.
    func guesses() throws -> [String: (parameters: [String?], guesses: [String])] {
      var request = LibraryAdoption.Request([header], of: library)
      (request.guessesBuffers, request.options) = (true, options)
      var guesses: [String: ([String?], [String])] = [:]
      for function in try LibraryAdoption(request, where: { _ in true }).functions {
        let signature = try Signature(parsing: function.signature)
        guesses[function.name] = (
          signature.parameters.map(\.name), signature.parameters.indices.compactMap { Self.guess($0, signature) }
        )
      }
      return guesses
    }

    private static func guess(_ index: Int, _ signature: Signature) -> String? {
      let parameter = signature.parameters[index]
      switch parameter.passing {
      case .buffer(_, let length, _):
        let extent = length.text { index in
          let isStored = if case .reference = signature.parameters[index].passing { true } else { false }
          return (isStored ? "*" : "") + "\(index + 1)"
        }
        return "\(index + 1)[\(extent.replacing(" ", with: ""))]"
      case .reference(.output): return "*\(index + 1)"
      case .value, .reference: return nil
      }
    }
  }

  /// Replaces the names of parameters by their positions.
  private func positions(_ text: String, _ names: [String?]) -> String {
    text.replacing(/[A-Za-z_]\w*/) { match in
      names.firstIndex { $0 == String(match.output) }.map { "\($0 + 1)" } ?? "?\(match.output)"
    }
  }

  private static let libraries = ["bzip2", "lzma", "pcre2", "sqlite3", "zlib", "zstd"]

  @Test("At most 1 guess in 50 is wrong, and at least 7 of 10 buffers are found, in six libraries")
  func measurement() throws {
    var (right, wrong, missing): (Int, [String], [String]) = (0, [], [])
    for name in Self.libraries {
      let library = try Library(name)
      let guesses = try library.guesses()
      var (found, total, guessed) = (0, 0, 0)
      for (function, truth) in library.functions { #expect(guesses[function] != nil, "\(function) \(truth) is not adopted") }
      for (function, (names, guesses)) in guesses.sorted(by: { $0.key < $1.key }) {
        let truth = Set((library.functions[function] ?? []).map { positions($0, names) })
        #expect(!truth.contains { $0.contains("?") }, "\(function) has no such parameter: \(truth)")
        wrong += guesses.filter { !truth.contains($0) }.map { "\(function) \($0)" }
        missing += truth.subtracting(guesses).sorted().map { "\(function) \($0)" }
        found += truth.intersection(guesses).count
        (total, guessed) = (total + truth.count, guessed + guesses.count)
      }
      right += found
      print("\(name): \(found) of \(guessed) guesses are right, and \(found) of \(total) buffers are found")
    }
    print("wrong: \(wrong)\nmissing: \(missing)")
    #expect(Double(right) >= 0.98 * Double(right + wrong.count), "wrong: \(wrong)")
    #expect(Double(right) >= 0.7 * Double(right + missing.count), "missing: \(missing)")
  }
}
