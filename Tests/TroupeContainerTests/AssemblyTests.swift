import Dispatch
import Synchronization
import Testing
import TroupeContainer

/// An assembly that records its calls. Each `Number` is a distinct type of assembly.
private final class Numbered<Number>: Assembly {
  let name: String
  let journal: Journal
  let dependencies: () -> [any Assembly]
  let failure: (any Error)?

  init(
    _: Number.Type, _ name: String, _ journal: Journal, failure: (any Error)? = nil,
    needs dependencies: @escaping () -> [any Assembly] = { [] }
  ) {
    self.name = name
    self.journal = journal
    self.dependencies = dependencies
    self.failure = failure
  }

  func register(in registrar: any Registrar) {
    for dependency in dependencies() { registrar.register(assembly: dependency) }
    journal.write("register \(name)")
    registrar.register(String.self, tags: name, instance: "made")
  }

  func registered(to resolver: any Resolver) async throws {
    journal.write("registered \(name)")
    if let failure { throw failure }
  }
}

/// An assembly without a `registered(to:)` of its own.
private final class Quiet: Assembly {
  func register(in registrar: any Registrar) {
    registrar.register(Int.self, tags: "quiet", instance: 1)
  }
}

private enum One {}
private enum Two {}
private enum Three {}

@Suite(
  "An assembly registers once, after its dependencies, and is activated when all have registered", .timeLimit(.minutes(60)))
struct AssemblyTests {
  private let journal = Journal()
  private let container = Container()

  /// Returns the tags of the registered strings. An async context would select other overloads.
  private func names() throws -> [String] {
    ["one", "two", "three"].filter { container[Key<String>(tags: $0)] != nil }
  }

