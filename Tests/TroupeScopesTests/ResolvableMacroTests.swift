import Testing
import TroupeContainer

@testable public import TroupeScopes

/// Types with `@Resolvable`, resolved by a scope. `TroupeMacrosTests` tests the expansions.
@Suite("@Resolvable adds an initializer that resolves the dependencies")
struct ResolvableMacroTests {
  /// Returns a scope with the dependencies of the types below.
  private func scope() -> some DependencyResolutionScope {
    let builder = ContainerBuilder()
    builder.transient(Engine.self) { Engine(power: 7) }
    builder.transient((any Clock).self) { SystemClock() }
    builder.transient(Int.self) { 42 }
    builder.transient([String].self) { ["a", "b"] }
    builder.transient(Shared.self) { Shared() }
    builder.transient((@Sendable () -> String).self) { { "called" } }
    builder.transient((Int, label: Engine).self) { (1, label: Engine(power: 2)) }
    builder.transient(Outer.InnerStruct.self)
    return builder.build()
  }

  private func names(_ type: (some Resolvable).Type) -> [String]? { type.knownDependencies?.map { "\($0)" } }

  @Test("validate() knows the dependencies of an expanded type, and not those of a hand-written one")
  func validation() {
    let builder = ContainerBuilder()
    builder.scoped(Car.self)
    builder.transient((any Clock).self, assigned(SystemClock.self))
    builder.singleton(ByHand.self)
    let report = builder.build().container.validate()
    let missing = report.problems.map { "\($0)" }
    #expect(missing.contains { $0.contains("Engine") && $0.contains("Car") })
    #expect(missing.contains { $0.contains("SystemClock") })
    #expect(report.unknown.contains { "\($0)".contains("ByHand") })
  }

  @Test("A class with an initializer is created by it, and so are its resolvable dependencies")
  func initializer() {
    let car = Car(scope: scope())
    #expect(car.engine.power == 7)
    #expect(car.clock.now == 1)
    #expect(car.unlabeled == 42)
    #expect(car.left == "default")
    #expect(car.names == ["a", "b"])
    #expect(car.callback() == "called")
    #expect(car.missing == nil)
    #expect(names(Car.self) == ["Engine", "Clock", "Int", "Array<String>", "@Sendable () -> String", "Optional<Missing>"])
  }

