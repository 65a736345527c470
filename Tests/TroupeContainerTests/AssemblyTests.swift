import Dispatch
import Testing
import TroupeContainer

/// An assembly that writes down what happens to it. Each number is a type of its own.
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

/// An assembly that does nothing once all have registered.
private final class Quiet: Assembly {
  func register(in registrar: any Registrar) {
    registrar.register(Int.self, tags: "quiet", instance: 1)
  }
}

private enum One {}
private enum Two {}
private enum Three {}

@Suite("Assemblies")
struct AssemblyTests {
  private let journal = Journal()
  private let container = Container()

  /// What is registered; outside an async context, where the choice of overloads would be another.
  private func names() throws -> [String] {
    ["one", "two", "three"].filter { container[Key<String>(tags: $0)] != nil }
  }

  @Test("Assemblies register in their order, and after all of them each is told")
  func order() async throws {
    try await container.assemble(
      Numbered(One.self, "one", journal), Numbered(Two.self, "two", journal), Numbered(Three.self, "three", journal))
    #expect(
      journal.lines == [
        "register one", "register two", "register three", "registered one", "registered two", "registered three",
      ])
    #expect(try names() == ["one", "two", "three"])
  }

  @Test("What an assembly depends on comes first, and each type once")
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

  @Test("What an assembly depends on comes first also when it stands behind it")
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

  @Test("Assemblies that depend on each other register once each", .timeLimit(.minutes(1)))
  func ring() async throws {
    let journal = journal
    try await container.assemble(
      Numbered(
        One.self, "one", journal,
        needs: { [Numbered(Two.self, "two", journal, needs: { [Numbered(One.self, "one again", journal)] })] }))
    #expect(journal.lines == ["register two", "register one", "registered two", "registered one"])
  }

  @Test("An assembly that is assembled again does nothing again")
  func again() async throws {
    try await container.assemble(Numbered(One.self, "one", journal))
    try await container.assemble(Numbered(One.self, "one again", journal), Numbered(Two.self, "two", journal))
    try await container.assemble()
    #expect(journal.lines == ["register one", "registered one", "register two", "registered two"])
    #expect(try names() == ["one", "two"])
  }

  @Test("An assembly that is registered waits for assemble")
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

  @Test("What an assembly throws ends assemble, and those behind it are not told")
  func failure() async throws {
    await #expect(throws: Fault.self) {
      try await container.assemble(
        Numbered(One.self, "one", journal), Numbered(Two.self, "two", journal, failure: Fault()),
        Numbered(Three.self, "three", journal))
    }
    #expect(
      journal.lines == ["register one", "register two", "register three", "registered one", "registered two"])
  }

  @Test("An assembly need not care for what comes after")
  func quiet() async throws {
    try await container.assemble(Quiet())
    #expect(container[Key<Int>(tags: "quiet")] != nil)
  }

  @Test("Each container assembles for itself")
  func local() async throws {
    let other = Container()
    try await container.assemble(Numbered(One.self, "one", journal))
    try await other.assemble(Numbered(One.self, "one", journal))
    #expect(journal.lines == ["register one", "registered one", "register one", "registered one"])
    #expect(other[Key<String>(tags: "one")] != nil)
  }

  @Test("An assembly that eight threads register works once")
  func threads() async throws {
    let (container, journal) = (container, journal)
    _ = try onThreads(8) { _ in container.register(assembly: Numbered(One.self, "one", journal)) }
    try await container.assemble()
    #expect(journal.lines == ["register one", "registered one"])
  }

  @Test("Dependencies come first also when another assemble ends meanwhile", .timeLimit(.minutes(1)))
  func overlapping() async throws {
    let (container, journal) = (container, journal)
    let needs: () -> [any Assembly] = {
      let end = DispatchSemaphore(value: 0)
      // With threads of its own: those that tasks share may all be waiting here.
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
}