  @Test("Assemblies register in order, and registered(to:) is called after all have registered")
  func order() async throws {
    try await container.assemble(
      Numbered(One.self, "one", journal), Numbered(Two.self, "two", journal), Numbered(Three.self, "three", journal))
    #expect(
      journal.lines == [
        "register one", "register two", "register three", "registered one", "registered two", "registered three",
      ])
    #expect(try names() == ["one", "two", "three"])
  }

  @Test("The dependencies of an assembly register first, each type once")
  func dependencies() async throws {
    let journal = journal
    let three = { [Numbered(Three.self, "three", journal)] }
    try await container.assemble(
      Numbered(One.self, "one", journal, needs: { [Numbered(Two.self, "two", journal, needs: three)] + three() }))
    #expect(
      journal.lines == [
        "register three", "register two", "register one", "registered three", "registered two", "registered one",
      ])
  }

  @Test("A dependency registers first even if it is listed after the assembly")
  func waitingDependency() async throws {
    let journal = journal
    try await container.assemble(
      Numbered(One.self, "one", journal, needs: { [Numbered(Three.self, "three again", journal)] }),
      Numbered(Two.self, "two", journal), Numbered(Three.self, "three", journal))
    #expect(
      journal.lines == [
        "register three", "register one", "register two", "registered three", "registered one", "registered two",
      ])
  }

  @Test("Assemblies that depend on each other register once each")
  func mutualDependencies() async throws {
    let journal = journal
    try await container.assemble(
      Numbered(
        One.self, "one", journal,
        needs: { [Numbered(Two.self, "two", journal, needs: { [Numbered(One.self, "one again", journal)] })] }))
    #expect(journal.lines == ["register two", "register one", "registered two", "registered one"])
  }

  @Test("Assembling an assembly again has no effect")
  func again() async throws {
    try await container.assemble(Numbered(One.self, "one", journal))
    try await container.assemble(Numbered(One.self, "one again", journal), Numbered(Two.self, "two", journal))
    try await container.assemble()
    #expect(journal.lines == ["register one", "registered one", "register two", "registered two"])
    #expect(try names() == ["one", "two"])
  }

  @Test("A registered assembly waits for assemble()")
  func waiting() async throws {
    container.register(assemblies: Numbered(One.self, "one", journal), Numbered(Two.self, "two", journal))
    container.register(assembly: Numbered(Three.self, "three", journal))
    #expect(journal.lines.isEmpty)
    #expect(try names().isEmpty)
    try await container.assemble()
    #expect(journal.lines.count == 6)
    #expect(journal.lines.first == "register one")
    #expect(try names() == ["one", "two", "three"])
  }

  @Test("An assembly that throws ends assemble(), and registered(to:) of the later assemblies is not called")
  func failure() async throws {
    await #expect(throws: SampleError.self) {
      try await container.assemble(
        Numbered(One.self, "one", journal), Numbered(Two.self, "two", journal, failure: SampleError()),
        Numbered(Three.self, "three", journal))
    }
    #expect(
      journal.lines == ["register one", "register two", "register three", "registered one", "registered two"])
  }

  @Test("An assembly need not implement registered(to:)")
  func quiet() async throws {
    try await container.assemble(Quiet())
    #expect(container[Key<Int>(tags: "quiet")] != nil)
  }

  @Test("Containers assemble the same assembly independently")
  func local() async throws {
    let other = Container()
    try await container.assemble(Numbered(One.self, "one", journal))
    try await other.assemble(Numbered(One.self, "one", journal))
    #expect(journal.lines == ["register one", "registered one", "register one", "registered one"])
    #expect(other[Key<String>(tags: "one")] != nil)
  }

  @Test("An assembly registered by eight threads is assembled once")
  func threads() async throws {
    let (container, journal) = (container, journal)
    _ = try onThreads(8) { _ in container.register(assembly: Numbered(One.self, "one", journal)) }
    try await container.assemble()
    #expect(journal.lines == ["register one", "registered one"])
  }

  @Test("Dependencies register first even if another assemble() ends meanwhile")
  func overlapping() async throws {
    let (container, journal) = (container, journal)
    let needs: () -> [any Assembly] = {
      let end = DispatchSemaphore(value: 0)
      // Uses its own threads, since all threads of the shared pool may be blocked here.
      Task(executorPreference: Threads()) {
        try await container.assemble()
        end.signal()
      }
      end.wait()
      return [Numbered(Two.self, "two", journal)]
    }
    try await container.assemble(Numbered(One.self, "one", journal, needs: needs))
    #expect(journal.lines == ["register two", "register one", "registered two", "registered one"])
  }

  @Test(
    "A call returns only when earlier assemblies are active, even if another call assembles them")
  func secondWaits() async throws {
    let (container, journal) = (container, journal)
    let (begun, gate) = (Gate(), Gate())
    let slow = ClosureAssembly {
      begun.open()
      await gate.pass()
      journal.write("slow is active")
    }
    let first = Task { try await container.assemble(slow) }
    await begun.pass()
    let second = Task.immediate {
      try await container.assemble()
      journal.write("second returns")
    }
    gate.open()
    try await second.value
    try await first.value
    #expect(journal.lines == ["slow is active", "second returns"])
  }

  @Test(
    "A call that is cancelled while it waits for another throws CancellationError and leaves its assemblies registered")
  func cancelledTurn() async throws {
    let (container, journal) = (container, journal)
    let (begun, gate) = (Gate(), Gate())
    let slow = ClosureAssembly {
      begun.open()
      await gate.pass()
    }
    let first = Task { try await container.assemble(slow) }
    await begun.pass()
    let second = Task.immediate { try await container.assemble(Numbered(One.self, "one", journal)) }
    second.cancel()
    await #expect(throws: CancellationError.self) { try await second.value }
    #expect(journal.lines.isEmpty)
    gate.open()
    try await first.value
    try await container.assemble()
    #expect(journal.lines == ["register one", "registered one"])
  }

  @Test(
    "After an assembly throws, the next call activates the remaining assemblies, even if it already waits")
  func failureWhileWaiting() async throws {
    let (container, journal) = (container, journal)
    let (begun, gate) = (Gate(), Gate())
    let failing = ClosureAssembly {
      begun.open()
      await gate.pass()
      throw SampleError()
    }
    let first = Task { try await container.assemble(failing, Numbered(One.self, "one", journal)) }
    await begun.pass()
    let second = Task.immediate { try await container.assemble() }
    gate.open()
    await #expect(throws: SampleError.self) { try await first.value }
    try await second.value
    #expect(journal.lines == ["register one", "registered one"])
  }

  @Test("An assembly that calls assemble() in registered(to:) does not wait for itself")
  func nested() async throws {
    let (container, journal) = (container, journal)
    let outer = ClosureAssembly {
      try await container.assemble(Numbered(One.self, "one", journal))
      journal.write("outer")
    }
    try await container.assemble(outer, Numbered(Two.self, "two", journal))
    #expect(journal.lines == ["register two", "register one", "registered two", "registered one", "outer"])
  }

  @Test("A task that outlives the assembly that started it waits for other calls of assemble()")
  func leftBehind() async throws {
    let (container, journal) = (container, journal)
    let (begun, gate, over) = (Gate(), Gate(), Gate())
    let left = Mutex<Task<Void, any Error>?>(nil)
    let leaving = ClosureAssembly {
      let task = Task {
        await over.pass()
        try await container.assemble()
        journal.write("left behind returns")
      }
      left.withLock { $0 = task }
    }
    try await container.assemble(leaving)
    let slow = OtherClosureAssembly {
      begun.open()
      await gate.pass()
      journal.write("slow is active")
    }
    let second = Task { try await container.assemble(slow) }
    await begun.pass()
    over.open()
    let task = try #require(left.withLock { $0 })
    gate.open()
    try await task.value
    try await second.value
    #expect(journal.lines == ["slow is active", "left behind returns"])
  }

  @Test("An assembly registered in a batch waits for assemble(), and is discarded if the batch throws")
  func inBatch() async throws {
    #expect(throws: SampleError.self) {
      try container.batch { registrar in
        registrar.register(assembly: Numbered(One.self, "one", journal))
        throw SampleError()
      }
    }
    try await container.assemble()
    #expect(journal.lines.isEmpty)
    try container.batch { registrar in registrar.register(assembly: Numbered(Two.self, "two", journal)) }
    #expect(journal.lines.isEmpty)
    try await container.assemble()
    #expect(journal.lines == ["register two", "registered two"])
  }

  @Test("Assemblies registered in a batch of an assembly register first and become visible with the batch")
  func batchInside() async throws {
    struct Batching: Assembly {
      let container: Container
      let journal: Journal
      func register(in registrar: any Registrar) {
        try? container.batch { registrar in
          registrar.register(assembly: Numbered(One.self, "one", journal))
          #expect(container[Key<String>(tags: "one")] == nil)
          registrar.register(String.self, tags: "one", instance: "override")
        }
      }
    }
    try await container.assemble(Batching(container: container, journal: journal))
    #expect(journal.lines == ["register one", "registered one"])
    #expect(try await container.resolve(String.self, tags: "one") == "override")
  }

  @Test(
    "An assembly that another thread registers during assemble() is not a dependency and registers later")
  func otherThread() async throws {
    let (container, journal) = (container, journal)
    let needs: () -> [any Assembly] = {
      // No assembly is registering on the other thread.
      _ = try? onThreads(1) { _ in container.register(assembly: Numbered(Two.self, "two", journal)) }
      #expect(journal.lines.isEmpty)
      return []
    }
    try await container.assemble(Numbered(One.self, "one", journal, needs: needs))
    #expect(journal.lines == ["register one", "register two", "registered one", "registered two"])
  }

  @Test("On eight threads, each call finds its assembly active and its dependencies registered first")
  func manyThreads() throws {
    for _ in 0..<50 {
      let (container, journal) = (Container(), Journal())
      _ = try onThreads(8) { thread in
        let end = DispatchSemaphore(value: 0)
        let result = Mutex<Result<Void, any Error>>(.success(()))
        Task(executorPreference: Threads()) {
          do {
            for number in 0..<4 {
              let assembly = numbered(Int.self, 4 * thread + number, journal)
              try await container.assembleAny(assembly)
              let lines = journal.lines
              let name = "\(4 * thread + number)"
              guard lines.contains("registered \(name)"), lines.contains("registered base"),
                container[Key<String>(tags: name)] != nil,
                let own = lines.firstIndex(of: "register \(name)"), let base = lines.firstIndex(of: "register base"),
                base < own
              else { throw SampleError() }
            }
          } catch {
            result.withLock { $0 = .failure(error) }
          }
          end.signal()
        }
        end.wait()
        try result.withLock { $0 }.get()
      }
      #expect(journal.lines.count == 2 * 33)
      #expect(Set(journal.lines).count == 2 * 33)
    }
  }
}

