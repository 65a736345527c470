import Foundation
import Testing

@testable import TroupeContainer

private final class Engine: Sendable {}
private final class Wheel: Sendable {}

private final class Car: Sendable {
  let engine: Engine
  init(engine: Engine) { self.engine = engine }
}

private final class Garage: Sendable {
  let cars: [Car]
  let wheel: Wheel?
  init(cars: [Car], wheel: Wheel?) { (self.cars, self.wheel) = (cars, wheel) }
}

private final class Street: Sendable {
  init(_: Garage) {}
}

private final class Hen: Sendable {
  init(_: Egg) {}
}

private final class Egg: Sendable {
  init(_: Chick) {}
}

private final class Chick: Sendable {
  init(_: Hen) {}
}

private final class LateHen: Sendable {
  init(_: LazyResolver<LateEgg>) {}
}

private final class LateEgg: Sendable {
  init(_: LateHen) {}
}

private final class Late: Sendable {
  init(engine: Engine) async throws {}
}

@MainActor
private final class View {
  init(engine: Engine) {}
}

extension ValidationReport {
  /// The kinds of the findings.
  fileprivate var kinds: [FindingKind] { findings.map(\.kind) }
}

extension ValidationReport.Finding {
  /// The names of the types on the path, without modules.
  fileprivate var names: [String] { path.map { $0.key.type.split(separator: ".").last.map(String.init) ?? "" } }
}

@Suite("Validation reports what a resolve would fail on, with path and remedy")
struct ValidationTests {
  let container = Container()

  @Test("A container without missing dependencies has no findings")
  func fine() {
    container.register(factory: auto(Engine.init))
    container.register(factory: auto(Car.init))
    let report = container.validate()
    #expect(report.findings.isEmpty && report.description.isEmpty)
    #expect(report.registrationCount == 2)
  }

