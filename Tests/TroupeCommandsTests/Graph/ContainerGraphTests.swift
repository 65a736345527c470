import Foundation
import Testing
import TroupeContainer

@testable import TroupeCommands

private final class Engine: Sendable {}

private final class Car: Sendable {
  init(_: Engine, _: [Wheel], _: Radio?, _: LazyResolver<Engine>) {}
}

private final class Wheel: Sendable {}
private final class Radio: Sendable {}
private struct Box<Content>: Sendable {}

/// Parses the subset of the Graphviz language that is used here, and lists the nodes and edges.
private struct DotReader {
  private struct SyntaxError: Error {}

  private(set) var labels: [String: String] = [:]
  private(set) var edges: [[String]] = []

  init(_ text: String) throws {
    var tokens = try Self.tokens(text)[...]
    func next() throws -> String {
      guard let token = tokens.popFirst() else { throw SyntaxError() }
      return token
    }
    func attributes() throws -> [String: String] {
      var found: [String: String] = [:]
      guard tokens.first == "[" else { return found }
      _ = try next()
      while tokens.first != "]" {
        let name = try next()
        guard try next() == "=" else { throw SyntaxError() }
        found[name] = try next()
        if tokens.first == "," { _ = try next() }
      }
      _ = try next()
      return found
    }
    guard try next() == "digraph" else { throw SyntaxError() }
    _ = try next()
    var depth = 0
    repeat {
      switch try next() {
      case "{": depth += 1
      case "}": depth -= 1
      case "subgraph": _ = try next()
      case "graph", "node", "edge": _ = try attributes()
      case let name where tokens.first == "=":
        guard !name.hasPrefix("\"") else { throw SyntaxError() }
        _ = (try next(), try next())
      case let name where tokens.first == "->":
        _ = try next()
        edges.append([name, try next()])
        _ = try attributes()
      case let name:
        labels[name] = try attributes()["label"]
      }
    } while depth > 0
    guard tokens.isEmpty else { throw SyntaxError() }
  }

  /// Returns words, signs, and strings with their opening quote.
  private static func tokens(_ text: String) throws -> [String] {
    var tokens: [String] = []
    var rest = Substring(text).unicodeScalars
    while let first = rest.popFirst() {
      switch first {
      case " ", "\n": continue
      case "\"":
        var string = "\""
        while true {
          guard let scalar = rest.popFirst(), scalar != "\n" else { throw SyntaxError() }
          if scalar == "\"" { break }
          string.unicodeScalars.append(scalar)
          if scalar == "\\" {
            guard let escaped = rest.popFirst() else { throw SyntaxError() }
            string.unicodeScalars.append(escaped)
          }
        }
        tokens.append(string)
      case "-":
        guard rest.popFirst() == ">" else { throw SyntaxError() }
        tokens.append("->")
      case "{", "}", "[", "]", "=", ",": tokens.append(String(first))
      default:
        var word = String(first)
        while let scalar = rest.first,
          scalar.properties.isAlphabetic || scalar == "_" || scalar == "." || scalar.properties.numericType != nil
        {
          word.unicodeScalars.append(scalar)
          rest.removeFirst()
        }
        guard first == "_" || first.properties.isAlphabetic || first.properties.numericType != nil else { throw SyntaxError() }
        tokens.append(word)
      }
    }
    return tokens
  }
}

@Suite("The graph of a container is drawn for Graphviz and Mermaid")
struct ContainerGraphTests {
  private func container() throws -> Container {
    let container = Container()
    container.register(factory: auto(Car.init))
    container.register(Wheel.self, tags: "front", lifetime: .singleton) { _ in Wheel() }
    container.registrar(owner: Owner(name: "org.example.wheels")).register(Wheel.self, tags: "back") { _ in Wheel() }
    _ = try container.resolve(Wheel.self, tags: "front")
    return container
  }

