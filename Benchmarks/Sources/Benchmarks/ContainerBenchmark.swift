import Foundation
import Synchronization
import TroupeContainer

/// The cost of resolving and registering, as multiples of the operations that every container needs.
enum ContainerBenchmark {
  private final class Service: Sendable {}
  /// As large as a few cache lines, so that two threads which count references to two of them do not share one.
  private final class Left: Sendable {
    let space = InlineArray<32, Int>(repeating: 0)
  }
  private final class Right: Sendable {
    let space = InlineArray<32, Int>(repeating: 0)
  }
  private final class Shared: Sendable {}
  private final class Tagged: Sendable {}
  private final class Numbered: Sendable {
    let number: Int
    init(_ number: Int) { self.number = number }
  }
  private final class Dependent: Sendable {
    let service: Service
    init(service: Service) { self.service = service }
  }
  private protocol Stage: AnyObject, Sendable {}
  private final class Plain: Stage {}

  static func run(_ report: inout Report) throws {
    let floor = floor()
    report.add("floor", nanoseconds: floor, 1)
    try resolving(&report, floor)
    try filtering(&report, floor)
    try threads(&report)
    try registering(&report)
    try growing(&report)
    try validating(&report)
  }

  /// The least that a container can be: it looks a factory up by a type's identity and calls it, and the factory allocates.
  private final class Least {
    private var factories: [ObjectIdentifier: () -> AnyObject] = [:]

    init() {
      for type in [Service.self, Shared.self, Tagged.self, Int.self, String.self] as [any Any.Type] {
        factories[ObjectIdentifier(type)] = { Service() }
      }
    }

    @inline(never)
    func make(_ type: ObjectIdentifier) -> AnyObject? { factories[type]?() }
  }

  private static func floor() -> Double {
    let least = Least()
    return Measuring.nanoseconds {
      if let made = least.make(ObjectIdentifier(Service.self)) { withExtendedLifetime(made) {} }
    }
  }

  private static func resolving(_ report: inout Report, _ floor: Double) throws {
    let container = Container()
    container.register { _ in Service() }
    container.register(lifetime: .singleton) { _ in Shared() }
    container.register(tags: "one", "two") { _ in Tagged() }
    container.register { _, number in Numbered(number) }
    container.register(factory: auto(Dependent.init))
    func row(_ name: String, _ nanoseconds: Double) { report.add(name, nanoseconds: nanoseconds, nanoseconds / floor) }

    row("transient", try Measuring.nanoseconds { _ = try container.resolve(Service.self) })
    row("built singleton", try Measuring.nanoseconds { _ = try container.resolve(Shared.self) })
    row("two tags", try Measuring.nanoseconds { _ = try container.resolve(Tagged.self, tags: "one", "two") })
    row("one argument", try Measuring.nanoseconds { _ = try container.resolve(Numbered.self, args: 7) })
    row("auto with one dependency", try Measuring.nanoseconds { _ = try container.resolve(Dependent.self) })
  }

  private struct Capability: Sendable {
    let strength: Int
  }

  /// Ten of a group of 100 among 10,000 registrations of one type, by their metadata; the index finds the group.
  private static func filtering(_ report: inout Report, _ floor: Double) throws {
    let container = Container()
    try container.batch { registrar in
      for number in 0..<10_000 {
        let group = Group(number % 100 == 0 ? "wanted" : "other")
        registrar.annotated(metadata: Capability(strength: number / 100)).register((any Stage).self, tags: number, group) { _ in
          Plain()
        }
      }
    }
    let wanted = Group("wanted")
    func find() -> [Key<any Stage>] {
      container.filter((any Stage).self, group: wanted) { (capability: Capability) in capability.strength % 10 == 0 }
    }
    precondition(find().count == 10)
    let nanoseconds = Measuring.nanoseconds(3000) { withExtendedLifetime(find()) {} }
    report.add("filter by metadata among 10000", nanoseconds: nanoseconds, nanoseconds / floor)
  }

