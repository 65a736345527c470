import Testing

@testable import TroupeContainer

extension Group {
  fileprivate static let plugins = Group("plugins")
  fileprivate static let filters = Group("filters")
}

@Suite("A group is a tag by which registrations are found and removed together", .timeLimit(.minutes(60)))
struct GroupTests {
  private let container = Container()

  @Test("Groups are equal if their values are, and never equal a tag that is not a group")
  func equality() {
    #expect(Group("a") == Group("a") && Group("a") != Group("b"))
    #expect(Group(1) == Group(1) && Group(1).hashValue == Group(1).hashValue && Group(1) != Group(1 as UInt8))
    #expect(Group(Group("a")) == Group("a"))
    #expect(Group(AnySendableHashable("a")) == Group("a"))
    #expect(Group(Group?.some(Group("a"))) != Group("a"))
    #expect(Key<Int>(tags: Group("a")) != Key<Int>(tags: "a"))
    #expect(Group("a").value as? String == "a")
    #expect("\(Group("a"))" == "Group(\"a\")" && "\(Key<Int>(tags: Group(1)))" == "Swift.Int [Group(1)]")
  }

  @Test("A group is part of the key: a resolve must name it, and an array by group has all its members")
  func key() throws {
    for number in 1...3 { container.register(Int.self, tags: number, Group.plugins) { _ in number } }
    container.register(Int.self, tags: 4) { _ in 4 }
    #expect(try container.resolve(Int.self, tags: Group.plugins, 2) == 2)
    #expect(throws: ResolutionError.self) { try container.resolve(Int.self, tags: 2) }
    #expect(throws: ResolutionError.self) { try container.resolve(Int.self, tags: 2, Group.filters) }
    #expect(try container.resolve([Int].self, tags: Group.plugins) == [1, 2, 3])
  }

  @Test("Unregistering a group removes its registrations of all types and returns their number")
  func unregister() throws {
    container.register(Int.self, tags: 1, Group.plugins) { _ in 1 }
    container.register(Int.self, tags: 2, Group.plugins, Group.filters) { _ in 2 }
    container.register(String.self, tags: Group.plugins) { _ in "3" }
    container.register(String.self, tags: Group.plugins) { (_, number: Int) in "\(number)" }
    container.register(String.self, tags: Group.filters) { _ in "4" }
    container.register(String.self, tags: "plugins") { _ in "5" }
    container.register(Double.self) { _ in 6 }
    #expect(container.unregister(group: .plugins) == 4)
    #expect(container.unregister(group: .plugins) == 0)
    #expect(try container.resolve([String].self) == ["4", "5"])
    #expect(try container.resolve([Int].self).isEmpty)
    #expect(try container.resolve(Double.self) == 6)
    #expect(container.unregister(group: .filters) == 1)
    #expect(container.unregister(group: Group("unknown")) == 0)
  }

  @Test("Unregistering a group does not affect the parent's members of the group")
  func parent() throws {
    let child = Container(parent: container)
    container.register(Int.self, tags: Group.plugins) { _ in 1 }
    child.register(Int.self, tags: Group.plugins) { _ in 2 }
    #expect(try child.resolve(Int.self, tags: Group.plugins) == 2)
    #expect(child.unregister(group: .plugins) == 1)
    #expect(try child.resolve(Int.self, tags: Group.plugins) == 1)
    #expect(child.unregister(group: .plugins) == 0)
  }

  @Test("Unregistering a group removes its registrations from their owners")
  func owners() {
    let owner = Owner(name: "plugin")
    container.registrar(owner: owner).register(Int.self, tags: Group.plugins) { _ in 1 }
    container.registrar(owner: owner).register(Int.self) { _ in 2 }
    #expect(container.unregister(group: .plugins) == 1)
    #expect(container.unregister(owner: owner) == 1)
  }

  @Test("Readers see all or none of a group, also among 5000 other registrations")
  func atomic() throws {
    for number in 0..<5000 { container.register(Int.self, tags: number) { _ in number } }
    let rounds = 100
    let end = Counter()
    let seen = try onThreads(4) { thread -> Set<Int> in
      if thread == 0 {
        for _ in 0..<rounds {
          try container.batch { registrar in
            for number in 0..<20 { registrar.register(Int.self, tags: "member", number, Group.plugins) { _ in number } }
          }
          if container.unregister(group: .plugins) != 20 { Issue.record("only a part of the group was removed") }
        }
        end.next()
        return []
      }
      var seen: Set<Int> = []
      while end.count == 0 { seen.insert(container.filter(Int.self, group: .plugins).count) }
      return seen
    }
    #expect(Set(seen.joined()).isSubset(of: [0, 20]))
    #expect(container.find(Criteria<Int>(op: .subset)).count == 5000)
  }
}