  @Test("A class without an initializer has its properties resolved")
  func properties() {
    let garage = Garage(scope: scope())
    #expect([garage.first.power, garage.second.power, garage.third.power] == [7, 7, 7])
    #expect(garage.count == 3)
    #expect(garage.lazily == "lazy")
    #expect(garage.computed == 42)
    #expect(garage.observed == 42)
    #expect(garage.changes == 0)
    garage.observed = 1
    #expect(garage.changes == 1)
    #expect(garage.wrapped == 42)
    #expect(garage.wrappedWithValue == 1)
    #expect(garage.clamped == 3)
    #expect(garage.missing == nil)
    #expect(garage.unwrapped == 42)
    #expect(garage.missingAtFirst == nil)
    #expect(garage.pair.label.power == 2)
    #expect(Garage.shared == "static")
    #expect(garage.conditional.power == 7)
    #expect(
      names(Garage.self) == [
        "Engine", "Engine", "Engine", "Int", "Int", "Optional<Missing>", "Optional<Int>", "(Int, label: Engine)", "Engine",
      ])
  }

  @Test("A struct keeps its memberwise initializer, and an initializer without parameters remains as well")
  func structs() async {
    #expect(Wheel(engine: Engine(power: 1), size: 2).size == 2)
    #expect(Wheel(scope: scope()).engine.power == 7)
    #expect(Wheel(scope: scope()).size == 17)
    #expect(Made(scope: scope()).text == "made of 7")
    #expect(Nothing().value == 1)
    #expect(Nothing(scope: scope()).value == 1)
    #expect(NothingInClass().value == 1)
    #expect(NothingInClass(scope: scope()).value == 1)
    #expect(await NothingInActor().value == 1)
    #expect(await NothingInActor(scope: scope()).value == 1)
    #expect(Nothing.knownDependencies?.isEmpty == true)
  }

  @Test("An actor is created by its initializer or from its properties")
  func actors() async {
    #expect(Store(scope: scope()).engine.power == 7)
    #expect(await Archive(scope: scope()).count == 42)
    #expect(names(Archive.self) == ["Shared", "Int"])
  }

  @Test("A type of a global actor is created on any thread")
  func globalActors() async {
    let scope = scope()
    let view = await Task.detached { View(scope: scope) }.value
    #expect(view.engine.power == 7)
    #expect(view.title == "main")
    let panel = await Task.detached { Panel(scope: scope) }.value
    #expect(await panel.count == 42)
    #expect(names(View.self) == ["Engine"])
    #expect(await Task.detached { Screen(scope: scope) }.value.title == "screen")
  }

  @Test("An initializer that throws or may return nil is called if it succeeds")
  func failing() {
    #expect(Throwing(scope: scope()).engine.power == 7)
    #expect(Failable(scope: scope()).engine.power == 7)
    #expect(Both(scope: scope()).engine.power == 7)
  }

  @Test("The error of an initializer ends the process with the type and the error")
  func throwing() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let builder = ContainerBuilder()
      builder.transient(Engine.self) { Engine(power: 0) }
      _ = Throwing(scope: builder.build())
    }
    let words = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(words.contains("Throwing cannot be made, since its initializer threw NoPower"))
  }

  @Test("Of several initializers, the marked one is called")
  func marked() {
    #expect(Marked(scope: scope()).origin == "marked")
    #expect(Designated(scope: scope()).origin == "designated")
    #expect(MarkedStruct(scope: scope()).origin == "marked")
  }

  @Test("A generic type resolves its generic arguments")
  func generic() {
    #expect(Holder<Engine>(scope: scope()).value.power == 7)
    #expect(Holder<Int>(scope: scope()).value == 42)
    #expect(GenericStruct<Int>(scope: scope()).value == 42)
    #expect(names(Holder<Int>.self) == ["Int"])
    #expect(names(Holder<Engine>.self) == ["Engine"])
  }

  @Test("A nested type is resolved like another, including a fileprivate one")
  func nested() {
    #expect(Outer.Inner(scope: scope()).engine.power == 7)
    #expect(Outer.InnerStruct(scope: scope()).engine.power == 7)
    #expect(Outer.power(scope()) == 7)
    #expect(Outer.InExtension(scope: scope()).engine.power == 7)
    #expect(Outer.WithSibling(scope: scope()).sibling.engine.power == 7)
    #expect(Outer.WithSiblingGiven(scope: scope()).power == 7)
    #expect(names(Outer.WithSibling.self) == ["InnerStruct"])
  }

  @Test("A subclass resolves its own dependencies and those of its superclass")
  func subclass() {
    let derived = Derived(scope: scope())
    #expect(derived.engine.power == 7)
    #expect(derived.count == 42)
    #expect(names(Base.self) == ["Engine"])
    #expect(names(Derived.self) == ["Engine", "Int"])
    #expect(Heir(scope: scope()).engine.power == 7)
    #expect(names(Heir.self) == ["Engine"])
    let own = OwnInitializer(scope: scope())
    #expect(own.engine.power == 9)
    #expect(own.count == 42)
    #expect(names(OwnInitializer.self) == ["Int"])
    #expect(PlainHeir(scope: scope()).count == 42)
    #expect(FurtherDerived(scope: scope()).clock.now == 1)
    #expect(names(FurtherDerived.self) == ["Engine", "Int", "Clock"])
    #expect(OfNothing(scope: scope()).engine.power == 7)
    #expect(names(OfNothing.self) == ["Engine"])
    #expect(OfNothingOnMainActor(scope: scope()).engine.power == 7)
  }

  @Test("A type known only at run time creates the subclass and has its dependencies")
  func dynamic() {
    let type: Base.Type = Derived.self
    #expect(type.init(scope: scope()) is Derived)
    #expect((type as any Resolvable.Type).knownDependencies?.count == 2)
  }

  @Test("The dependencies of a subclass without the macro are unknown")
  func unknown() {
    #expect(names(Silent.self) == nil)
    #expect(Silent(scope: scope()).engine.power == 7)
    #expect(names(ByHand.self) == nil)
    #expect(names(OfByHand.self) == nil)
    #expect(OfByHand(scope: scope()).count == 42)
    #expect(names(OfByHandWithInitializer.self) == ["Int"])
  }

  @Test("A type that conforms by itself or through another protocol has no second conformance")
  func stated() {
    #expect(Stated(scope: scope()).engine.power == 7)
    #expect(StatedStruct(scope: scope()).engine.power == 7)
    #expect(ByProtocol(scope: scope()).engine.power == 7)
    #expect(ByProtocolStruct(scope: scope()).engine.power == 7)
    #expect(names(ByProtocol.self) == ["Engine"])
  }

  @Test("An autoclosure is resolved when it is called")
  func autoclosure() {
    let lazily = Lazily(scope: scope())
    #expect(lazily.first.power == 7)
    #expect(lazily.later().power == 7)
  }

  @Test("The initializer and the dependencies of an open or public type have its access level")
  func access() async {
    #expect(ResolvableOpenClass(scope: scope()).count == 42)
    #expect(ResolvablePublicClass(scope: scope()).names == ["a", "b"])
    #expect(names(ResolvablePublicClass.self) == ["Int", "Array<String>"])
    #expect(ResolvableOpenClass.Part(scope: scope()).count == 42)
  }
}

