import Testing
import TroupeContainer

@Suite("find() returns the keys whose tags equal the criteria or include them")
struct CriteriaTests {
  @Test(
    "The operator equal matches the same tags, and subset matches keys with additional tags as well",
    arguments: [
      (Key<Int>(tags: "a", 1), true, true), (Key<Int>(tags: "a", 1, true), false, true), (Key<Int>(tags: "a"), false, false),
      (Key<Int>(), false, false), (Key<Int>(tags: "b", 1), false, false),
    ])
  func matches(key: Key<Int>, equal: Bool, subset: Bool) {
    let criteria = (Criteria<Int>(op: .equal, tags: 1, "a"), Criteria<Int>(op: .subset, tags: 1, "a"))
    #expect(criteria.0.matches(key) == equal)
    #expect(criteria.0.matches(AnyKey(key)) == equal)
    #expect(criteria.1.matches(key) == subset)
    #expect(criteria.1.matches(AnyKey(key)) == subset)
  }

  @Test("Criteria without tags match untagged keys with equal and all keys with subset")
  func none() {
    #expect(Criteria<Int>(op: .subset).matches(Key<Int>(tags: "a")))
    #expect(Criteria<Int>(op: .subset).matches(Key<Int>()))
    #expect(!Criteria<Int>().matches(Key<Int>(tags: "a")))
    #expect(Criteria<Int>().matches(Key<Int>()))
  }

  @Test("A key of another type never matches")
  func otherType() {
    #expect(!Criteria<Int>(op: .subset).matches(AnyKey(String.self)))
    #expect(!Criteria<Int>(op: .equal).matches(AnyKey(Int?.self)))
  }

  @Test("Criteria from each initializer have the given tags and type")
  func members() {
    for criteria in [Criteria<Int>(tags: "a"), Criteria(tagset: Set(elements: "a")), Criteria(from: Key<Int>(tags: "a"))] {
      guard case .equal = criteria.op else {
        Issue.record("\(criteria.op)")
        continue
      }
      #expect(criteria.tags == Set(elements: "a"))
      #expect(criteria.type == "Swift.Int")
    }
  }

  @Test("find returns the matching keys and creates no instance")
  func find() {
    let container = Container()
    let made = Counter()
    let first = container.register(Int.self, tags: "a", 1) { _ in made.next() }
    let second = container.register(Int.self, tags: "a", 2, lifetime: .singleton) { _ in made.next() }
    let untagged = container.register(Int.self) { _ in made.next() }
    container.register(String.self, tags: "a", 1) { _ in "\(made.next())" }

    #expect(container.find(Criteria<Int>(op: .subset, tags: "a")) == [first, second])
    #expect(container.find(Criteria<Int>(op: .subset, tags: "a", 2)) == [second])
    #expect(container.find(Criteria<Int>(op: .subset)) == [first, second, untagged])
    #expect(container.find(Criteria<Int>(tags: "a", 1)) == [first])
    #expect(container.find(Criteria<Int>()) == [untagged])
    #expect(container.find(Criteria<Int>(tags: "a")).isEmpty)
    #expect(container.find(Criteria<Int>(op: .subset, tags: "b")).isEmpty)
    #expect(container.find(Criteria<Double>(op: .subset)).isEmpty)
    #expect(made.count == 0)
  }
}