/// Returns an assembly with a distinct type for each number. It depends on the assembly named "base".
private func numbered<T>(_ type: T.Type, _ number: Int, _ journal: Journal, _ depth: Int = 0) -> any Assembly {
  if depth < number { return numbered(T?.self, number, journal, depth + 1) }
  return Numbered(T.self, "\(number)", journal, needs: { [Numbered(One.self, "base", journal)] })
}

extension Container {
  fileprivate func assembleAny(_ assembly: any Assembly) async throws {
    register(assembly: assembly)
    try await assemble()
  }
}

/// An assembly that registers nothing and runs a closure in `registered(to:)`.
private final class ClosureAssembly: Assembly {
  let action: @Sendable () async throws -> Void
  init(action: @escaping @Sendable () async throws -> Void) { self.action = action }
  func register(in registrar: any Registrar) {}
  func registered(to resolver: any Resolver) async throws { try await action() }
}

/// The same as `ClosureAssembly` with a distinct type.
private final class OtherClosureAssembly: Assembly {
  let action: @Sendable () async throws -> Void
  init(action: @escaping @Sendable () async throws -> Void) { self.action = action }
  func register(in registrar: any Registrar) {}
  func registered(to resolver: any Resolver) async throws { try await action() }
}

@Suite("Reports and errors name the assemblies that are not assembled")
struct UnassembledTests {
  private struct Numbers: Assembly {
    func register(in registrar: any Registrar) { registrar.register(Int.self, instance: 1) }
  }
  private struct Words: Assembly {
    func register(in registrar: any Registrar) { registrar.register(factory: auto { (number: Int) in "\(number)" }) }
  }

