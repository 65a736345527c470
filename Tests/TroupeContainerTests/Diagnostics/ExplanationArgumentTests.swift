import Foundation
import Testing
@testable import TroupeContainer

private protocol Shape {}
private protocol Distant {}
private struct Both: Greeting, Shape, Hashable { let text = "both" }
private struct Plain {}

// Sendable because it and its subclasses are constant.
private class Base: @unchecked Sendable {}
private class Derived: Base, @unchecked Sendable {}

private final class Shaped: Base, Shape, Greeting, Hashable, @unchecked Sendable {
  let text = "shaped"
  static func == (left: Shaped, right: Shaped) -> Bool { left === right }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// The type of a factory's parameter.
private struct Parameter: CustomTestStringConvertible, @unchecked Sendable {
  // Sendable because the closure captures a type only.
  let name: String
  let register: (Container) -> Void

  init<T>(_ type: T.Type) {
    name = typeName(T.self)
    register = { container in
      container.register(String.self) { (_, _: T) in typeName(T.self) }
    }
  }

  var testDescription: String { name }
}

/// The type of an argument and some values of it.
private struct Argument: CustomTestStringConvertible, @unchecked Sendable {
  // Sendable because the closures capture constant values.
  let name: String
  /// Resolves each value and returns the parameter type of the factory that ran, or nil if no factory takes the value.
  let resolve: (Container) throws -> [String?]
  let explain: (Container) -> Explanation

  init<T>(_ type: T.Type, _ values: T...) {
    name = typeName(T.self)
    resolve = { container in
      try values.map { value in
        do { return try container.resolve(String.self, args: value) } catch let error as ResolutionError {
          try #require(error.reason.name == "invalidArgsType")
          return nil
        }
      }
    }
    explain = { $0.explain(String.self, arguments: T.self) }
  }

  var testDescription: String { name }
}

/// Registrations with one parameter in their order, an argument, and the type of the parameter that takes it.
private struct Row: CustomTestStringConvertible, Sendable {
  let parameters: [Parameter]
  let argument: Argument
  let answer: String?

  init<T>(_ parameters: [Parameter], _ argument: Argument, _ answer: T.Type) {
    (self.parameters, self.argument) = (parameters, argument)
    self.answer = typeName(T.self)
  }

  init(_ parameters: [Parameter], refusing argument: Argument) {
    (self.parameters, self.argument, answer) = (parameters, argument, nil)
  }

  var testDescription: String { "\(argument.name) to \(parameters.map(\.name))" }
}

private func container(_ parameters: [Parameter]) -> Container {
  let container = Container()
  for parameter in parameters { parameter.register(container) }
  return container
}

@Suite("explain() names the factory that a resolve with arguments runs")
struct ExplanationArgumentTests {
  private static let id = UUID()

  private static let rows: [Row] = [
    // One factory.
    Row([Parameter(Int.self)], Argument(Int.self, 1), Int.self),
    Row([Parameter(String.self)], refusing: Argument(Int.self, 1)),
    Row([Parameter(Int.self)], refusing: Argument(UInt8.self, 1)),
    Row([Parameter(String.self)], refusing: Argument(Substring.self, "a")),
    Row([Parameter(Int?.self)], Argument(Int.self, 1), Int?.self),
    Row([Parameter(Int??.self)], Argument(Int.self, 1), Int??.self),
    Row([Parameter(String?.self)], refusing: Argument(Int.self, 1)),
    Row([Parameter(Any.self)], Argument(Int?.self, 1, nil), Any.self),
    Row([Parameter(Any?.self)], Argument(Int.self, 1), Any?.self),
    Row([Parameter((any Greeting).self)], Argument(Hello.self, Hello()), (any Greeting).self),
    Row([Parameter((any Greeting & Shape).self)], Argument(Both.self, Both()), (any Greeting & Shape).self),
    Row([Parameter(Base.self)], Argument(Derived.self, Derived()), Base.self),
    Row([Parameter(Derived.self)], refusing: Argument(Shaped.self, Shaped())),
    Row([Parameter(Base.self)], refusing: Argument(Hello.self, Hello())),
    Row([Parameter([Any].self)], Argument([Int].self, [1], []), [Any].self),
    // Several factories, of which exactly one takes the argument.
    Row([Parameter(Int?.self), Parameter(String.self)], Argument(Int.self, 1), Int?.self),
    Row([Parameter(String.self), Parameter(Int?.self)], Argument(Int.self, 1), Int?.self),
    Row([Parameter(UUID?.self), Parameter(Int.self), Parameter((any Greeting).self)], Argument(UUID.self, id), UUID?.self),
    Row([Parameter(Base.self), Parameter(Hello.self), Parameter([Int].self)], Argument(Derived.self, Derived()), Base.self),
    // Several factories that take the argument: the exact type wins, otherwise the last one.
    Row([Parameter(Int.self), Parameter(Any.self)], Argument(Int.self, 1), Int.self),
    Row([Parameter(Any.self), Parameter(Int?.self)], Argument(Int.self, 1), Int?.self),
    Row([Parameter(Int?.self), Parameter(Any.self)], Argument(Int.self, 1), Any.self),
    Row([Parameter((any Shape).self), Parameter(Base?.self)], Argument(Shaped.self, Shaped()), Base?.self),
  ]

