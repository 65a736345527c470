import Dispatch
import Synchronization
import Testing
import TroupeContainer

@Suite("A lookup compares only tags with equal hashes, and tags may change the container", .timeLimit(.minutes(60)))
struct LookupTests {
  /// A tag that counts comparisons.
  private struct Counted: Hashable, Sendable {
    let number: Int
    let comparisons: Counter

    static func == (left: Counted, right: Counted) -> Bool {
      left.comparisons.next()
      return left.number == right.number
    }
    func hash(into hasher: inout Hasher) { hasher.combine(number) }
  }

  @Test("Each of many tags is compared only with its equal", arguments: [10, 1000, 10_000])
  func manyTags(count: Int) throws {
    let container = Container()
    let comparisons = Counter()
    let tags = Set((0..<count).map { AnySendableHashable(Counted(number: $0, comparisons: comparisons)) })
    let key = Key<Int>(tagset: tags)
    container.register(key: key) { _ in 7 }
    let before = comparisons.count
    #expect(try container.resolve(key: key) == 7)
    #expect(comparisons.count - before == count)
    #expect(Key<Int>(AnyKey(key)) == key)
    #expect(comparisons.count - before == 2 * count)
    #expect(container.find(Criteria<Int>(op: .subset, tags: "other")).isEmpty)
    #expect(container.find(Criteria<Int>(op: .subset, tagset: tags)).count == 1)
  }

  /// A tag that runs a closure in each comparison.
  private struct Acting: Hashable, Sendable {
    let act: @Sendable () -> Void

    static func == (left: Acting, right: Acting) -> Bool {
      left.act()
      return true
    }
    func hash(into hasher: inout Hasher) { hasher.combine(0) }
  }

  @Test("A tag whose comparison changes the container during a lookup, which the documentation forbids, breaks nothing")
  func actingTag() throws {
    let container = Container()
    container.register(Double.self) { _ in 2.5 }
    let tag = Acting {
      container[Key<Double>()] = nil
      container.register(Double.self) { _ in 1.5 }
      _ = try? container.resolve(Double.self)
    }
    container.register(Int.self, tags: tag) { _ in 7 }
    #expect(try container.resolve(Int.self, tags: tag) == 7)
    #expect(try container.resolve([Int].self, tags: tag) == [7])
    #expect(try container.resolve(Double.self) == 1.5)
  }

  @Test("A tag whose comparison resolves is safe in a container that learns")
  func learned() throws {
    let container = Container(learnsDependencies: true)
    container.register(String.self) { _ in "" }
    let tag = Acting { _ = try? container.resolve(String.self) }
    container.register(Int.self, tags: tag) { _ in 7 }
    container.register(Double.self) { resolver in
      try Double(resolver.resolve(Int.self, tags: tag) + resolver.resolve(Int.self, tags: tag))
    }
    #expect(try container.resolve(Double.self) == 14)
  }

  @Test("A tag whose comparison resolves a singleton is safe in the error of a dependency cycle")
  func cycle() throws {
    let (container, other) = (Container(), Container())
    other.register(Int.self, lifetime: .singleton) { _ in throw SampleError() }
    let tag = Acting { _ = try? other.resolve(Int.self) }
    container.withOverrides {
      $0.register(Int.self, tags: tag, lifetime: .singleton) { try $0.resolve(Int.self, tags: tag) }
    } operation: {
      #expect(throws: ResolutionError.self) { try container.resolve(Int.self, tags: tag) }
    }
  }

  @Test("The number of comparisons depends on the matches and not on the registrations", arguments: [10, 1000, 10_000])
  func indexed(registrations: Int) throws {
    let container = Container()
    let comparisons = Counter()
    func tag(_ number: Int) -> Counted { Counted(number: number, comparisons: comparisons) }
    try container.batch { registrar in
      for number in 0..<registrations {
        registrar.register(Int.self, tags: tag(number), tag(number < 5 ? -1 : -2)) { _ in number }
      }
    }
    var before = comparisons.count
    #expect(try container.resolve([Int].self, tags: tag(-1)) == [0, 1, 2, 3, 4])
    #expect(comparisons.count - before <= 10)
    before = comparisons.count
    #expect(try container.resolve([Int].self, tags: tag(-2), tag(7)) == [7])
    #expect(comparisons.count - before <= 4)
    before = comparisons.count
    #expect(try container.resolve(Int.self, tags: tag(-2), tag(7)) == 7)
    #expect(comparisons.count - before <= 8)
    before = comparisons.count
    #expect(try container.resolve([Int].self, tags: tag(-3)) == [])
    #expect(container.find(Criteria<Int>(op: .subset, tags: tag(-1), tag(-2))).isEmpty)
    #expect(comparisons.count - before <= 10)
  }

  /// A tag whose comparison may block its thread.
  private struct Stopping: Hashable, Sendable {
    let isArmed: Bool
    let stopped: DispatchSemaphore
    let replaceOuter: DispatchSemaphore

    static func == (left: Stopping, right: Stopping) -> Bool {
      if left.isArmed || right.isArmed {
        left.stopped.signal()
        left.replaceOuter.wait()
      }
      return true
    }
    func hash(into hasher: inout Hasher) {}
  }

  @Test("Readers continue while a writer is blocked during a change")
  func noLock() throws {
    let container = Container(parent: Container())
    let (stopped, replaceOuter) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let tag = Stopping(isArmed: false, stopped: stopped, replaceOuter: replaceOuter)
    container.register(Int.self, tags: tag) { _ in 1 }
    container.register(Int.self, tags: "a") { _ in 2 }
    container.register(Int.self, tags: "b", lifetime: .singleton) { _ in 3 }
    container.register(String.self) { (_, number: Int) in "\(number)" }
    let numbers = try onThreads(2) { thread -> [Int] in
      if thread == 0 {
        // The comparison with the existing tag blocks this thread while it holds the writers' lock.
        container.register(Int.self, tags: Stopping(isArmed: true, stopped: stopped, replaceOuter: replaceOuter)) { _ in 4 }
        return []
      }
      stopped.wait()
      defer { replaceOuter.signal() }
      let single = [try container.resolve(Int.self, tags: "a"), try container.resolve(Int.self, tags: "b")]
      #expect(try container.resolve(String.self, args: 7) == "7")
      #expect(try container.resolve(String?.self, tags: "missing") == nil)
      #expect(container.find(Criteria<Int>(op: .subset, tags: "a")).count == 1)
      return single + (try container.resolve([Int].self))
    }
    #expect(numbers[1] == [2, 3, 1, 2, 3])
    #expect(try container.resolve([Int].self) == [2, 3, 4])
  }
}
