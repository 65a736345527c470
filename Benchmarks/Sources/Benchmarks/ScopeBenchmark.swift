import TroupeContainer

/// The cost of scopes and of resolving in them.
enum ScopeBenchmark {
  private final class Service: Sendable {}
  private final class Shared: Sendable {}
  private final class Session: Sendable {}

  static func run(_ report: inout Report) throws {
    let few = try container(registrations: 10)
    let many = try container(registrations: 100_000)
    // In turns, so that both see the machine in the same moods.
    var (making, makingAmongMany) = (Double.infinity, Double.infinity)
    for _ in 0..<5 {
      making = min(making, Self.making(few))
      makingAmongMany = min(makingAmongMany, Self.making(many))
    }
    report.add("making a scope, ns", making)
    report.add("making a scope, 100000 registrations against 10", makingAmongMany / making)
    report.add("a scope in which one thing is made, ns", try firstResolve(few))

    let scope = few.scope()
    let deep = scope.scope().scope()
    let works: [() throws -> Void] = [
      { _ = try few.resolve(Shared.self) }, { _ = try few.resolve(Service.self) },
      { _ = try scope.resolve(Session.self) }, { _ = try deep.resolve(Session.self) },
      { _ = try scope.resolve(Shared.self) }, { _ = try scope.resolve(Service.self) },
    ]
    // In turns, too.
    var times = works.map { _ in Double.infinity }
    for _ in 0..<15 {
      for (index, work) in works.enumerated() {
        times[index] = min(times[index], try Measuring.nanoseconds(100_000, rounds: 1, work))
      }
    }
    func row(_ name: String, _ work: Int, against base: Int) {
      report.add(name, nanoseconds: times[work], times[work] / times[base])
    }
    row("scoped against singleton", 2, against: 0)
    row("scoped in a scope three deep against singleton", 3, against: 0)
    row("singleton through a scope against itself", 4, against: 0)
    row("transient through a scope against itself", 5, against: 1)
  }

  /// Something of each lifetime, among others.
  private static func container(registrations: Int) throws -> Container {
    let container = Container()
    try container.batch { registrar in
      registrar.register { _ in Service() }
      registrar.register(lifetime: .singleton) { _ in Shared() }
      registrar.register(lifetime: .scoped) { _ in Session() }
      for number in 3..<registrations {
        registrar.register(Service.self, tags: number, lifetime: number % 2 == 0 ? .scoped : .transient) { _ in Service() }
      }
    }
    return container
  }

  /// The time that it takes to make a scope and to end it.
  private static func making(_ container: Container) -> Double {
    Measuring.nanoseconds(100_000, rounds: 5) { withExtendedLifetime(container.scope()) {} }
  }

  private static func firstResolve(_ container: Container) throws -> Double {
    try Measuring.nanoseconds(30_000) { _ = try container.scope().resolve(Session.self) }
  }
}
