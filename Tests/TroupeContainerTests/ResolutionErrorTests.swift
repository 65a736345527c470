import Testing
import TroupeContainer

@Suite("Resolution errors")
struct ResolutionErrorTests {
  @Test(
    "An error says what is wrong with which key",
    arguments: [
      (ResolutionError.Reason.notFound, #"nothing is registered as Swift.Int ["a"]"#),
      (.invalidArgsType, #"the factory registered as Swift.Int ["a"] takes other arguments"#),
      (.invalidInstanceType, #"the factory registered as Swift.Int ["a"] made something that is not a Swift.Int"#),
      (
        .cycle([AnyKey(Int.self, tags: "a"), AnyKey(Int.self, tags: "a")]),
        #"Swift.Int ["a"] needs itself: Swift.Int ["a"] → Swift.Int ["a"]"#
      ),
      (.error(Fault()), #"Swift.Int ["a"] could not be made: Fault()"#),
    ])
  func description(reason: ResolutionError.Reason, text: String) {
    #expect(ResolutionError(Key<Int>(tags: "a"), reason: reason).description == text)
    #expect("\(ResolutionError(AnyKey(Int.self, tags: "a"), reason: reason))" == text)
  }

  @Test("What a factory throws is wrapped once, with the key whose factory threw")
  func wrapped() throws {
    let container = Container()
    let inner = container.register(Int.self, tags: "inner") { _ in throw Fault() }
    container.register(Int.self, tags: "middle") { resolver in try resolver.resolve(Int.self, tags: "inner") }
    container.register(Int.self, tags: "outer", lifetime: .singleton) { resolver in
      try resolver.resolve(Int.self, tags: "middle")
    }
    let error = try #require(throws: ResolutionError.self) { try container.resolve(Int.self, tags: "outer") }
    #expect(error.key == inner)
    guard case .error(let cause) = error.reason else {
      Issue.record(error)
      return
    }
    #expect(cause is Fault)
  }

  @Test("A dependency that is missing is named, and not who needs it")
  func missing() throws {
    let container = Container()
    container.register(Int.self) { resolver in try resolver.resolve(String.self, tags: "name").count }
    let error = try #require(throws: ResolutionError.self) { try container.resolve(Int.self) }
    #expect(error.reason.name == "notFound")
    #expect(error.key == Key<String>(tags: "name"))
  }
}