  @Test("A resolve runs the factory that explain() names", arguments: rows)
  fileprivate func row(row: Row) throws {
    let container = container(row.parameters)
    let resolved = try row.argument.resolve(container)
    #expect(resolved.allSatisfy { $0 == row.answer })
    let explanation = row.argument.explain(container)
    #expect(explanation.outcome == (row.answer == nil ? .otherArguments : .instance))
    #expect(explanation.answers.map(\.argumentTypes) == (row.answer.map { [[$0]] } ?? []))
    #expect(explanation.others.count == row.parameters.count - explanation.answers.count)
  }

  // MARK: Undecided types

  @Test("A factory that takes some of the values answers if no other one takes all")
  func undecided() throws {
    let container = Container()
    container.register(String.self) { (_, _: Derived) in "derived" }
    let only = container.explain(String.self, arguments: Base.self)
    #expect(only.answers.map(\.argumentTypes) == [[typeName(Derived.self)]])
    #expect(try container.resolve(String.self, args: Derived() as Base) == "derived")
    container.register(String.self) { (_, _: Base?) in "base" }
    container.register(String.self) { (_, _: any Distant) in "distant" }
    let explanation = container.explain(String.self, arguments: Base.self)
    #expect(explanation.answers.map(\.argumentTypes) == [[typeName(Base?.self)]])
    #expect(try container.resolve(String.self, args: Base()) == "base")
    #expect(explanation.others.allSatisfy { $0.reasons == [.secondChoice] })
  }

  @Test("A class and a value type that Foundation bridges take each other's values")
  func bridged() throws {
    let container = Container()
    container.register(String.self) { (_, text: NSString) in "NSString" }
    #expect(container.explain(String.self, arguments: String.self).outcome == .instance)
    #expect(try container.resolve(String.self, args: "a") == "NSString")
    #expect(container.explain(String.self, arguments: Plain.self).outcome == .otherArguments)
    container.register(Int.self) { (_, number: Int) in number }
    #expect(container.explain(Int.self, arguments: NSNumber.self).outcome == .instance)
    #expect(try container.resolve(Int.self, args: NSNumber(value: 1)) == 1)
  }

  @Test("Each of several arguments decides which factory answers")
  func several() throws {
    let container = Container()
    container.register(String.self) { (_, _: Int?, _: Hello) in "greeting" }
    container.register(String.self) { (_, _: Any, _: Int) in "number" }
    container.register(String.self) { (_, _: Int) in "one" }
    let greeting = container.explain(String.self, arguments: Int.self, Hello.self)
    let types = [typeName(Int?.self), typeName(Hello.self)]
    #expect(greeting.answers.map(\.argumentTypes) == [types])
    #expect(try container.resolve(String.self, args: 1, Hello()) == "greeting")
    #expect(container.explain(String.self, arguments: Int.self, Plain.self).outcome == .otherArguments)
    #expect(throws: ResolutionError.self) { try container.resolve(String.self, args: 1, Plain()) }
  }

  @Test("A parent's factory answers if the child's takes other arguments")
  func parent() throws {
    let container = Container()
    let child = Container(parent: container)
    container.register(String.self) { (_, _: Int?) in "parent" }
    child.register(String.self) { (_, _: String) in "child" }
    #expect(child.explain(String.self, arguments: Int.self).answers.map(\.depth) == [1])
    #expect(try child.resolve(String.self, args: 1) == "parent")
    #expect(child.explain(String.self, arguments: Bool.self).outcome == .otherArguments)
    #expect(throws: ResolutionError.self) { try child.resolve(String.self, args: true) }
  }

  @Test("A singleton that exists answers for any arguments")
  func built() throws {
    let container = Container()
    container.register(String.self, lifetime: .singleton) { (_, number: Int) in "\(number)" }
    #expect(container.explain(String.self, arguments: Bool.self).outcome == .otherArguments)
    _ = try container.resolve(String.self, args: 1)
    #expect(container.explain(String.self, arguments: Bool.self).outcome == .instance)
    #expect(try container.resolve(String.self, args: true) == "1")
  }

  @Test("An array with a member that takes other arguments is an error that names the member")
  func array() throws {
    let container = Container()
    container.register(String.self, tags: "a") { (_, _: Int?) in "a" }
    #expect(container.explain([String].self, arguments: Int.self).outcome == .array)
    #expect(try container.resolve([String].self, args: 1) == ["a"])
    container.register(String.self, tags: "b") { (_, _: Bool) in "b" }
    let explanation = container.explain([String].self, arguments: Int.self)
    #expect(explanation.outcome == .otherArguments && explanation.answers.map(\.key) == [AnyKey(String.self, tags: "a")])
    #expect(explanation.others.map(\.reasons) == [[.otherArguments(["Swift.Bool"])]])
    #expect(throws: ResolutionError.self) { try container.resolve([String].self, args: 1) }
  }

  @Test("Validation reports learned arguments that no factory takes, even by a cast")
  func learned() throws {
    let container = Container(learnsDependencies: true)
    container.register(String.self) { (_, _: Int?) in "" }
    container.register(Bool.self) { resolver in try resolver.resolve(String.self, args: 1).isEmpty }
    _ = try container.resolve(Bool.self)
    #expect(container.validate().problems.isEmpty)
    container.register(Double.self) { resolver in try resolver.resolve(String.self, args: true).isEmpty ? 1 : 0 }
    #expect(throws: ResolutionError.self) { try container.resolve(Double.self) }
    #expect(container.validate().problems.count == 1)
  }
}
