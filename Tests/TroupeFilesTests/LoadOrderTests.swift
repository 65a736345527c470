import TestSupport
import Testing
import TroupeManifest

@testable import TroupeFiles

@Suite("Dependencies between plugins")
struct LoadOrderTests {
  /// Returns a plugin `org.NAME` of version 1.0.0, or of the version after an `@` in the name.
  private static func node(_ name: String, _ requires: String..., provides: [String] = [], diagnosis: String? = nil) throws
    -> LoadOrder.Node
  {
    let parts = name.split(separator: "@")
    let list = { (texts: [String]) in "[" + texts.map { "\"\($0)\"" }.joined(separator: ",") + "]" }
    let json = """
      {"id": "org.\(parts[0])", "name": "X", "version": "\(parts.count > 1 ? parts[1] : "1.0.0")", "language": "c", "abi": "1.0",
       "requires": \(list(requires)), "provides": \(list(provides))}
      """
    return LoadOrder.Node(
      path: "/\(parts[0]).so", manifest: try Manifest(json: Array(json.utf8)),
      diagnosis: diagnosis.map { Diagnosis(.notALibrary, "/\(parts[0]).so", problem: $0, remedy: "build it anew") })
  }

  private static func problems(_ dependencies: LoadOrder) -> [String?] { dependencies.diagnoses.map { $0?.problem } }

  @Test("Plugins without requirements keep the order of discovery")
  func stable() throws {
    let dependencies = LoadOrder(try ["c", "a", "b"].map { try Self.node($0) })
    #expect(dependencies.order == [0, 1, 2])
    #expect(dependencies.diagnoses == [nil, nil, nil])
  }

  @Test("A required plugin comes before its dependents, and the others keep their order")
  func order() throws {
    let dependencies = LoadOrder([
      try Self.node("a", "org.d ^1.0.0"), try Self.node("b"), try Self.node("c", "org.b"), try Self.node("d", "org.c"),
      try Self.node("e"),
    ])
    #expect(dependencies.order == [1, 2, 3, 0, 4])
    #expect(dependencies.prerequisites == [[3], [], [1], [2], []])
  }

  @Test("All providers of a contract come before its dependents; a provider satisfies its own requirement")
  func contracts() throws {
    let dependencies = LoadOrder([
      try Self.node("a", "x/1"), try Self.node("b", provides: ["x/1"]), try Self.node("c", "x/1", provides: ["x/1"]),
      try Self.node("d", provides: ["x/2"]),
    ])
    #expect(dependencies.order == [1, 2, 0, 3])
    #expect(Self.problems(dependencies) == [nil, nil, nil, nil])
  }

  @Test("A contract with another provider is not a dependency cycle")
  func alternative() throws {
    let dependencies = LoadOrder([
      try Self.node("a", "x/1"), try Self.node("b", "org.a", provides: ["x/1"]), try Self.node("c", provides: ["x/1"]),
    ])
    #expect(dependencies.order == [2, 0, 1])
    #expect(Self.problems(dependencies) == [nil, nil, nil])
  }