  /// Returns the drawing of a container from the JSON of its graph.
  private func drawing(_ graph: DependencyGraph) throws -> GraphDrawing {
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).json")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data(graph.json.utf8).write(to: file)
    return try ContainerGraph(contentsOf: file.path).drawing
  }

  /// Registers tags and types with texts that need quoting.
  private func odd() -> Container {
    struct Tag: Hashable, Sendable, CustomStringConvertible {
      let description: String
    }
    let container = Container()
    for text in [
      "\"", "\\", "\\\"", "a\nb", "\u{0}\u{7}\u{1B}", "&lt;", "<b>", "]--", "-->", "%%{init}", "#quot;", "`", "é日本🏳️‍🌈",
      "\u{202E}", "\\N",
    ] {
      container.register(Box<[String: Int?]>.self, tags: Tag(description: text), text) { _ in Box() }
    }
    container.annotated(dependsOn: Key<Box<String>>(tags: "\"];")).register { _ in 1 }
    return container
  }

  @Test("In the Graphviz language, all tags and types are quoted")
  func dot() throws {
    for container in [try container(), odd(), Container()] {
      let graph = container.graph()
      let dot = try drawing(graph).dot
      let read = try DotReader(dot)
      #expect(read.labels.count == graph.nodes.count && read.edges.count == graph.edges.count)
      #expect(read.edges == graph.edges.map { ["n\($0.from)", "n\($0.to)"] })
      #expect(!dot.unicodeScalars.contains { $0.properties.generalCategory == .control && $0 != "\n" })
    }
    let dot = try drawing(odd().graph()).dot
    #expect(dot.contains(#"&amp;lt;"#) && dot.contains(#"[\\N, \\N]"#) && dot.contains("é日本🏳️‍🌈"))
  }

  @Test("No label exceeds the limit of Graphviz, even with long texts and many tags")
  func longLabels() throws {
    for (tag, count) in [("x", 100_000), ("\"", 100_000), ("&", 5000), ("\u{202E}", 5000), ("🏳️‍🌈", 5000)] {
      let container = Container()
      container.register(Int.self, tags: String(repeating: tag, count: count)) { _ in 1 }
      let tags = (0..<200).map { AnySendableHashable(String(repeating: tag, count: 400) + "\($0)") }
      let key = Key<String>(tagset: Set(tags))
      container.register(key: key) { _ in "" }
      let graph = container.graph()
      let drawing = try drawing(graph)
      #expect(drawing.dot.split(separator: "\n").allSatisfy { $0.utf8.count < 16_384 })
      #expect(drawing.mermaid.split(separator: "\n").allSatisfy { $0.utf8.count < 16_384 })
      #expect(try DotReader(drawing.dot).labels.count == graph.nodes.count)
    }
  }

  @Test("In the Mermaid language, all tags and types are quoted")
  func mermaid() throws {
    for container in [try container(), odd(), Container()] {
      let graph = container.graph()
      let lines = try drawing(graph).mermaid.split(separator: "\n")
      #expect(lines.first == "flowchart LR")
      let nodes = lines.filter { $0.hasPrefix("  n") && !$0.contains("->") }
      #expect(nodes.count == graph.nodes.count)
      for line in nodes {
        // Each line has two quotes. The text between them has no quote, entity or markup.
        let parts = line.split(separator: "\"", omittingEmptySubsequences: false)
        #expect(parts.count == 3, "\(line)")
        let text = parts[1].replacing("<br/>", with: "").replacing(/#\d+;/, with: "")
        #expect(!text.contains { "<>&\"#`\\;".contains($0) }, "\(line)")
      }
      #expect(lines.filter { $0.contains("-->") || $0.contains("-.->") }.count == graph.edges.count)
    }
  }

  @Test(
    "Graphviz parses the graph",
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/dot"), "graphviz is not installed")
  )
  func graphviz() throws {
    for container in [try container(), odd(), Container()] {
      let dot = Process()
      dot.executableURL = URL(filePath: "/usr/bin/dot")
      dot.arguments = ["-Tcanon", "-o", "/dev/null"]
      let (input, errors) = (Pipe(), Pipe())
      (dot.standardInput, dot.standardError) = (input, errors)
      try dot.run()
      try input.fileHandleForWriting.write(contentsOf: Data(drawing(container.graph()).dot.utf8))
      try input.fileHandleForWriting.close()
      let output = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      dot.waitUntilExit()
      #expect(dot.terminationStatus == 0 && output.isEmpty, "\(output)")
    }
  }

  @Test("The registrations of a parent are in a frame of their own")
  func parents() throws {
    let parent = Container()
    let child = Container(parent: parent)
    parent.register { _ in Wheel() }
    child.register { _ in Engine() }
    #expect(try drawing(child.graph()).dot.contains("subgraph cluster_1 {"))
  }

  @Test(
    "A file without a graph is an error that names it",
    arguments: ["", "{}", #"{"nodes": [], "edges": [{"from": 0, "to": 1, "need": "lazy", "source": "known"}]}"#])
  func malformed(text: String) throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).json")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data(text.utf8).write(to: file)
    #expect {
      _ = try ContainerGraph(contentsOf: file.path)
    } throws: { error in
      "\(error)".contains(file.path) && "\(error)".contains("is not the graph of a container")
    }
  }
}