  /// Two threads that resolve different singletons, against one, and one beside a thread that registers every millisecond.
  private static func threads(_ report: inout Report) throws {
    let container = Container()
    container.register(lifetime: .singleton) { _ in Left() }
    container.register(lifetime: .singleton) { _ in Right() }
    _ = try (container.resolve(Left.self), container.resolve(Right.self))
    let count = 500_000

    func once(_ work: [@Sendable () -> Void]) -> Double {
      let start = Measuring.now()
      let threads = work.map { work in
        let done = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
          work()
          done.signal()
        }
        return done
      }
      threads.forEach { $0.wait() }
      return Measuring.now() - start
    }
    let first: @Sendable () -> Void = { for _ in 0..<count { _ = try? container.resolve(Left.self) } }
    let second: @Sendable () -> Void = { for _ in 0..<count { _ = try? container.resolve(Right.self) } }
    let arithmetic: @Sendable () -> Void = { compute() }
    var (one, two, alone) = (Double.infinity, Double.infinity, Double.infinity)
    for _ in 0..<50 {
      one = min(one, once([first]))
      alone = min(alone, once([arithmetic]))
    }
    // A machine that others use, too, may not have two processors to give: at such a moment not even two threads that touch no
    // memory are twice as fast as one. Only the moments count in which they are.
    var moments = 0
    for _ in 0..<1000 where moments < 50 {
      let time = once([first, second])
      guard 2 * alone / once([arithmetic, arithmetic]) > 1.95 else { continue }
      moments += 1
      two = min(two, time)
    }
    if moments > 0 {
      report.add("two threads against one", 2 * one / two)
    } else {
      report.omit("two threads against one", since: "no moment at which there are two processors")
    }

    let writer = DispatchSemaphore(value: 0)
    let flag = Flag()
    Thread.detachNewThread {
      while !flag.isOver.load(ordering: .relaxed) {
        container.register(Int.self, tags: "changing") { _ in 1 }
        usleep(1000)
      }
      writer.signal()
    }
    let beside = (0..<50).map { _ in once([first]) }.min() ?? 0
    flag.isOver.store(true, ordering: .relaxed)
    writer.wait()
    report.add("a writer every millisecond", beside / one)
  }

  /// As much as a processor can do at once, in registers alone.
  @inline(never)
  private static func compute() {
    var values: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (1, 2, 3, 4, 5, 6)
    for index in 0..<(5_000_000 as UInt64) {
      values.0 &+= values.1 ^ index
      values.1 &+= index
      values.2 &+= values.3 ^ index
      values.3 &+= index
      values.4 &+= values.5 ^ index
      values.5 &+= index
    }
    withExtendedLifetime(values.0 ^ values.2 ^ values.4) {}
  }

  private final class Flag: Sendable {
    let isOver = Atomic<Bool>(false)
  }

  /// The growth of the cost of a registration with their number. Each size runs in a process of its own, since the heap that others have
  /// left behind suits the smaller one better.
  private static func growing(_ report: inout Report) throws {
    func nanoseconds(_ count: Int) throws -> Double {
      try (0..<7).map { _ in try Measuring.inChild(arguments: ["register", "\(count)"]) }.min() ?? 0
    }
    report.add("one at a time, 200000 against 100000", try nanoseconds(200_000) / nanoseconds(100_000))
  }

  /// How long it takes to register some number one at a time, in nanoseconds.
  static func registering(_ count: Int) -> Double {
    let container = Container()
    let start = Measuring.now()
    for number in 0..<count { container.register(Service.self, tags: number) { _ in Service() } }
    return Measuring.now() - start
  }

  private static func registering(_ report: inout Report) throws {
    func batch() throws -> (time: Double, memory: Double) {
      let before = Measuring.residentBytes()
      let full = Container()
      let start = Measuring.now()
      try full.batch { registrar in
        for number in 0..<100_000 { registrar.register(Service.self, tags: number, "category") { _ in Service() } }
      }
      let time = (Measuring.now() - start) / 100_000
      defer { withExtendedLifetime(full) {} }
      return (time, Double(Measuring.residentBytes() - before) / 100_000)
    }
    // The first has the memory from the system, the others have what the first gave back.
    let memory = try batch().memory
    report.add("registering in a batch of 100000, ns", try (0..<3).map { _ in try batch().time }.min() ?? 0)
    report.add("memory of a registration, bytes", memory)
  }

  /// How long it takes to look through 100,000 registrations, each of which needs the one before it and one of ten arrays.
  private static func validating(_ report: inout Report) throws {
    let container = Container()
    try container.batch { registrar in
      for number in 0..<100_000 {
        let needs = [AnyKey(Service.self, tags: number - 1), AnyKey([Shared].self, tags: number % 10)]
        registrar.annotated(dependsOn: number == 0 ? [] : needs).register(Service.self, tags: number) { _ in Service() }
      }
      for number in 0..<10 { registrar.annotated(dependsOn: []).register(Shared.self, tags: number) { _ in Shared() } }
    }
    precondition(container.validate().findings.isEmpty)
    report.add("validate 100000, ms", Measuring.nanoseconds(1, rounds: 3) { _ = container.validate() } / 1e6)
  }
}