// MARK: Dependencies

private struct Engine: Equatable { let power: Int }
private struct Missing {}
private protocol Clock { var now: Int { get } }
private struct SystemClock: Clock { let now = 1 }
private final class Shared {}

@propertyWrapper private struct Wrapper { var wrappedValue: Int }

@propertyWrapper private struct Clamped {
  private let limit: Int
  init(to limit: Int) { self.limit = limit }
  var wrappedValue: Int { limit }
}

// MARK: Classes

@Resolvable
private class Car {
  let engine: Engine
  let clock: any Clock
  let unlabeled: Int
  let left: String
  let names: [String]
  let callback: @Sendable () -> String
  let missing: Missing?

  fileprivate init(
    engine: Engine, at clock: any Clock, _ unlabeled: Int, left: String = "default", names: [String],
    `in` callback: @escaping @Sendable () -> String, missing: Missing?, variadic: Int...
  ) {
    self.engine = engine
    self.clock = clock
    self.unlabeled = unlabeled
    self.left = left
    self.names = names
    self.callback = callback
    self.missing = missing
  }
}

@Resolvable
private final class Garage {
  let first: Engine
  let second, third: Engine
  var count = 3
  let constant = 5
  lazy var lazily = "lazy"
  var computed: Int { 42 }
  static let shared = "static"
  var observed: Int { didSet { changes += 1 } }
  var changes: Int = 0 { willSet {} }
  @Wrapper var wrapped: Int
  @Wrapper var wrappedWithValue: Int = 1
  @Clamped(to: 3) var clamped: Int
  var missing: Missing?
  private(set) var unwrapped: Int!
  var missingAtFirst: Int? = nil
  let (left, right) = (1, 2)
  let pair: (Int, label: Engine)
  #if os(Linux) || os(macOS)
    let conditional: Engine
  #else
    let conditional: Missing
  #endif
}

// MARK: Structs and actors

@Resolvable
private struct Wheel {
  let engine: Engine
  var size = 17
}

@Resolvable
private struct Made {
  let text: String
  init(_ engine: Engine) { text = "made of \(engine.power)" }
}

@Resolvable private struct Nothing { var value = 1 }
@Resolvable private class NothingInClass { var value = 1 }
@Resolvable private actor NothingInActor { var value = 1 }

@Resolvable
private actor Store {
  let engine: Engine
  private var shared: Shared
  init(engine: Engine, shared: Shared) {
    self.engine = engine
    self.shared = shared
  }
}

@Resolvable
private actor Archive {
  private let shared: Shared
  var count: Int
}

@MainActor @Resolvable
private final class View {
  let engine: Engine
  let title = "main"
}

@MainActor @Resolvable
private class Panel {
  var count: Int
  nonisolated init(count: Int) { self.count = count }
}

@MainActor @Resolvable
private struct Screen {
  let title = "screen"
}

// MARK: Initializers

private struct NoPower: Error {}

@Resolvable
private final class Throwing {
  let engine: Engine
  init(engine: Engine) throws {
    if engine.power == 0 { throw NoPower() }
    self.engine = engine
  }
}

@Resolvable
private struct Failable {
  let engine: Engine
  init?(engine: Engine) {
    if engine.power == 0 { return nil }
    self.engine = engine
  }
}

