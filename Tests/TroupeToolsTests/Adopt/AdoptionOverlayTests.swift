import FoundationEssentials
import TestSupport
import Testing
import TroupeFiles
import TroupeHost

@testable import TroupeTools

@Suite("Overlays of adoption files") struct AdoptionOverlayTests {
  /// Adopts functions of libm and libc with an overlay.
  private func adoption(
    _ overlay: String, of functions: Set<String>, in header: String = "math.h", library: String = "libm.so.6"
  ) throws -> LibraryAdoption {
    let directory = try TemporaryDirectory()
    var request = LibraryAdoption.Request([header], of: library)
    request.overlay = try directory.write("overlay.json", overlay.utf8)
    return try LibraryAdoption(request) { functions.contains($0) }
  }

  private struct File: Decodable {
    struct Function: Decodable {
      let name, signature: String
      let description: String?
      let tags: [String]?
    }

    let id, version, threads: String
    let functions: [Function]
  }

  @Test("Members replace and complete those from the headers, and null removes a function")
  func edits() throws {
    let overlay = """
      { "threads": "any", "version": "2.0.0",
        "functions": {
          "frexp": { "signature": "double (double x, out int *exponent)", "tags": ["math"], "description": "Splits x." },
          "gamma": null } }
      """
    let adoption = try adoption(overlay, of: ["frexp", "gamma", "cos"])
    let file = try JSONDecoder().decode(File.self, from: Data(adoption.content.utf8))
    #expect((file.id, file.version, file.threads) == ("adopted.m", "2.0.0", "any"))
    #expect(file.functions.map(\.name) == ["cos", "frexp"])
    #expect(file.functions[1].signature == "double (double x, out int *exponent)")
    #expect(file.functions[1].tags == ["math"] && file.functions[1].description == "Splits x.")
    #expect(adoption.count == 2)
  }

  @Test("A signature of the overlay adopts a function that no signature describes")
  func inexpressible() throws {
    let overlay = #"{ "functions": { "vprintf": { "signature": "int (string format, void *arguments)" } } }"#
    let names: Set = ["vprintf", "vfprintf"]
    let adoption = try adoption(overlay, of: names, in: "stdio.h", library: "libc.so.6")
    #expect(adoption.functions.map(\.name) == ["vprintf"])
    #expect(adoption.unadopted.map(\.name) == ["vfprintf"])
  }

  @Test(
    "An error names the overlay, the line or the function, and a remedy",
    arguments: [
      (#"{ "functions": }"#, "line 1, column 16"),
      ("{ \"functions\": {\n \"cos\": { \"signature\": \"dubble (double)\" } } }", "line 2, column 24"),
      (#"{ "functions": { "coss": { "tags": ["a"] } } }"#, #"edits the function "coss""#),
      (#"{ "functions": { "cos": { "tag": "a" } } }"#, "functions.cos.tag is not known"),
      (#"{ "functions": { "cos": { "tags": "a" } } }"#, "functions.cos.tags is a string"),
      (#"{ "functions": { "cos": 1 } }"#, "functions.cos is a number"), (#"{ "constants": { "A": 1.5 } }"#, "constants.A is"),
      (#"{ "thread": "any" }"#, "thread is not known"),
      (#"{ "id": "org.example.m" }"#, "id is in the overlay"),
    ])
  func failures(overlay: String, problem: String) throws {
    let error = #expect(throws: Diagnosis.self) { try adoption(overlay, of: ["cos"]) }
    #expect(error?.code == .invalidData && error?.subject.hasSuffix("overlay.json") == true)
    #expect(error?.problem.contains(problem) == true, "\(error?.problem ?? "")")
    #expect(error?.remedy.isEmpty == false)
  }
}
