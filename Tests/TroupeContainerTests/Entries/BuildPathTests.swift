import Testing
@testable import TroupeContainer

@Suite("A task inherits the running factories and does not retain them", .timeLimit(.minutes(60)))
struct BuildPathTests {
  /// An instance with a task that runs until the instance is released.
  private final class Service: Sendable {
    let work: Task<Void, Never>
    let ended: Gate

    init(ended: Gate) {
      self.ended = ended
      work = Task {
        let forever = AsyncStream<Never> { _ in }
        for await _ in forever {}
      }
    }

    deinit {
      work.cancel()
      ended.open()
    }
  }

  @Test(
    "A task that outlives its factory does not retain the instance, whose release ends the task")
  func outlivingTask() async throws {
    let container = Container()
    let ended = Gate()
    let key = container.register(Service.self, lifetime: .singleton) { _ async throws in Service(ended: ended) }
    weak let service = try await container.resolve(key: key)
    container[key] = nil
    await ended.pass()
    #expect(service == nil)
  }

  @Test("A factory that has returned is removed from the path, also between two that run")
  func forgotten() throws {
    func entry() -> Entry {
      PlainEntry<Int>(tags: [], lifetime: .transient, location: nil) { _ in 0 }
    }
    let (first, third) = (entry(), entry())
    let outer = BuildPath(first)
    weak var middle: Entry?
    try BuildPath.$current.withValue(outer) {
      let inner = {
        let second = entry()
        middle = second
        let path = BuildPath(second)
        #expect(BuildPath.$current.withValue(path) { BuildPath.all().count } == 2)
        let inner = BuildPath.$current.withValue(path) { BuildPath(third) }
        path.end()
        return inner
      }()
      let path = BuildPath.$current.withValue(inner) { BuildPath.all() }
      try #require(path.count == 2)
      #expect(path[0] === first && path[1] === third)
    }
    #expect(middle == nil)
  }
}
