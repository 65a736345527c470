import Testing
import TroupeContainer
import TroupeTesting

protocol Weather: Sendable {
  var isWet: Bool { get }
}
struct Rain: Weather {
  let isWet = true
}
struct Sun: Weather {
  let isWet = false
}
struct Walk: Sendable {
  let weather: any Weather
  var advice: String { weather.isWet ? "Take an umbrella" : "Take a hat" }
}

@Suite("Walks", .container { $0.register(factory: auto(Walk.init)) })
struct WalkTests {
  @Test("In the rain one needs an umbrella", .container { $0.register((any Weather).self) { _ in Rain() } })
  func rain() throws {
    #expect(try Container.current.resolve(Walk.self).advice == "Take an umbrella")
  }

  @Test("In the sun one needs a hat", .container { $0.register((any Weather).self) { _ in Sun() } })
  func sun() throws {
    #expect(try Container.current.resolve(Walk.self).advice == "Take a hat")
  }
}
