import Foundation
import TestSupport
import Testing

/// Runs the code of the guides.
@Suite("The guides") struct GuideTests {
  @Test("A program that embeds the host compiles and resolves plugins in Swift and in C")
  func embedding() throws {
    let directory = try TemporaryDirectory()
    try FileManager.default.createDirectory(
      atPath: directory.file(".build/plugins"), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
    try Repo.compile([Repo.fixture("healthy/upper.swift")], to: directory.file(".build/plugins/upper.so"))
    for name in ["counter", "geometry"] {
      try Repo.compile(
        ["\(Repo.root)/plugins/\(name)/\(name).c"], to: directory.file(".build/plugins/\(name).so"), options: ["-lm"])
    }
    let guide = try Document("Sources/TroupeHost/TroupeHost.docc/Embedding.md")
    let result = try guide.runProgram(directory: directory)
    #expect(result.text == "2 text stages\n13.5\n")
    #expect(result.errors == "")
    #expect(result.status == 0)
  }

  @Test(
    "A program that uses the container prints the shown output",
    arguments: [
      "Sources/TroupeContainer/TroupeContainer.docc/Assemblies.md", "Sources/TroupeContainer/TroupeContainer.docc/Features.md",
      "Sources/TroupeScopes/TroupeScopes.docc/TroupeScopes.md",
    ])
  func container(path: String) throws { try Document(path).expectPrintedOutput() }

  @Test("The factory of the guide shares an instance while someone holds it")
  func sharedInstance() throws {
    let guide = try Document("Sources/TroupeContainer/TroupeContainer.docc/SharedInstances.md")
    try guide.expectPrintedOutput(in: "## While someone holds it")
  }

  @Test("The program of the guide writes the graph of its container, and the commands draw it as shown")
  func dependencyGraph() throws {
    let guide = try Document("Sources/TroupeContainer/TroupeContainer.docc/DependencyGraphs.md")
    let directory = try TemporaryDirectory()
    let result = try guide.runProgram(directory: directory)
    #expect(result.status == 0 && result.text == "" && result.errors == "")
    let path = "\(Repo.products):\(ProcessInfo.processInfo.environment["PATH"] ?? "")"
    func draw(_ command: String) throws -> Run {
      try run(unset() + ["sh", "-ec", command], environment: ["PATH": path], directory: directory.path)
    }
    let commands = try guide.blocks("sh")
    let mermaid = try draw(commands[1])
    let shown = try #require(guide.text.components(separatedBy: "for Mermaid:\n\n```\n").last)
    #expect(mermaid.text == shown.components(separatedBy: "```")[0], "\(mermaid)")
    // Graphviz may be missing.
    let graph = commands[0].components(separatedBy: " | dot ")
    #expect(graph.count == 2)
    #expect(try draw(graph[0]).text.hasPrefix("digraph"))
  }

  @Test("The adoption file of the guide makes a plugin, and the shown signatures call functions of the C library")
  func adoption() throws {
    let guide = try Document("Documentation/CTroupe.docc/AdoptingLibraries.md")
    let directory = try TemporaryDirectory()
    try directory.write("checksums.troupe.json", guide.block("json").utf8)
    let libraries = ["adler32": "libz.so.1", "frexp": "libm.so.6", "gethostname": "libc.so.6"]
    for row in try guide.section("## Signatures").split(separator: "\n") where row.hasPrefix("| `") {
      let codes = row.split(separator: "`").enumerated().filter { $0.offset % 2 == 1 }.map { String($0.element) }
      let (signature, symbol) = (codes[0], codes[1])
      let library = try #require(libraries[symbol])
      let function = #"{"uuid": "\#(UUID())", "name": "the-\#(symbol)", "symbol": "\#(symbol)", "signature": "\#(signature)"}"#
      let json = """
        {"id": "org.example.\(symbol)", "name": "N", "version": "1.0.0", "library": "\(library)", "functions": [\(function)]}
        """
      try directory.write("\(symbol).troupe.json", json.utf8)
    }
    func call(_ arguments: String...) throws -> String {
      try run([Repo.troupe, "call"] + arguments + ["--plugins", directory.path]).text
    }
    #expect(try call("adler32", "1", "Wikipedia") == "300286872\n")
    #expect(guide.text.contains("`troupe call adler32 1 Wikipedia` then prints `300286872`"))
    #expect(try call("the-adler32", "1", "Wikipedia") == "300286872\n")
    #expect(try call("the-frexp", "8") == "{\"return\": 0.5, \"exponent\": 4}\n")
    #expect(try call("the-gethostname", "256").hasPrefix("{\"return\": 0, \"name\": \""))
  }

  @Test("The commands of the page on the first adopted library print the shown output")
  func firstLibrary() throws {
    let guide = try Document("Documentation/CTroupe.docc/AdoptingYourFirstLibrary.md")
    let directory = try TemporaryDirectory()
    let path = "\(Repo.products):\(ProcessInfo.processInfo.environment["PATH"] ?? "")"
    func run(_ commands: String) throws -> Run {
      try TestSupport.run(
        unset() + ["sh", "-c", "export TROUPE_PLUGIN_PATH=$PWD/plugins\n" + commands], environment: ["PATH": path],
        directory: directory.path)
    }
    let blocks = try guide.blocks("sh")
    #expect(blocks.count == 5)
    let adopted = try run(blocks[0])
    #expect(adopted.status == 0 && adopted.errors.contains("troupe: adopted "), "\(adopted.errors)")
    for (block, result) in [(blocks[1], "3421780262"), (blocks[2], #"{"return": 0, "dest": {"base64": "eJwr"#)] {
      let text = try run(block).text
      #expect(text.hasPrefix(result))
      #expect(guide.text.contains("prints `\(text.dropLast())`"), "\(text)")
    }
    let objects = try run(blocks[3])
    #expect(objects.text.hasSuffix("\n0\n2\n0\n"), "\(objects.errors)")
    let shown = try #require(guide.text.components(separatedBy: "the number of moons:\n\n```\n").last)
    #expect(shown.components(separatedBy: "```")[0].replacing(/0x\w+/, with: "") == objects.text.replacing(/0x\w+/, with: ""))
    try directory.write("plugins/database.troupe.json", guide.block("json").utf8)
    let failure = try run(blocks[4])
    #expect(failure.status == 69)
    #expect(failure.errors.contains("unable to open database file"), "\(failure.errors)")
  }

  @Test("The shown requirements compile in Swift and in C and declare the same requirements")
  func requirements() throws {
    let guide = try Document("Sources/Troupe/Troupe.docc/RequiringPlugins.md")
    let swift =
      "import Troupe\n\(try guide.block("swift"))struct Chart: Assembly { func register(in registrar: any Registrar) {} }\n"
    let entry = "TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar)"
    let c = "#include <troupe.h>\n\(try guide.block("c"))\(entry) { (void)registrar; return TROUPE_OK; }\n"
    for (name, source) in [("chart.swift", swift), ("chart.c", c)] {
      let directory = try TemporaryDirectory()
      try Repo.compile([directory.write(name, source.utf8)], to: directory.file("chart.so"))
      let result = try run([Repo.troupe, "list", "--json", "--plugins", directory.path])
      #expect(result.text.contains("org.example.chart") && result.text.contains("org.example.geometry"), "\(name)")
    }
  }
}
