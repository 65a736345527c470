import Testing
import TroupeContainer

@Suite("A list of registrations stays in order while it grows and shrinks")
struct EntryListTests {
  enum Order: CaseIterable { case first, last, even, shuffled }

  private static let count = 500

  private struct Expected { let numbers: [Int] }

  /// Returns the order in which the numbers are removed.
  private func numbers(_ order: Order) -> [Int] {
    let all = Array(0..<Self.count)
    switch order {
    case .first: return all
    case .last: return all.reversed()
    case .even: return all.filter { $0 % 2 == 0 } + all.filter { $0 % 2 == 1 }
    case .shuffled:
      // A constant order: a step without a common factor with the number of elements visits each of them.
      return all.map { $0 * 777 % Self.count }.map { ($0 * 3 + 1) % Self.count }.reduce(into: []) {
        if !$0.contains($1) { $0.append($1) }
      }
    }
  }

  private func register(_ number: Int, _ container: Container) {
    container.register(Int.self, tags: "all", number, lifetime: .singleton) { _ in number }
  }

  @Test("An array is complete and in the order of registration after each removal", arguments: Order.allCases)
  func removal(order: Order) throws {
    let container = Container()
    for number in 0..<Self.count { register(number, container) }
    #expect(try container.resolve([Int].self, tags: "all") == Array(0..<Self.count))
    var left = Set(0..<Self.count)
    for (step, number) in numbers(order).enumerated() {
      container[Key<Int>(tags: "all", number)] = nil
      left.remove(number)
      if step % 50 == 0 || left.count < 50 {
        #expect(try container.resolve([Int].self, tags: "all") == left.sorted())
        #expect(try container.resolve([Int].self) == left.sorted())
      }
      if try container.resolve(Int?.self, tags: number, "all") != nil { Issue.record("\(number) is still registered") }
    }
    #expect(left.isEmpty)
  }

  @Test("A registration that is removed and added again is the last one", arguments: Order.allCases)
  func again(order: Order) throws {
    let container = Container()
    for number in 0..<Self.count { register(number, container) }
    var expected = Array(0..<Self.count)
    for (step, number) in numbers(order).enumerated() {
      // Removes every other number first, and replaces the others.
      if step % 2 == 0 { container[Key<Int>(tags: "all", number)] = nil }
      register(number, container)
      expected.removeAll { $0 == number }
      expected.append(number)
      if step % 100 == 0 { #expect(try container.resolve([Int].self, tags: "all") == expected) }
    }
    #expect(try container.resolve([Int].self, tags: "all") == expected)
    #expect(expected == numbers(order))
  }

  @Test(
    "Registrations that others replace keep their places, also while a request sees the replaced ones",
    arguments: Order.allCases)
  func replacement(order: Order) throws {
    let container = Container()
    let owners = (0..<Self.count).map { Owner(name: "plugin \($0)") }
    @Sendable func replace(_ number: Int, by value: Int, in container: Container) {
      let tags = TagList(Set(elements: "all", number))
      let entry = Entry.plain(Int.self, tags: tags, lifetime: .transient) { _ in value }
      container.replace(owner: owners[number], with: [entry], owner: owners[number])
    }
    for number in 0..<Self.count { replace(number, by: number, in: container) }
    let numbers = numbers(order)
    // The request that runs this factory keeps what is replaced.
    container.register(Expected.self) { [unowned container] resolver in
      var expected = Array(0..<Self.count)
      for (step, number) in numbers.enumerated() {
        for round in 1...3 { replace(number, by: number + 1000 * round, in: container) }
        expected[number] = number + 3000
        if step % 50 == 0 {
          let found = try resolver.resolve([Int].self, tags: "all")
          #expect(found == expected)
        }
      }
      return Expected(numbers: expected)
    }
    let expected = try container.resolve(Expected.self).numbers
    #expect(expected.count == Self.count)
    #expect(try container.resolve([Int].self) == expected)
    for number in stride(from: 0, to: Self.count, by: 2) { container.unregister(owner: owners[number]) }
    #expect(try container.resolve([Int].self, tags: "all") == stride(from: 1, to: Self.count, by: 2).map { expected[$0] })
  }

  @Test("A list shrinks to zero and grows again many times")
  func pulse() throws {
    let container = Container()
    for size in [1, 2, 3, 5, 100, 4, 2, 1, 33] {
      for number in 0..<size { register(number, container) }
      #expect(try container.resolve([Int].self, tags: "all") == Array(0..<size))
      for number in 0..<size { container[Key<Int>(tags: "all", number)] = nil }
      #expect(try container.resolve([Int].self, tags: "all") == [])
    }
  }

  @Test("An entry that is registered twice or in two containers is independent in each")
  func twice() throws {
    let (first, second) = (Container(), Container())
    first.register(Instance.self, tags: "all", lifetime: .singleton) { _ in Instance() }
    let entry = try #require(first[Key<Instance>(tags: "all")])
    for _ in 0..<100 {
      second.add(entry)
      first.add(entry)
      first.register(Instance.self, tags: "all", 1) { _ in Instance() }
    }
    #expect(try first.resolve([Instance].self, tags: "all").count == 2)
    #expect(try first.resolve(Instance.self, tags: "all") === first.resolve(Instance.self, tags: "all"))
    #expect(try first.resolve(Instance.self, tags: "all") !== second.resolve(Instance.self, tags: "all"))
    first[Key<Instance>(tags: "all")] = nil
    #expect(try first.resolve([Instance].self, tags: "all").count == 1)
    #expect(try second.resolve([Instance].self, tags: "all").count == 1)
  }
}