  private let container = Container(parent: Container())
  private let names = [AnyKey(Numbers.self), AnyKey(Words.self)]

  /// Registers one assembly with the container and one with its parent, and assembles neither.
  private init() {
    container.register(assemblies: Numbers())
    container.parent?.register(assemblies: Words())
  }

  @Test("validate() reports each assembly with its type, including those of parents, until assemble() is called")
  func validation() async throws {
    let problems = container.validate().problems
    #expect(problems.map(\.kind) == [.unassembled, .unassembled] && problems.map(\.subject.key) == names)
    #expect(problems[0].description.contains(".(Numbers) is registered and not assembled"))
    #expect(problems[0].remedy.contains("assemble()"))
    try await container.parent?.assemble()
    try await container.assemble()
    #expect(container.validate().findings.isEmpty)
  }

  @Test("The error for a missing registration names the assemblies that are not assembled")
  func notFound() throws {
    let error = try #require(throws: ResolutionError.self) { try container.resolve(Int.self) }
    let list = names.map(\.type).joined(separator: ", ")
    let advice = "not assembled yet: \(list); call assemble() before you resolve"
    #expect(error.description == "nothing is registered as Swift.Int; " + advice)
  }

  @Test("explain() names the assemblies that are not assembled unless a registration answers")
  func explanation() throws {
    #expect(container.explain(Int.self).waitingAssemblies == names.map(\.type))
    #expect(container.explain(Int.self).description.contains("not assembled yet: \(names[0].type)"))
    container.register(Int.self) { _ in 2 }
    #expect(!container.explain(Int.self).description.contains("assembled"))
  }
}