  @Test("A missing plugin, a wrong version and a missing contract are named")
  func unmet() throws {
    let dependencies = LoadOrder([
      try Self.node("a", "org.x ^1.0.0"), try Self.node("b", "org.c ^2.0.0"), try Self.node("c@1.5.0"),
      try Self.node("d", "x/1"),
    ])
    #expect(
      Self.problems(dependencies) == [
        "needs org.x ^1.0.0, and no plugin of that id was found", "needs org.c ^2.0.0, and /c.so is version 1.5.0", nil,
        "needs the contract x/1, which no plugin that was found provides",
      ])
    #expect(dependencies.order == [2])
    #expect(dependencies.diagnoses[0]?.code == .unmetRequirement)
  }

  @Test("Each missing requirement is named once")
  func several() throws {
    let dependencies = LoadOrder([
      try Self.node("a", "org.x ^1.0.0", "org.c", "y/1", "org.x ^1.0.0"), try Self.node("c", diagnosis: "is no library"),
      try Self.node("d", "org.c", "org.e", "org.f"), try Self.node("e", "org.c"), try Self.node("f", "org.a"),
    ])
    let own =
      "needs org.x ^1.0.0, and no plugin of that id was found; needs the contract y/1, which no plugin that was found provides"
    #expect(
      Self.problems(dependencies) == [
        "\(own); needs org.c, and that is no library", "is no library",
        "needs org.c, and that is no library; needs org.f → org.a, and org.a \(own)", "needs org.c, and that is no library",
        "needs org.a, and that \(own)",
      ])
    #expect(dependencies.diagnoses[0]?.remedy == "install or fix each of them")
  }

  @Test("The fault of a dependent shows the path to the faulty plugin")
  func inherited() throws {
    let dependencies = LoadOrder([
      try Self.node("a", "org.b"), try Self.node("b", "org.c"), try Self.node("c", diagnosis: "is no library"),
      try Self.node("d", "x/1"), try Self.node("e", provides: ["x/1"]), try Self.node("f", "org.g", provides: ["x/1"]),
      try Self.node("h", "y/1"), try Self.node("i", "org.j", provides: ["y/1"]),
    ])
    #expect(
      Self.problems(dependencies) == [
        "needs org.b → org.c, and org.c is no library", "needs org.c, and that is no library", "is no library", nil, nil,
        "needs org.g, and no plugin of that id was found",
        "needs org.i, which alone could provide the contract y/1, and that needs org.j, and no plugin of that id was found",
        "needs org.j, and no plugin of that id was found",
      ])
    #expect(dependencies.order == [4, 3])
  }

  @Test("Each member of a dependency cycle names the cycle, and its dependents name the path to it")
  func cycles() throws {
    let dependencies = LoadOrder([
      try Self.node("a", "org.b"), try Self.node("b", "org.c"), try Self.node("c", "org.d"), try Self.node("d", "org.b"),
      try Self.node("e", "org.e"), try Self.node("f"), try Self.node("g", "x/1"),
      try Self.node("h", "org.g", provides: ["x/1"]),
      try Self.node("i", "org.a"),
    ])
    let cycle = "org.b → org.c → org.d → org.b"
    #expect(
      Self.problems(dependencies) == [
        "needs org.b, which needs itself: \(cycle)", "needs itself: \(cycle)", "needs itself: org.c → org.d → org.b → org.c",
        "needs itself: org.d → org.b → org.c → org.d", "needs itself: org.e → org.e", nil,
        "needs itself: org.g → org.h → org.g", "needs itself: org.h → org.g → org.h",
        "needs org.b, which needs itself: \(cycle)",
      ])
    #expect(dependencies.order == [5])
  }

  @Test("In random graphs of 100 plugins each ordered plugin follows its requirements; all others have a fault")
  func random() throws {
    var generator = SplitMix64(seed: 5)
    for _ in 0..<50 {
      let nodes = try (0..<100).map { index in
        let needs = (0..<Int.random(in: 0...2, using: &generator)).map { _ in Int.random(in: 0..<110, using: &generator) }
        let json = """
          {"id": "org.p\(index)", "name": "X", "version": "1.0.0", "language": "c", "abi": "1.0",
           "requires": [\(needs.map { "\"org.p\($0)\"" }.joined(separator: ","))]}
          """
        return LoadOrder.Node(path: "/\(index)", manifest: try Manifest(json: Array(json.utf8)), diagnosis: nil)
      }
      let dependencies = LoadOrder(nodes)
      var ordered = Set<Int>()
      for index in dependencies.order {
        #expect(ordered.isSuperset(of: dependencies.prerequisites[index]))
        #expect(ordered.insert(index).inserted)
      }
      for index in nodes.indices { #expect(ordered.contains(index) == (dependencies.diagnoses[index] == nil)) }
    }
  }

  @Test("A chain of 100,000 plugins in reverse order is sorted")
  func long() throws {
    let count = 100_000
    let nodes = try (0..<count).map { index in
      let requires = index == count - 1 ? "" : "\"org.p\(index + 1)\""
      let json = """
        {"id": "org.p\(index)", "name": "X", "version": "1.0.0", "language": "c", "abi": "1.0", "requires": [\(requires)]}
        """
      return LoadOrder.Node(path: "/\(index)", manifest: try Manifest(json: Array(json.utf8)), diagnosis: nil)
    }
    #expect(LoadOrder(nodes).order == (0..<count).reversed())
  }

  @Test("The fault of a plugin shows the first and the last five of a long path, and the count of the others")
  func longPath() throws {
    let count = 3000
    let nodes = try (0..<count).map { try Self.node("p\($0)", "org.p\($0 + 1)") }
    let problems = Self.problems(LoadOrder(nodes)).compactMap(\.self)
    #expect(problems.count == count)
    #expect(
      problems[0] == "needs org.p1 → org.p2 → org.p3 → org.p4 → org.p5 → … 2989 more … → org.p2995 → org.p2996 → org.p2997 → "
        + "org.p2998 → org.p2999, and org.p2999 needs org.p3000, and no plugin of that id was found")
    #expect(problems[count - 12].contains("→ org.p2993 → … 1 more … → org.p2995 →"))
    #expect(problems[count - 11].contains("needs org.p2990 → org.p2991 →"))
    for index in 2989..<2999 { #expect(problems[index].split(separator: "→").count == 2999 - index) }
    #expect(problems.allSatisfy { $0.utf8.count < 300 })
  }

  @Test("The fault of each plugin in a long cycle shows the first and the last five members, and the count of the others")
  func longCycle() throws {
    let count = 300
    let nodes = try (0..<count).map { try Self.node("p\($0)", "org.p\(($0 + 1) % count)") }
    let problems = Self.problems(LoadOrder(nodes)).compactMap(\.self)
    #expect(problems.count == count)
    for (index, problem) in problems.enumerated() {
      #expect(problem.hasPrefix("needs itself: org.p\(index) → org.p\((index + 1) % count) → "))
      #expect(problem.contains(" → … 291 more … → "))
      #expect(problem.hasSuffix(" → org.p\((index + count - 1) % count) → org.p\(index)"))
    }
  }
}