@Resolvable
private class Both {
  let engine: Engine
  init?(engine: Engine) throws { self.engine = engine }
}

@Resolvable
private class Marked {
  let origin: String
  init(engine: Engine) { origin = "first" }
  @ResolvableInitializer init(count: Int) { origin = "marked" }
}

@Resolvable
private class Designated {
  let origin: String
  convenience init(count: Int) { self.init(engine: Engine(power: count)) }
  init(engine: Engine) { origin = "designated" }
  @available(*, unavailable) init(missing: Missing) { fatalError() }
}

@Resolvable
private struct MarkedStruct {
  let origin: String
  init(engine: Engine) { origin = "first" }
  @ResolvableInitializer
  private init(count: Int) { origin = "marked" }
}

@Resolvable
private class Lazily {
  let first: Engine
  let later: () -> Engine
  init(first: @autoclosure () -> Engine, later: @autoclosure @escaping () -> Engine) {
    self.first = first()
    self.later = later
  }
}

// MARK: Generic and nested types

@Resolvable
private class Holder<Value> {
  let value: Value
}

@Resolvable
private struct GenericStruct<Value: Sendable> {
  let value: Value
  init(_ value: Value) { self.value = value }
}

private enum Outer {
  @Resolvable class Inner { let engine: Engine }
  @Resolvable struct InnerStruct { let engine: Engine }
  @Resolvable struct WithSibling { let sibling: InnerStruct }
  @Resolvable struct WithSiblingGiven {
    let power: Int
    init(sibling: InnerStruct) { power = sibling.engine.power }
  }
  @Resolvable fileprivate class Hidden { let engine: Engine }
  @Resolvable fileprivate struct HiddenStruct { let engine: Engine }
  @Resolvable fileprivate final class HiddenFinal { let engine: Engine }

  static func power(_ scope: some DependencyResolutionScope) -> Int {
    min(Hidden(scope: scope).engine.power, HiddenStruct(scope: scope).engine.power, HiddenFinal(scope: scope).engine.power)
  }
}

extension Outer {
  @Resolvable struct InExtension { let engine: Engine }
}

// MARK: Subclasses

@Resolvable
private class Base { let engine: Engine }

@Resolvable
private class Derived: Base { var count: Int }

@Resolvable
private final class FurtherDerived: Derived { let clock: any Clock }

@Resolvable
private final class Heir: Base { var more = 1 }

private class Silent: Base { var more = 1 }

@Resolvable
private class WithInitializer {
  let engine: Engine
  init(engine: Engine) { self.engine = engine }
}

@Resolvable
private class OwnInitializer: WithInitializer {
  let count: Int
  init(count: Int) {
    self.count = count
    super.init(engine: Engine(power: 9))
  }
}

@Resolvable
private final class PlainHeir: Plain { let count: Int }

private class Plain {}

@Resolvable
private final class OfNothing: NothingInClass { let engine: Engine }

@MainActor @Resolvable private class NothingOnMainActor { var value = 1 }

@MainActor @Resolvable
private final class OfNothingOnMainActor: NothingOnMainActor { let engine: Engine }

private class ByHand: Resolvable {
  let engine: Engine
  required init(scope: any DependencyResolutionScope) { engine = scope.resolve() }
  init() { engine = Engine(power: 0) }
}

@Resolvable
private class OfByHand: ByHand { let count: Int }

@Resolvable
private final class OfByHandWithInitializer: ByHand {
  init(count: Int) { super.init() }
}

// MARK: Conformances

private protocol Part: Resolvable {}

@Resolvable
private final class Stated: Resolvable { let engine: Engine }

@Resolvable
private struct StatedStruct: Resolvable { let engine: Engine }

@Resolvable
private class ByProtocol: Part, Resolvable { let engine: Engine }

@Resolvable
private struct ByProtocolStruct: Part { let engine: Engine }

// MARK: Access

/// A class that other modules can subclass.
@Resolvable
open class ResolvableOpenClass { let count: Int }

/// A public subclass of `ResolvableOpenClass`.
@Resolvable
public final class ResolvablePublicClass: ResolvableOpenClass { let names: [String] }

/// A public extension with a package type.
extension ResolvableOpenClass {
  @Resolvable package actor Part { let count: Int }
}
