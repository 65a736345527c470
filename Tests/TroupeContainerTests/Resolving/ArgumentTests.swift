import Foundation
import Testing
import TroupeContainer

@Suite("Arguments of factories")
struct ArgumentTests {
  @Test("A factory receives its arguments in order")
  func order() throws {
    let container = Container()
    container.register(String.self, tags: "one") { (_, text: String) in text }
    container.register(String.self, tags: "many") { (_, a: Int, b: Double, c: String, d: [Int], e: Bool) in
      "\(a) \(b) \(c) \(d) \(e)"
    }
    #expect(try container.resolve(String.self, tags: "one", args: "text") == "text")
    #expect(try container.resolve(String.self, tags: "many", args: 1, 2.5, "c", [4], true) == "1 2.5 c [4] true")
    #expect(try container.resolve(key: Key<String>(tags: "one"), args: "by key") == "by key")
  }

  @Test("Too few arguments, too many arguments and arguments of another type are rejected")
  func refused() throws {
    let container = Container()
    let made = Counter()
    let key = container.register(String.self, tags: "a") { (_, number: Int, text: String) in "\(made.next())\(number)\(text)" }
    let attempts: [() throws -> String] = [
      { try container.resolve(key: key) }, { try container.resolve(key: key, args: 1) },
      { try container.resolve(key: key, args: 1, "a", "b") }, { try container.resolve(key: key, args: "a", 1) },
      { try container.resolve(key: key, args: Int32(1), "a") }, { try container.resolve(key: key, args: Int?.none, "a") },
    ]
    for attempt in attempts {
      let error = try #require(throws: ResolutionError.self) { try attempt() }
      #expect(error.reason.name == "invalidArgsType")
      #expect(error.key == key)
    }
    #expect(made.count == 0)
  }

  @Test("An argument for a factory without parameters is rejected")
  func surplus() throws {
    let container = Container()
    container.register(Int.self, lifetime: .singleton) { _ in 1 }
    let error = try #require(throws: ResolutionError.self) { try container.resolve(Int.self, args: 1) }
    #expect(error.reason.name == "invalidArgsType")
    #expect(try container.resolve(Int.self) == 1)
  }

  @Test("An argument is cast to the type of the factory's parameter")
  func cast() throws {
    let container = Container()
    container.register(String.self, tags: "optional") { (_, id: UUID?) in id?.uuidString ?? "none" }
    container.register(String.self, tags: "existential") { (_, greeting: any Greeting) in greeting.text }
    container.register(String.self, tags: "any") { (_, value: Any) in "\(value)" }
    container.register(String.self, tags: "wrapped") { (_, number: Int) in "\(number)" }
    let id = UUID()
    #expect(try container.resolve(String.self, tags: "optional", args: id) == id.uuidString)
    #expect(try container.resolve(String.self, tags: "optional", args: UUID?.some(id)) == id.uuidString)
    #expect(try container.resolve(String.self, tags: "optional", args: UUID?.none) == "none")
    #expect(try container.resolve(String.self, tags: "existential", args: Hello()) == "hello")
    #expect(try container.resolve(String.self, tags: "any", args: 7) == "7")
    #expect(try container.resolve(String.self, tags: "wrapped", args: Int?.some(7)) == "7")
  }

  @Test("The error for wrong arguments to a nested factory has the nested factory's key")
  func nested() throws {
    let container = Container()
    let inner = container.register(Int.self) { (_, number: Int) in number }
    container.register(String.self) { resolver in "\(try resolver.resolve(Int.self, args: "one"))" }
    let error = try #require(throws: ResolutionError.self) { try container.resolve(String.self) }
    #expect(error.reason.name == "invalidArgsType")
    #expect(error.key == inner)
  }

  @Test("A factory may resolve its own key with other arguments")
  func recursion() throws {
    let container = Container()
    container.register(Int.self) { (resolver, number: Int) in
      number < 2 ? 1 : number * (try resolver.resolve(Int.self, args: number - 1))
    }
    #expect(try container.resolve(Int.self, args: 5) == 120)
  }
}