  @Test("A missing key is reported with its dependent, source location, dependency path and remedy")
  func missing() throws {
    container.register(factory: auto(Street.init))
    container.register(factory: auto(Garage.init))
    let line = #line + 1
    container.register(factory: auto(Car.init))
    let report = container.validate()
    #expect(report.kinds == [.missing])
    let finding = try #require(report.problems.first)
    #expect(finding.subject.key == Key<Engine>() && finding.subject.location == nil)
    // The garage's array is a separate step.
    #expect(
      finding.path.map(\.key) == [
        AnyKey(Street.self), AnyKey(Garage.self), AnyKey([Car].self), AnyKey(Car.self), AnyKey(Engine.self),
      ])
    #expect(finding.path[3].location == "TroupeContainerTests/ValidationTests.swift:\(line)")
    #expect(finding.description.hasPrefix("missing: nothing is registered as TroupeContainerTests."))
    #expect(finding.description.contains("ValidationTests.swift:\(line)) needs; dependency path: TroupeContainerTests."))
    #expect(finding.description.hasSuffix("; register it, or have it needed as an optional"))
    #expect(!finding.description.contains("\n"))
  }

  @Test("A dependency may be missing if it is an optional, an array or lazy")
  func mayBeMissing() {
    container.register(factory: auto { (_: Engine?, _: [Wheel], _: Set<Int>, _: LazyResolver<Car>) in "" })
    #expect(container.validate().findings.isEmpty)
  }

  @Test("The dependencies of auto are known with a cache and with metadata")
  func autoWithOptions() {
    container.annotated(cached: true).register(factory: auto(Car.init))
    container.annotated(cached: false).register(Garage.self, tags: "tag", factory: auto(Garage.init))
    container.annotated(metadata: 1).register(factory: auto(Street.init))
    let report = container.validate()
    #expect(report.unknown.isEmpty)
    #expect(report.problems.contains { $0.subject.key == Key<Engine>() })
    #expect(report.problems.contains { $0.subject.key == Key<Garage>() })
  }

  @Test("A dependency cycle is reported once with its whole path and all source locations")
  func cycle() throws {
    let line = #line + 1
    container.register(factory: auto(Hen.init))
    container.register(factory: auto(Egg.init))
    container.register(factory: auto(Chick.init))
    container.register(factory: auto { (_: Hen) in 1 })
    let report = container.validate()
    #expect(report.kinds == [.cycle])
    let finding = try #require(report.problems.first)
    #expect(finding.path.map(\.key) == [AnyKey(Hen.self), AnyKey(Egg.self), AnyKey(Chick.self), AnyKey(Hen.self)])
    #expect(finding.path.map(\.location) == [0, 1, 2, 0].map { "TroupeContainerTests/ValidationTests.swift:\(line + $0)" })
    // A resolve throws the corresponding error.
    let error = #expect(throws: ResolutionError.self) { try container.resolve(Hen.self) }
    #expect(error?.reason.name == "cycle")
  }

  @Test("A registration that depends on itself, directly, as an optional or through an array, is a dependency cycle")
  func selves() {
    container.register(factory: auto { (_: Engine) in Engine() })
    #expect(container.validate().problems.map(\.description).first?.hasPrefix("cycle: ") == true)
    container.register(factory: auto { (_: Engine?) in Engine() })
    #expect(container.validate().kinds == [.cycle, .replaced])
    container.register(factory: auto { (_: [Engine]) in Engine() })
    #expect(container.validate().kinds == [.cycle, .replaced])
    #expect(throws: ResolutionError.self) { try container.resolve(Engine.self) }
  }

  @Test("A lazy dependency breaks a dependency cycle")
  func lazy() throws {
    container.register(lifetime: .singleton, factory: auto(LateHen.init))
    container.register(factory: auto(LateEgg.init))
    #expect(container.validate().findings.isEmpty)
    _ = try container.resolve(LateHen.self)
  }

  @Test("Injections are listed, and missing dependencies of their key paths are reported with the dependency path")
  func injections() throws {
    final class Target {
      var engine = Engine()
      var wheel: Wheel?
      var car: Car!
    }
    container.register(factory: auto(Garage.init))
    let line = #line + 1
    container.into(injectable: Target.self).inject(\.engine).inject(\.wheel).inject(\.car).register()
    let report = container.validate()
    #expect(report.injections.map(\.key) == [AnyKey(Injection.key(into: Target.self))])
    #expect(report.injections.map(\.location) == ["TroupeContainerTests/ValidationTests.swift:\(line)"])
    #expect(report.registrationCount == 2 && report.kinds == [.missing])
    // The wheel and the car are optional.
    #expect(report.findings[0].path.map(\.key) == [AnyKey(Injection.key(into: Target.self)), AnyKey(Engine.self)])
    #expect(report.description.contains("which TroupeContainer.Injection [into "))
    // Missing dependencies of dependencies are reported as well.
    container.register(factory: auto { (_: Wheel) in Engine() })
    #expect(
      container.validate().findings.map { $0.path.map(\.key) } == [
        [AnyKey(Injection.key(into: Target.self)), AnyKey(Engine.self), AnyKey(Wheel.self)]
      ])
    container.register(factory: auto(Wheel.init))
    #expect(container.validate().findings.isEmpty && container.validate().injections.count == 1)
  }

  @Test("Dependencies of an injection's block are unknown until they are declared; those of its key paths are known")
  func blocks() throws {
    final class Target {
      var engine = Engine()
    }
    func register(with registrar: any Registrar) {
      registrar.into(injectable: Target.self).inject(\.engine).inject { target, _ in target }.register()
    }
    register(with: container)
    let report = container.validate()
    #expect(report.kinds == [.missing, .unknown])
    #expect(report.findings[1].subject.key == Injection.key(into: Target.self))
    #expect(report.findings[1].remedy.hasPrefix("inject by key paths, say what its blocks resolve with annotated(dependsOn:)"))
    register(with: container.annotated(dependsOn: Key<Wheel>()))
    #expect(container.validate().findings.map { $0.path.last?.key } == [AnyKey(Engine.self), AnyKey(Wheel.self)])
    #expect(container.validate().problems.count == 2)
  }

  @Test("A child's injection replaces the parent's injection with the same key in the list")
  func inheritedInjections() throws {
    let child = Container(parent: container)
    container.into(injectable: Engine.self).inject { target, _ in target }.register()
    container.into(injectable: Wheel.self).inject { target, _ in target }.register()
    let line = #line + 1
    child.into(injectable: Engine.self).inject { target, _ in target }.register()
    #expect(container.validate().injections.count == 2)
    let injections = child.validate().injections
    #expect(Set(injections.map(\.key)) == [AnyKey(Injection.key(into: Engine.self)), AnyKey(Injection.key(into: Wheel.self))])
    #expect(injections.contains { $0.location == "TroupeContainerTests/ValidationTests.swift:\(line)" })
  }

  @Test("A factory with arguments may depend on its own key")
  func recursion() {
    let registrar = container.annotated(dependsOn: Key<Int>(tags: "factorial"))
    registrar.register(Int.self, tags: "factorial") { (resolver: any Resolver, number: Int) -> Int in
      try number < 2 ? 1 : number * resolver.resolve(Int.self, tags: "factorial", args: number - 1)
    }
    #expect(container.validate().findings.isEmpty)
  }

  @Test("A factory with unknown dependencies is listed with a remedy and is not a problem")
  func unknown() throws {
    container.register { _ in Engine() }
    container.register { _ in Wheel() }
    container.register(factory: auto(Car.init))
    let report = container.validate()
    #expect(report.kinds == [.unknown, .unknown])
    #expect(report.problems.isEmpty)
    #expect(report.unknown.map(\.subject.key) == [AnyKey(Engine.self), AnyKey(Wheel.self)])
    #expect(try #require(report.unknown.first).description.contains("annotated(dependsOn:)"))
  }

  @Test("An instance expression has no dependencies, with every overload of register")
  func expressions() {
    container.register(instance: 1)
    container.register(tags: "tags", instance: 1)
    container.annotated(metadata: "").register(instance: UInt(1))
    container.annotated(metadata: "").register(tags: "tags", instance: UInt(1))
    container.register(isolation: MainActor.shared, instance: UInt32(1))
    container.register(isolation: MainActor.shared, tags: "main", instance: UInt32(1))
    let report = container.validate()
    #expect(report.registrationCount == 6 && report.findings.isEmpty)
  }

  @Test("The dependencies of an expression may be declared; a weak registration has none and accepts any arguments")
  func instances() throws {
    let wheel = Wheel()
    container.register(instance: Engine())
    container.register(weak: wheel)
    #expect(container.validate().findings.isEmpty)
    container.annotated(dependsOn: Key<String>()).register(instance: true)
    #expect(container.validate().kinds == [.missing])
    let learning = Container(learnsDependencies: true)
    learning.register(weak: wheel)
    learning.register(Int.self) { resolver in
      _ = try resolver.resolve(Wheel.self, args: 5)
      return 1
    }
    _ = try learning.resolve(Int.self)
    #expect(learning.validate().kinds == [.learned])
    withExtendedLifetime(wheel) {}
  }

  @Test("Declared dependencies are known, with tags, as an empty list and in addition to those of auto")
  func declared() {
    container.annotated(dependsOn: Key<Engine>(), Key<Wheel>(tags: "front")).register { _ in 1 }
    container.annotated(dependsOn: []).register { _ in Engine() }
    container.annotated(dependsOn: Key<String>()).register(factory: auto(Car.init))
    let report = container.validate()
    #expect(report.findings.map(\.subject.key) == [AnyKey(Wheel.self, tags: "front"), AnyKey(String.self)])
    #expect(report.kinds == [.missing, .missing])
  }

  @Test("Declared dependencies apply to batches, owners, subscripts and copies, but not to assemblies")
  func declaredElsewhere() async throws {
    struct Storage: Assembly {
      func register(in registrar: any Registrar) { registrar.register { _ in Engine() } }
    }
    let owner = Owner(name: "plugin")
    try container.batch { $0.annotated(dependsOn: Key<Wheel>()).register(Int.self, tags: "batch") { _ in 1 } }
    container.registrar(owner: owner).annotated(dependsOn: Key<Wheel>()).register(Int.self, tags: "owner") { _ in 1 }
    container.register(Int.self, tags: "plain") { _ in 1 }
    container.annotated(dependsOn: Key<Wheel>())[Key<Int>(tags: "copy")] = container[Key<Int>(tags: "plain")]
    container[Key<Int>(tags: "copy of a copy")] = container[Key<Int>(tags: "copy")]
    container.annotated(dependsOn: Key<Wheel>()).register(assemblies: Storage())
    try await container.assemble()
    let report = container.validate()
    #expect(
      report.problems.map { $0.path[0].key.sortedTags } == [["\"batch\""], ["\"owner\""], ["\"copy\""], ["\"copy of a copy\""]])
    #expect(report.unknown.map(\.subject.key) == [AnyKey(Int.self, tags: "plain"), AnyKey(Engine.self)])
    #expect(container.unregister(owner: owner) == 1)
  }

  @Test("The dependencies of auto are known in every context")
  func contexts() async {
    container.register(factory: auto(Late.init))
    await MainActor.run { _ = container.register(isolation: MainActor.shared, factory: mainauto(View.init)) }
    #expect(container.validate().findings.map(\.names) == [["(Late)", "(Engine)"], ["(View)", "(Engine)"]])
  }

  @Test("A factory that cannot wait for an asynchronous dependency is reported with a remedy, also for an array")
  func waiting() async throws {
    let key = container.register(Wheel.self, lifetime: .singleton, factory: auto { () async in Wheel() })
    container.register(factory: auto { (_: Wheel) in 1 })
    container.register(factory: auto { (_: Wheel?) in "" })
    container.register(factory: auto { (_: [Wheel]) in true })
    container.register(factory: auto { (_: [Wheel]) in UInt8(1) })
    container.register(factory: auto { (_: Wheel) async in 1.0 })
    container.register(factory: auto { (_: LazyResolver<Wheel>) in Float(1) })
    container.annotated(dependsOn: key).register { _ in UInt(1) }
    let report = container.validate()
    #expect(report.problems.map(\.kind) == Array(repeating: .context, count: 4))
    #expect(report.problems.map(\.path.first?.key.type) == ["Swift.Int", "Swift.String", "Swift.Bool", "Swift.UInt8"])
    #expect(report.problems.allSatisfy { $0.subject.key == key } && report.problems.map(\.path.count) == [2, 2, 3, 3])
    let text = try #require(report.problems.first).description
    #expect(text.contains("is asynchronous, and Swift.Int (TroupeContainerTests/ValidationTests.swift"))
    #expect(text.contains(") does not wait for it; let that wait, as auto { (…) async in … } and "))
    // A created singleton is available in every context.
    _ = try await container.resolve(Wheel.self)
    #expect(container.validate().problems.isEmpty)
  }

  @MainActor
  @Test("A main-actor dependency is available to main-actor and asynchronous factories")
  func mainActor() throws {
    container.register(Wheel.self, isolation: MainActor.shared, factory: mainauto { Wheel() })
    container.register(isolation: MainActor.shared, factory: mainauto { (_: Wheel) in 1 })
    container.register(factory: auto { (_: Wheel) async in 1.0 })
    #expect(container.validate().findings.isEmpty)
    container.register(factory: auto { (_: Wheel) in "" })
    container.register(Engine.self, factory: auto { () async in Engine() })
    container.register(isolation: MainActor.shared, factory: mainauto { (_: Engine) in true })
    let findings = container.validate().findings
    #expect(Set(findings.map(\.names)) == [["Bool", "(Engine)"], ["String", "(Wheel)"]])
    #expect(findings.contains { $0.description.contains("let that run there, with mainauto") })
    // An injection runs in the context of its caller.
    final class Target { var wheel: Wheel? }
    container.into(injectable: Target.self).inject(\.wheel).register()
    #expect(container.validate().findings.count == 2)
  }

  @Test("A factory that takes arguments does not satisfy a dependency without arguments")
  func arguments() throws {
    container.register(factory: auto(Car.init))
    container.annotated(dependsOn: []).register { (_: any Resolver, _: Int) in Engine() }
    let finding = try #require(container.validate().problems.first)
    #expect(finding.kind == .arguments && finding.subject.key == Key<Engine>())
    #expect(finding.description.contains("takes other arguments than"))
    // Of several registrations with one key, the one that fits is used.
    container.register(factory: auto(Engine.init))
    #expect(container.validate().findings.isEmpty)
  }

  @Test("A member of an array that takes arguments is reported if the dependency passes none")
  func argumentsOfMembers() throws {
    container.annotated(dependsOn: []).register(Wheel.self, tags: "a") { (_: any Resolver, _: Int) in Wheel() }
    container.register(Wheel.self, tags: "b", factory: auto { Wheel() })
    container.register(factory: auto { (_: LazyResolver<[Wheel]>) in true })
    #expect(container.validate().findings.isEmpty)
    container.register(factory: auto { (_: [Wheel]) in 1 })
    let finding = try #require(container.validate().findings.first)
    #expect(container.validate().kinds == [.arguments] && finding.subject.key == Key<Wheel>(tags: "a"))
    #expect(finding.path.map(\.key) == [AnyKey([Wheel].self), AnyKey(Key<Wheel>(tags: "a"))])
    #expect(throws: ResolutionError.self) { try container.resolve(Int.self) }
  }

  @Test("A missing key that one factory needs twice is reported once")
  func once() {
    container.register(factory: auto { (_: Engine, _: Engine) in 1 })
    #expect(container.validate().kinds == [.missing])
  }

  @Test("A registration of an optional or array type takes precedence, as in a resolve")
  func exact() {
    container.register([Car].self, factory: auto { (_: Wheel) in [Car]() })
    container.register(factory: auto { (_: [Car]) in 1 })
    container.register(Car.self, factory: auto(Car.init))
    container.register(factory: auto(Engine.init))
    let finding = container.validate().findings.first
    #expect(finding?.path.map(\.key) == [AnyKey(Int.self), AnyKey([Car].self), AnyKey(Wheel.self)])
    #expect(container.validate().kinds == [.missing])
  }

  @Test("Registrations of a parent count unless the child overrides them")
  func parents() throws {
    let parent = Container()
    let child = Container(parent: parent)
    parent.register(factory: auto(Engine.init))
    child.register(factory: auto(Car.init))
    #expect(child.validate().findings.isEmpty && child.validate().registrationCount == 2)
    // A transient of the parent resolves its dependencies from the child.
    parent.register(factory: auto(Street.init))
    child.annotated(dependsOn: []).register { _ in Garage(cars: [], wheel: nil) }
    #expect(child.validate().findings.isEmpty)
    #expect(parent.validate().kinds == [.missing])
    _ = try child.resolve(Street.self)
    // A singleton of the parent does not.
    parent.register(lifetime: .singleton, factory: auto(Street.init))
    #expect(child.validate().kinds == [.missing, .replaced])
    #expect(throws: ResolutionError.self) { try child.resolve(Street.self) }
    // A registration with the same key in the child overrides the parent's.
    child.annotated(dependsOn: []).register { _ in Street(Garage(cars: [], wheel: nil)) }
    #expect(child.validate().findings.isEmpty)
  }

  @Test("Validation creates and loads nothing; the dependencies of a pending registration are unknown")
  func noSideEffects() throws {
    let made = Counter()
    container.annotated(dependsOn: Key<String>()).register(lifetime: .singleton) { _ in made.next() }
    let plugin = LazyPlugin(container) { $0.register(String.self) { _ in "text" } }
    container.register(factory: auto { (_: Int, _: String) in Engine() })
    let report = container.validate()
    _ = container.graph()
    _ = container.explain(String.self)
    #expect(made.count == 0 && plugin.loads.count == 0)
    #expect(report.kinds == [.unknown])
    #expect(report.findings[0].isPending && report.description.contains("is not loaded yet"))
  }

  @Test("A chain of 20,000 dependencies is validated, and its path is shortened")
  func deep() throws {
    let count = 20_000
    try container.batch { registrar in
      for number in 0..<count {
        let keys = [AnyKey(Int.self, tags: number + 1)]
        registrar.annotated(dependsOn: keys).register(Int.self, tags: number) { _ in 1 }
      }
    }
    let finding = try #require(container.validate().problems.first)
    #expect(finding.kind == .missing && finding.isShortened)
    #expect(finding.path.first?.key == AnyKey(Int.self, tags: 0) && finding.path.last?.key == AnyKey(Int.self, tags: count))
    #expect(finding.path.count < 20 && finding.description.count < 4000)
    // The same chain as a dependency cycle.
    container.annotated(dependsOn: Key<Int>(tags: 0)).register(Int.self, tags: count) { _ in 1 }
    let report = container.validate()
    #expect(report.kinds == [.cycle] && report.findings[0].path.count == count + 2)
    #expect(report.description.count < 4000)
  }

  @Test("A registration without tags that replaced one from another line is noted, and is no problem")
  func replaced() {
    let parent = Container()
    let first = #line + 1
    parent.register(Int.self) { _ in 1 }
    parent.register(Int.self) { _ in 2 }
    // Neither other tags, arguments and containers replace it, nor the same line.
    parent.register(Int.self, tags: "a") { _ in 3 }
    parent.register(Int.self) { (_, number: Int) in number }
    for number in 0..<2 { parent.register(UInt.self) { _ in UInt(number) } }
    let child = Container(parent: parent)
    for container in [parent, child] {
      let notes = container.validate().findings.filter { $0.kind == .replaced }
      let file = "TroupeContainerTests/ValidationTests.swift"
      #expect(
        notes.map(\.description) == [
          "replaced: Swift.Int (\(file):\(first + 1)) replaced the registration at \(file):\(first)"
            + "; remove one of the two, or give them tags"
        ])
      #expect(notes.first?.path.map(\.location) == [first, first + 1].map { "\(file):\($0)" })
      #expect(container.validate().problems.isEmpty)
    }
    // Neither one that a child overrides, nor one that was unregistered in between.
    child.register(Int.self) { _ in 4 }
    child.register(Int.self) { (_, number: Int) in number }
    #expect(child.validate().findings.allSatisfy { $0.kind != .replaced })
    parent.unregister(key: Key<Int>())
    parent.register(Int.self) { _ in 5 }
    #expect(parent.validate().findings.allSatisfy { $0.kind != .replaced })
  }

  @Test("A registration that the policy of a container drops replaces nothing")
  func kept() {
    let container = Container(collisions: .keep)
    container.register(Int.self) { _ in 1 }
    container.register(Int.self) { _ in 2 }
    #expect(container.validate().findings.allSatisfy { $0.kind != .replaced })
  }

  @Test("The JSON has the same content as the text")
  func encoded() throws {
    container.register(factory: auto(Car.init))
    struct Report: Decodable {
      struct Step: Decodable {
        let type: String
        let tags: [String]
        let place: String?
      }
      struct Finding: Decodable {
        let kind, problem, remedy: String
        let subject: Step
        let path: [Step]
      }
      let registrations: Int
      let findings: [Finding]
    }
    let report = container.validate()
    let read = try JSONDecoder().decode(Report.self, from: JSONEncoder().encode(report))
    let finding = try #require(read.findings.first)
    #expect(read.registrations == 1 && finding.kind == "missing" && finding.path.count == 2)
    #expect("\(finding.kind): \(finding.problem); \(finding.remedy)" == report.findings[0].description)
    #expect(finding.path[0].place == report.findings[0].path[0].location)
  }
}
