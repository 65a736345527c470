import Testing
@testable import TroupeContainer

private final class Engine: Sendable {}
private struct Wheel: Sendable {}

private final class Car {
  var engine = Engine()
  var wheel: Wheel?
  var isFast: Bool {
    get { true }
    set { _ = newValue }
  }
}

private struct Bicycle {
  var wheel = Wheel()
}

@Suite("The error of an injection names its target and property")
struct InjectionErrorTests {
  private let container = Container()
  private let car = "the injection into " + typeName(Car.self)
  private let engine = typeName(Engine.self)
  private let wheel = typeName(Wheel.self)

  /// Returns the descriptions of the errors of an injection in each context.
  @MainActor
  private func descriptions<Target>(into target: () -> Target) async throws -> [String] {
    let sync = try #require(throws: ResolutionError.self) { _ = try container.resolve(into: target()) }
    let main = try #require(throws: ResolutionError.self) {
      _ = try container.resolve(into: target(), isolation: MainActor.shared)
    }
    let async = try await #require(throws: ResolutionError.self) { _ = try await container.resolve(into: target()) }
    return [sync, main, async].map(\.withoutLocations)
  }

  @MainActor
  @Test("The error for a missing key names the target and the property that needs the key")
  func missing() async throws {
    container.into(injectable: Car.self).inject(\.wheel).inject(\.engine).register()
    let text = "nothing is registered as \(engine); dependency path: \(car), \\Car.engine → \(engine)"
    #expect(try await descriptions { Car() } == [text, text, text])
    container.into(injectable: Bicycle.self).inject(\.wheel, tags: "front").register(tags: "bicycle")
    let front = wheel + #" ["front"]"#
    let bicycle = "the injection into \(typeName(Bicycle.self)) [\"bicycle\"], \\Bicycle.wheel"
    let other = "nothing is registered as \(front); dependency path: \(bicycle) → \(front)"
    #expect(try await descriptions { Bicycle() } == [other, other, other])
  }

  @MainActor
  @Test("The error names the property for indirect dependencies, for optionals and in nested injections")
  func further() async throws {
    container.register(Wheel.self, tags: "front") { resolver in
      _ = try resolver.resolve(String.self)
      return Wheel()
    }
    container.into(injectable: Car.self).inject(\.wheel, tags: "front").register()
    let path = "\\Car.wheel → \(wheel) [\"front\"] → Swift.String"
    let text = "nothing is registered as Swift.String; dependency path: \(car), \(path)"
    #expect(try await descriptions { Car() } == [text, text, text])
    container.register(Engine.self) { resolver in
      _ = try resolver.resolve(into: Bicycle())
      return Engine()
    }
    container.into(injectable: Bicycle.self).inject(\.wheel).register()
    container.into(injectable: Car.self).inject(\.engine).register()
    let inner = "the injection into \(typeName(Bicycle.self)), \\Bicycle.wheel → \(wheel)"
    let other = "registered are \(wheel) [\"front\"]; name all its tags, or resolve an array"
    let nested = "nothing is registered as \(wheel); dependency path: \(car) → \(engine) → \(inner); \(other)"
    #expect(try await descriptions { Car() } == [nested, nested, nested])
  }

  @Test("The error for a property without a name in the program has the type of the property")
  func computed() throws {
    container.into(injectable: Car.self).inject(\.isFast).register()
    let error = try #require(throws: ResolutionError.self) { try container.resolve(into: Car()) }
    let names = [car + ", a property of the type Swift.Bool → Swift.Bool", car + ", \\Car.isFast → Swift.Bool"]
    #expect(names.contains { error.withoutLocations == "nothing is registered as Swift.Bool; dependency path: " + $0 })
  }

  @Test("The error of a block that needs another context names a block of the injection")
  func blocks() throws {
    func at(_ line: Int) -> String { " (TroupeContainerTests/InjectionErrorTests.swift:\(line))" }
    func text(_ error: (any Error)?) -> String { error.map { "\($0)" } ?? "" }
    let line = #line + 1
    container.into(injectable: Car.self).inject { target, _ async in target }.register()
    let asynchronous = #expect(throws: ResolutionError.self) { _ = try container.resolve(into: Car()) }
    #expect(text(asynchronous) == car + at(line) + " has an asynchronous block; inject with await, in an asynchronous function")
    container.into(injectable: Car.self).inject(isolation: MainActor.shared) { target, _ in target }.register()
    let isolated = #expect(throws: ResolutionError.self) { _ = try container.resolve(into: Car()) }
    let remedy = "; inject there with isolation: MainActor.shared, or with await"
    #expect(text(isolated) == car + at(line + 3) + " has a block that runs on Swift.MainActor" + remedy)
  }
}
