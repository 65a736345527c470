import Foundation
import Testing

@testable import TroupeContainer

private final class Service: Sendable {}

/// A namespace with a type of the same name as another one.
private enum Other {
  final class Service: Sendable {}
}

@Suite("An explanation shows the registrations that answer and why others do not")
struct ExplanationTests {
  let container = Container()

  @Test("A registration that is copied to a key of another type keeps its source location")
  func copiedLocation() {
    let line = #line + 1
    let key = container.register { _ in Hello() }
    container[Key<any Greeting>()] = container[key]
    let answer = container.explain((any Greeting).self).answers.first
    #expect(answer?.location == "TroupeContainerTests/ExplanationTests.swift:\(line)")
  }

  @Test("The answer shows lifetime, state, source location and owner")
  func answer() throws {
    let line = #line + 1
    container.registrar(owner: Owner(name: "org.example.a")).register(lifetime: .singleton) { _ in Service() }
    let before = container.explain(Service.self)
    #expect(before.outcome == .instance && before.others.isEmpty)
    let answer = try #require(before.answers.first)
    #expect(answer.key == Key<Service>() && answer.depth == 0 && answer.lifetime == .singleton)
    #expect(!answer.isBuilt && !answer.isPending && answer.context == .any && answer.argumentTypes == [])
    #expect(answer.owner == "org.example.a" && answer.location == "TroupeContainerTests/ExplanationTests.swift:\(line)")
    _ = try container.resolve(Service.self)
    let after = container.explain(Key<Service>())
    #expect(after.answers.first?.isBuilt == true)
    let name = typeName(Service.self)
    #expect(
      after.description == """
        \(name): an instance of this registration
          \(name), singleton, which is built, owned by org.example.a, registered at TroupeContainerTests/ExplanationTests.swift:\(line)

        """)
  }

  @Test("Registrations with other tags show missing and further tags, the nearest match first")
  func tags() {
    container.register(Service.self, tags: "a", "b", "c") { _ in Service() }
    container.register(Service.self, tags: "a") { _ in Service() }
    let explanation = container.explain(Service.self, tags: "a", "b")
    #expect(explanation.outcome == .notFound && explanation.answers.isEmpty)
    #expect(explanation.others.map(\.reasons) == [[.furtherTags(["\"c\""])], [.lacksTags(["\"b\""])]])
    #expect(explanation.description.contains(": has the further tag \"c\"\n"))
    #expect(explanation.description.contains(": lacks the tag \"b\"\n"))
    #expect(throws: ResolutionError.self) { try container.resolve(Service.self, tags: "a", "b") }
  }

  @Test("A weak registration answers for any arguments as long as its object exists")
  func weak() throws {
    var service: Service? = Service()
    container.register(weak: try #require(service))
    #expect(container.explain(Service.self, arguments: Int.self).outcome == .instance)
    service = nil
    #expect(container.explain(Service.self).outcome == .notFound)
    #expect(container.explain(Service?.self).outcome == .nothing)
    #expect(try container.resolve(Service?.self) == nil)
    let all = container.explain([Service].self)
    #expect(all.outcome == .array && all.answers.isEmpty && all.others.map(\.reasons) == [[.gone]])
    #expect(all.description.contains("is weak, and its object is gone"))
  }

  @Test("A description is one line for any tags")
  func lines() throws {
    container.register(Service.self, tags: "one\ntwo", Shown()) { _ in Service() }
    let other = try #require(container.explain(Service.self).others.first)
    #expect(!other.description.contains("\n"))
    #expect(other.reasons.allSatisfy { !$0.description.contains("\n") })
  }

  private struct Shown: Hashable, CustomStringConvertible { let description = "three\nfour" }

  @Test("explain() chooses by arguments as a resolve does")
  func arguments() throws {
    container.register(String.self) { (_: any Resolver, number: Int) in "\(number)" }
    container.register(String.self) { (_: any Resolver, text: String, _: Bool) in text }
    let explanation = container.explain(String.self, arguments: Int.self)
    #expect(explanation.outcome == .instance && explanation.answers.map(\.argumentTypes) == [["Swift.Int"]])
    #expect(explanation.others.map(\.reasons) == [[.otherArguments(["Swift.String", "Swift.Bool"])]])
    let without = container.explain(String.self)
    #expect(without.outcome == .otherArguments && without.others.count == 2)
    let error = #expect(throws: ResolutionError.self) { try container.resolve(String.self) }
    #expect(error?.reason.name == "invalidArgsType")
    #expect(without.description.hasPrefix("Swift.String: what is registered under it takes other arguments\n"))
  }

  @Test("A child's registration overrides the parent's, and the explanation shows both depths")
  func overridden() throws {
    let child = Container(parent: Container(parent: container))
    container.register { _ in Service() }
    #expect(child.explain(Service.self).answers.map(\.depth) == [2])
    child.register { _ in Service() }
    let explanation = child.explain(Service.self)
    #expect(explanation.answers.map(\.depth) == [0] && explanation.others.map(\.depth) == [2])
    #expect(explanation.others.first?.reasons == [.overridden(depth: 0)])
    #expect(explanation.description.contains("of the container 2 above"))
    #expect(explanation.description.hasSuffix("is overridden here\n"))
    // An array gives the same result.
    #expect(child.explain([Service].self).answers.map(\.depth) == [0])
    #expect(try child.resolve([Service].self).count == 1)
  }

  @Test("A type of the same name from another scope is reported as another type")
  func namesakes() {
    container.register { _ in Other.Service() }
    let explanation = container.explain(Service.self)
    #expect(explanation.outcome == .notFound)
    #expect(explanation.others.map(\.reasons) == [[.otherType]])
  }

  @Test("Arrays, optionals and lazy resolvers are explained by their elements")
  func composites() throws {
    #expect(container.explain(Service?.self).outcome == .nothing)
    #expect(container.explain([Service].self).outcome == .array)
    #expect(container.explain(LazyResolver<Service>.self).outcome == .lazy)
    container.register(Service.self, tags: "a", "b") { _ in Service() }
    container.register(Service.self, tags: "c") { _ in Service() }
    let array = container.explain([Service].self, tags: "a")
    #expect(array.answers.count == 1 && array.others.map(\.reasons) == [[.lacksTags(["\"a\""])]])
    #expect(container.explain(Service?.self, tags: "a", "b").outcome == .instance)
    #expect(container.explain(LazyResolver<Service>.self, tags: "c").answers.count == 1)
    #expect(container.explain(Set<Int>.self).description == "Swift.Set<Swift.Int>: empty, since nothing fits\n")
    container.register([Service].self) { _ in [] }
    #expect(container.explain([Service].self).outcome == .instance)
  }

  @Test("Pending, asynchronous and main-actor registrations are reported as such and not loaded")
  func states() async {
    let plugin = LazyPlugin(container) { $0.register(String.self) { _ in "text" } }
    #expect(container.explain(String.self).answers.map(\.isPending) == [true])
    #expect(container.explain(String.self).description.contains("to be loaded, owned by plugin"))
    #expect(plugin.loads.count == 0)
    container.register { _ async in 1 }
    #expect(container.explain(Int.self).answers.map(\.context) == [.asynchronous])
    await MainActor.run { _ = container.register(isolation: MainActor.shared) { _ in true } }
    #expect(container.explain(Bool.self).description.contains("on the main actor"))
  }

  @Test("Control characters in a tag's description do not break its line")
  func controls() {
    struct Tag: Hashable, Sendable, CustomStringConvertible {
      let description: String
    }
    container.register(Int.self, tags: Tag(description: "a\nb\u{1B}[31m\u{2028}\u{202E}")) { _ in 1 }
    let lines = container.explain(Int.self).description.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count == 3 && lines[2].isEmpty)
    #expect(lines[1].contains(#"a\nb\u{1B}[31m\u{2028}\u{202E}"#), "\(lines[1])")
  }

  @Test("The JSON has the same content")
  func encoded() throws {
    struct Read: Decodable {
      struct Candidate: Decodable {
        let type: String
        let tags, reasons: [String]
        let depth: Int
        let lifetime: String
        let isBuilt: Bool
      }
      let type, outcome: String
      let tags, arguments: [String]
      let answers, others: [Candidate]
    }
    container.register(String.self, tags: "a") { _ in "" }
    let explanation = container.explain(String.self, tags: "b", arguments: Int.self)
    let read = try JSONDecoder().decode(Read.self, from: JSONEncoder().encode(explanation))
    #expect(read.type == "Swift.String" && read.tags == ["b"] && read.arguments == ["Swift.Int"])
    #expect(read.outcome == "notFound" && read.answers.isEmpty)
    #expect(read.others.first?.reasons == ["lacks the tag \"b\"", "has the further tag \"a\""])
  }
}
