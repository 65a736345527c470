import Foundation
import TestSupport
import Testing

/// The JSON output of `troupe graph --format json`.
private struct PrintedGraph: Decodable {
  struct Plugin: Decodable {
    let id: String?
    let path, state: String
    let reason: String?
    let factories: [InspectedFactory]
  }
  struct Requirement: Decodable, Equatable {
    let plugin, requires, kind: String
    let met: Bool
    let by: [String]
  }
  let plugins: [Plugin]
  let requirements: [Requirement]
}

@Suite("troupe graph")
struct GraphTests {
  /// A directory of plugins that require each other; some requirements are met.
  private static func needs() throws -> TemporaryDirectory {
    let directory = try TemporaryDirectory()
    func add(_ name: String, version: String = "1.0.0", _ members: String, store uuid: String? = nil) throws {
      var macros = ["NAME": "\"\(name)\"", "VERSION": "\"\(version)\"", "MEMBERS": members]
      if let uuid { macros["UUID"] = "\"\(uuid)\"" }
      try directory.add(fixture: "commands/graph.c", as: name, macros)
    }
    let provides = #"TROUPE_PROVIDES("org.example.store/1")"#
    try add("base", version: "1.4.0", provides, store: "6c0a7b62-61f4-4a4c-8d0e-3f2d8f0e4a01")
    try add("other", provides, store: "6c0a7b62-61f4-4a4c-8d0e-3f2d8f0e4a02")
    // Declares a contract without registering it.
    try add("pretender", #"TROUPE_PROVIDES("org.example.absent/3")"#)
    try add("user", #"TROUPE_REQUIRES("org.example.base ^1.2.0", "org.example.store/1")"#)
    try add("newer", #"TROUPE_REQUIRES("org.example.base ^2.0.0")"#)
    try add("lost", #"TROUPE_REQUIRES("org.example.unknown", "org.example.absent/3")"#)
    try directory.write("text.so", Array("#!/bin/sh\n".utf8))
    return directory
  }

  @Test("JSON has every plugin with its registrations, and every requirement with its providers")
  func json() throws {
    let directory = try Self.needs()
    let graph = try CommandLineTests.json(PrintedGraph.self, troupe("graph", "--format", "json", plugins: directory.path))
    #expect(
      graph.plugins.map { $0.id?.split(separator: ".").last ?? "-" }
        == ["base", "lost", "newer", "other", "pretender", "-", "user"])
    #expect(graph.plugins.filter { $0.state == "rejected" }.map(\.id) == ["org.example.lost", "org.example.newer", nil])
    #expect(graph.plugins.map(\.factories.count) == [1, 0, 0, 1, 0, 0, 0])
    #expect(graph.plugins[2].reason?.contains("org.example.base ^2.0.0") == true)
    #expect(
      graph.requirements == [
        .init(plugin: "org.example.lost", requires: "org.example.unknown", kind: "plugin", met: false, by: []),
        .init(
          plugin: "org.example.lost", requires: "org.example.absent/3", kind: "contract", met: false,
          by: ["org.example.pretender"]),
        .init(
          plugin: "org.example.newer", requires: "org.example.base ^2.0.0", kind: "plugin", met: false, by: ["org.example.base"]
        ),
        .init(
          plugin: "org.example.user", requires: "org.example.base ^1.2.0", kind: "plugin", met: true, by: ["org.example.base"]),
        .init(
          plugin: "org.example.user", requires: "org.example.store/1", kind: "contract", met: true,
          by: ["org.example.base", "org.example.other"]),
      ])
    #expect(
      try troupe("graph", "--json", plugins: directory.path).text
        == troupe("graph", "--format=json", plugins: directory.path).text)
  }

  @Test("The factories of the examples are the ones that inspect shows")
  func examples() throws {
    let directory = try Examples.directory()
    let graph = try CommandLineTests.json(PrintedGraph.self, troupe("graph", "--json", plugins: directory))
    for id in ["org.example.counter", "org.example.grep", "org.example.geometry"] {
      let inspection = try CommandLineTests.json(Inspection.self, troupe("inspect", id, "--json", plugins: directory))
      #expect(graph.plugins.first { $0.id == id }?.factories == inspection.factories, "\(id)")
    }
  }

  @Test("The default output is Graphviz: a frame for each plugin and edges to its requirements")
  func dot() throws {
    let directory = try Self.needs()
    let dot = try output(of: troupe("graph", plugins: directory.path))
    #expect(try output(of: troupe("graph", "--format", "dot", plugins: directory.path)) == dot)
    let lines = dot.split(separator: "\n").map { $0.drop { $0 == " " } }
    #expect(lines.first == "digraph \"plugins\" {" && lines.last == "}")
    #expect(lines.count { $0.hasPrefix("subgraph cluster_") } == 7)
    #expect(lines.contains { $0.contains(#"label="The \"user\" <plugin>""#) })
    /// Returns the node whose label begins with a text.
    func node(_ label: String) throws -> Substring {
      try #require(lines.first { $0.contains(" [label=\"\(label)") }).prefix { $0 != " " }
    }
    let (base, user, newer, other) = try (
      node("org.example.base"), node("org.example.user"), node("org.example.newer"), node("org.example.other")
    )
    let store = try node(#"contract\norg.example.store/1"#)
    #expect(lines.contains("\(user) -> \(base) [label=\"requires ^1.2.0\"]"))
    #expect(lines.contains("\(newer) -> \(base) [label=\"requires ^2.0.0, not met\"]"))
    #expect(lines.contains("\(user) -> \(store) [label=\"requires\"]"))
    for provider in [base, other] {
      #expect(lines.count { $0 == "\(store) -> \(provider) [label=\"provided by\", style=dashed]" } == 1)
    }
    #expect(lines.contains { $0.contains("org.example.unknown\\nnot found") && $0.contains("style=dashed") })
    let absent = try node(#"contract\norg.example.absent/3\nnot registered"#)
    #expect(
      try lines.contains("\(absent) -> \(node("org.example.pretender")) [label=\"declared by\", style=dashed]"))
    #expect(lines.contains { $0.contains(#"label="store\nvoid *(void)\nsingleton""#) && $0.contains("#d6e9ff") })
    // The box of an unusable plugin shows the reason.
    #expect(lines.contains { $0.contains("ELF") && $0.contains("#fbe3e0") })
  }

  @Test("For Mermaid: a flowchart with the same boxes and lines")
  func mermaid() throws {
    let directory = try Self.needs()
    let mermaid = try output(of: troupe("graph", "--format", "mermaid", plugins: directory.path))
    let lines = mermaid.split(separator: "\n")
    #expect(lines.first == "flowchart LR")
    #expect(lines.count { $0.hasPrefix("  subgraph c") } == 7 && lines.count { $0 == "  end" } == 7)
    #expect(mermaid.contains("The #34;user#34; #60;plugin#62;"))
    #expect(lines.count { $0.contains("-->|\"requires ^1.2.0\"|") } == 1)
  }

  @Test(
    "Graphviz draws the examples",
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/dot"), "graphviz is not installed"))
  func graphviz() throws {
    let picture = try output(of: shell("\"$troupe\" graph --plugins \"$plugins\" | dot -Tsvg"))
    for name in ["org.example.counter", "troupe.transform/1", "compare_int32_descending"] {
      #expect(picture.contains(name), "\(name)")
    }
  }

  @Test("Without plugins the graph is empty, and standard error has a warning")
  func empty() throws {
    let directory = try TemporaryDirectory()
    let run = try troupe("graph", plugins: directory.path)
    #expect(run.status == 0 && run.text.hasPrefix("digraph \"plugins\" {") && run.text.hasSuffix("}\n"))
    #expect(run.errorLines.count == 1 && run.errors.contains(directory.path), "\(run.errors)")
    let json = try JSONDecoder().decode(
      PrintedGraph.self, from: Data(troupe("graph", "--json", plugins: directory.path).text.utf8))
    #expect(json.plugins.isEmpty && json.requirements.isEmpty)
  }

  @Test("The graph of a container is drawn from the JSON that its program wrote")
  func container() throws {
    let directory = try TemporaryDirectory()
    let json = """
      {"nodes": [
        {"id": 0, "kind": "registration", "type": "Shop.Car", "tags": ["red"], "depth": 0, "lifetime": "singleton",
         "context": "any", "arguments": [], "isBuilt": true, "isPending": false,
         "place": "Shop/main.swift:7", "knowledge": "complete"},
        {"id": 1, "kind": "missing", "type": "Shop.Engine", "tags": [], "depth": 0}],
      "edges": [{"from": 0, "to": 1, "need": "lazy", "source": "declared"}]}
      """
    try directory.write("container.json", Array(json.utf8))
    let path = directory.file("container.json")
    let dot = try output(of: troupe("graph", "--container", path))
    #expect(dot.contains(#"label="Shop.Car [red]\nsingleton, built\nShop/main.swift:7""#), "\(dot)")
    #expect(dot.contains(#"n0 -> n1 [label="lazy, declared", style=dotted]"#), "\(dot)")
    let mermaid = try output(of: troupe("graph", "--container", path, "--format", "mermaid"))
    #expect(mermaid.contains(#"n0 -.->|"lazy, declared"| n1"#), "\(mermaid)")
    try directory.write("other.json", Array("{}".utf8))
    expectFailure(try troupe("graph", "--container", directory.file("other.json")), 65, "other.json", "container.graph().json")
    expectFailure(
      try troupe("graph", "--container", directory.file("other.json"), "--json"), 65, "other.json", "container.graph().json")
    for words in [["--json"], ["--format", "json"]] {
      #expect(try output(of: run(unset() + [Repo.troupe, "graph", "--container", path] + words)) == json)
    }
  }

  @Test("A wrong format, two formats, an operand and a missing directory are reported")
  func mistakes() throws {
    let directory = try TemporaryDirectory()
    expectFailure(try troupe("graph", "--format", "svg", plugins: directory.path), 64, "\"svg\"", "dot, mermaid or json")
    expectFailure(try troupe("graph", "--format", "dot", "--json", plugins: directory.path), 64, "--json and --format dot")
    expectFailure(try troupe("graph", "plugin", plugins: directory.path), 64, "\"plugin\"")
    expectFailure(try troupe("graph", plugins: directory.file("none")), 66, "none")
  }
}
