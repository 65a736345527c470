import Testing
import TroupeBase

@testable import TroupeFiles

@Suite("Adoption files") struct AdoptionFileTests {
  private static func file(_ members: String, variables: String = "") throws -> AdoptionFile {
    let text = """
      {"id": "org.example.file", "name": "File", "version": "1.0.0", "library": "./libfile.so",
       \(members)
       "variables": [\(variables)],
       "functions": [
         {"uuid": "ad0b0000-0000-4000-8000-000000000001", "name": "open", "symbol": "file_open",
          "signature": "struct handle *(const char *path, struct options options)"},
         {"uuid": "ad0b0000-0000-4000-8000-000000000002", "name": "init", "symbol": "file_init", "signature": "int (void)"}]}
      """
    return try AdoptionFile(Array(text.utf8))
  }

  private static let types = #""types": ["struct handle;", "struct options { int flags; };"],"#

  @Test("Signatures and variables share the declarations of types")
  func types() throws {
    let variable = #"{"uuid": "ad0b0000-0000-4000-8000-000000000003", "name": "v", "symbol": "w", "type": "struct options"}"#
    let file = try Self.file(Self.types, variables: variable)
    #expect(file.errors.isEmpty && file.refusals.isEmpty)
    let complete = "struct options { int flags; }"
    #expect(file.functions.map(\.path) == ["functions[0]", "functions[1]", "variables[0]"])
    #expect(file.functions.map(\.isVariable) == [false, false, true])
    #expect(file.functions[0].description.signature.contains(complete))
    #expect(file.functions[0].description.signature.hasPrefix("struct handle; "))
    #expect(file.functions[1].description.signature == "int (void)")
    #expect(file.functions[2].description.signature == complete + " *(void)")
    #expect(file.functions[2].symbol == "w")
  }

  @Test(
    "start and stop are a function of the file with arguments in JSON",
    arguments: [
      ("init", "init", "[]"), ("init()", "init", "[]"), (#"open(\"a b\", {\"flags\": 1});"#, "open", #"["a b", {"flags": 1}]"#),
    ])
  func calls(text: String, function: String, arguments: String) throws {
    let file = try Self.file(Self.types + #""start": "\#(text)", "stop": "\#(text)","#)
    #expect(file.errors.isEmpty)
    for call in [file.start, file.stop] {
      #expect(call?.function.description.name == function)
      #expect(call?.arguments == arguments)
    }
  }

  @Test(
    "An error names the member and a remedy",
    arguments: [
      (#""types": {},"#, "types is an object; expected an array of C declarations"),
      (#""types": [3],"#, "types[0] is a number"),
      (#""types": ["struct handle;", "struct options { itn flags; };"],"#, "types[1] is refused: signature "),
      (#""types": ["struct handle;", "struct options { int flags; };", "enum unused { };"],"#, "types[2] is refused: "),
      (#""start": 1,"#, "start is a number; expected a call of a function"),
      (#""start": "inti","#, "start calls \"inti\", which is no function of the file"),
      (#""start": "init(","#, "start is \"init(\", whose parenthesis is open"),
      (#""start": "init(1)","#, "start passes 1 arguments; \"init\" takes 0"),
      (#""stop": "init(a)","#, "stop has arguments that are no JSON: \"a\""),
    ])
  func errors(members: String, problem: String) throws {
    let prefix = members.contains("types") ? "" : Self.types
    let errors = try Self.file(prefix + members).errors.map(\.error)
    let first = try #require(errors.first)
    #expect("\(first.path) \(first.problem)".hasPrefix(problem), "\(errors)")
    #expect(!first.remedy.isEmpty)
  }

  @Test("A variable has a type and no signature")
  func variable() throws {
    let members = #""uuid": "ad0b0000-0000-4000-8000-000000000003", "name": "v", "symbol": "w""#
    let file = try Self.file(
      Self.types,
      variables:
        #"{\#(members), "signature": "int (void)"}, {\#(members), "type": "itn"}, {\#(members)}, {\#(members), "type": "void"}"#
    )
    let problems = file.refusals.map { $0.errors.map { "\($0.path) \($0.problem)" } }
    #expect(problems.count == 4)
    #expect(problems[3].first == "variables[3].type is void, which no variable is")
    #expect(
      problems[0].first?.hasPrefix("variables[0].signature is not known; expected one of uuid, name, symbol, type") == true)
    #expect(problems[1].first?.hasPrefix("variables[1].type is refused: ") == true)
    #expect(problems[2].first == "variables[2].type is missing; expected a C type, such as \"const char *\"")
  }
}
