import Foundation
import Testing
import TroupeContainer

@Suite("A batch becomes visible at once, and a collision policy decides about equal keys", .timeLimit(.minutes(60)))
struct BatchTests {
  @Test("Registrations of a batch become visible together when the batch ends")
  func visibility() throws {
    let container = Container()
    try container.batch { registrar throws in
      for number in 0..<10 { registrar.register(Int.self, tags: number) { _ in number } }
      #expect(try container.resolve([Int].self) == [])
      #expect(container[Key<Int>(tags: 3)] == nil)
      #expect(registrar[Key<Int>(tags: 3)] != nil)
      registrar[Key<Int>(tags: 3)] = nil
      #expect(registrar[Key<Int>(tags: 3)] == nil)
    }
    #expect(try container.resolve([Int].self) == [0, 1, 2, 4, 5, 6, 7, 8, 9])
  }

  @Test("A batch that throws changes nothing")
  func fault() throws {
    let container = Container()
    container.register(Int.self) { _ in 1 }
    #expect(throws: SampleError()) {
      try container.batch { registrar in
        registrar[Key<Int>()] = nil
        registrar.register(Int.self, tags: "new") { _ in 2 }
        throw SampleError()
      }
    }
    #expect(try container.resolve([Int].self) == [1])
  }

  @Test("A batch returns the result of its closure and may replace its own registrations")
  func replaced() throws {
    let container = Container()
    let key = try container.batch { registrar in
      registrar.register(Int.self, tags: "a") { _ in 1 }
      return registrar.register(Int.self, tags: "a") { _ in 2 }
    }
    #expect(try container.resolve(key: key) == 2)
    #expect(try container.resolve([Int].self) == [2])
  }

  @Test("Unregistering an owner removes the registrations of its batches")
  func owner() throws {
    let container = Container()
    let owner = Owner(name: "plugin")
    try container.batch(owner: owner) { registrar in
      for number in 0..<5 { registrar.register(Int.self, tags: number) { _ in number } }
    }
    #expect(try container.resolve([Int].self).count == 5)
    #expect(container.unregister(owner: owner) == 5)
    #expect(try container.resolve([Int].self) == [])
  }

  @Test("A registrar registers an entry under the key to which it is assigned")
  func assigned() throws {
    let container = Container()
    let entry = container[container.register(Int.self, tags: "a") { _ in 1 }]
    container[Key<Int>(tags: "b")] = entry
    try container.batch { $0[Key<Int>(tags: "c")] = entry }
    try container.batch { $0.annotated(metadata: 1)[Key<Int>(tags: "d")] = entry }
    container.registrar(owner: Owner(name: "plugin"))[Key<Int>(tags: "e")] = entry
    for tag in ["a", "b", "c", "d", "e"] { #expect(try container.resolve(Int?.self, tags: tag) == 1, "\(tag)") }
  }

  @Test("Readers on other threads see all or none of a batch's changes")
  func atomic() throws {
    let container = Container()
    let counts = try onThreads(3) { thread -> Set<Int> in
      guard thread > 0 else {
        for round in 0..<200 {
          // Replaces ten, removes ten, and adds ten others.
          try container.batch { registrar in
            for number in 0..<10 {
              registrar.register(Int.self, tags: "all", number) { _ in round }
              registrar[Key<Int>(tags: "all", 100 + number + (round + 1) % 2 * 100)] = nil
              registrar.register(Int.self, tags: "all", 100 + number + round % 2 * 100) { _ in round }
            }
          }
        }
        container.register(Int.self, tags: "end") { _ in 0 }
        return []
      }
      var seen: Set<Int> = []
      while try container.resolve(Int?.self, tags: "end") == nil {
        let rounds = try container.resolve([Int].self, tags: "all")
        seen.insert(Set(rounds).count > 1 ? -1 : rounds.count)
      }
      return seen
    }
    #expect(Set(counts.joined()).isSubset(of: [0, 20]))
  }

  // MARK: Collisions

  @Test("With the policy keep, the first registration counts, outside a batch and in it")
  func keep() throws {
    let container = Container(collisions: .keep)
    container.register(Int.self, tags: "a") { _ in 1 }
    container.register(Int.self, tags: "a") { _ in 2 }
    try container.batch { registrar in
      registrar.register(Int.self, tags: "a") { _ in 3 }
      registrar.register(Int.self, tags: "b") { _ in 4 }
      registrar.register(Int.self, tags: "b") { _ in 5 }
    }
    #expect(try container.resolve([Int].self) == [1, 4])
    container[Key<Int>(tags: "a")] = nil
    container.register(Int.self, tags: "a") { _ in 6 }
    #expect(try container.resolve([Int].self) == [4, 6])
  }

  @Test(
    "With the policy fail, a batch with a collision throws both source locations and changes nothing",
    arguments: [true, false])
  func fail(isInside: Bool) throws {
    let container = Container(collisions: .fail)
    let (owner, other) = (Owner(name: "first"), Owner(name: "second"))
    let line = #line + 1
    container.registrar(owner: owner).register(Int.self, tags: "a") { _ in 1 }
    container.registrar(owner: owner).register(Int.self, tags: "gone") { _ in 2 }
    // Defined outside the macro, since all lines of a macro's argument have the line number of its first line.
    func change(_ registrar: any Registrar) {
      registrar.register(Int.self, tags: "b") { _ in 3 }
      registrar[Key<Int>(tags: "gone")] = nil
      registrar.register(Int.self, tags: "c") { _ in 4 }
      registrar.register(Int.self, tags: isInside ? "c" : "a") { _ in 5 }
    }
    let error = try #require(throws: CollisionError.self) { try container.batch(owner: other, change) }
    #expect(error.key == Key<Int>(tags: isInside ? "c" : "a"))
    let places = isInside ? [line + 6, line + 7] : [line, line + 7]
    let file = "TroupeContainerTests/BatchTests.swift"
    #expect(
      error.description == "\(error.key) is registered twice: at \(file):\(places[0]) and again at \(file):\(places[1]); "
        + "remove one of them, or give it other tags")
    #expect(try container.resolve([Int].self) == [1, 2])
    // Ownership is unchanged, and the next batch is not affected.
    #expect(container.unregister(owner: other) == 0)
    try container.batch(owner: other) { registrar in registrar.register(Int.self, tags: "b") { _ in 6 } }
    #expect(try container.resolve([Int].self) == [1, 2, 6])
    #expect(container.unregister(owner: owner) == 2)
    #expect(try container.resolve([Int].self) == [6])
  }

  @Test("With the policy fail, a registration removed in the same batch and one with other argument types do not collide")
  func noCollision() throws {
    let container = Container(collisions: .fail)
    container.register(Int.self) { _ in 1 }
    container.register(Int.self) { (_, number: Int) in number }
    try container.batch { registrar in
      registrar[Key<Int>()] = nil
      registrar.register(Int.self) { _ in 2 }
    }
    #expect(try container.resolve(Int.self) == 2)
  }

  @Test("With the policy fail, a collision outside a batch ends the program")
  func trap() async {
    await #expect(processExitsWith: .failure) {
      let container = Container(collisions: .fail)
      container.register(Int.self) { _ in 1 }
      container.register(Int.self) { _ in 2 }
    }
  }

  @Test("With the policy keep, the first registration and its owner stay, however the second is added")
  func keepOwned() throws {
    let container = Container(collisions: .keep)
    let (first, second) = (Owner(name: "first"), Owner(name: "second"))
    let key = container.registrar(owner: first).register(Int.self) { _ in 1 }
    container.registrar(owner: second).register(Int.self) { _ in 2 }
    try container.batch(owner: second) { registrar in registrar.register(Int.self) { _ in 3 } }
    let other = Container()
    other.register(Int.self) { _ in 4 }
    let entry = try #require(other[key])
    container[key] = entry
    container.add(entry)
    container.registrar(owner: second)[key] = entry
    #expect(try container.resolve(Int.self) == 1)
    #expect(container.unregister(owner: second) == 0)
    #expect(container.unregister(owner: first) == 1)
    #expect(try container.resolve(Int?.self) == nil)
    container[key] = entry
    #expect(try container.resolve(Int.self) == 4)
  }

  @Test("With the policy replace, the last registration counts, however it is added")
  func replaceOwned() throws {
    let container = Container()
    let owner = Owner(name: "owner")
    let key = container.register(Int.self) { _ in 1 }
    container.register(Int.self) { (_, number: Int) in number }
    container.registrar(owner: owner).register(Int.self) { _ in 2 }
    let entry = try #require(container[AnyKey(key)])
    container.register(Int.self) { _ in 3 }
    #expect(container.unregister(owner: owner) == 0)
    container.registrar(owner: owner).add(entry)
    // The registration with other argument types remains until the subscript removes the key.
    #expect(try container.resolve(Int.self, args: 7) == 7)
    #expect(container.find(Criteria<Int>()).count == 1)
    container[key] = nil
    #expect(try container.resolve(Int?.self, args: 7) == nil)
    #expect(container.unregister(owner: owner) == 0)
  }

  @Test("With the policy fail, a collision through a key or an owner ends the program")
  func trapElsewhere() async {
    await #expect(processExitsWith: .failure) {
      let container = Container(collisions: .fail)
      let key = container.register(Int.self) { _ in 1 }
      container[key] = container[key]
    }
    await #expect(processExitsWith: .failure) {
      let container = Container(collisions: .fail)
      container.register(Int.self) { _ in 1 }
      container.registrar(owner: Owner(name: "owner")).register(Int.self) { _ in 2 }
    }
  }

  @Test("With the policies keep and fail, a child may register a key of its parent")
  func policyOfChild() throws {
    let parent = Container()
    parent.register(Int.self) { _ in 1 }
    for policy in [Container.CollisionPolicy.keep, .fail] {
      let child = Container(parent: parent, collisions: policy)
      try child.batch { registrar in registrar.register(Int.self) { _ in 2 } }
      #expect(try child.resolve(Int.self) == 2)
    }
  }
}
