import Testing
import TroupeContainer

@Suite("Keys are equal if their types and sets of tags are")
struct KeyTests {
  /// Two types with the same last name.
  private enum Near { struct Service {} }
  private enum Far { struct Service {} }

  @Test("The order and repetition of tags do not affect a key")
  func tags() {
    let key = Key<String>(tags: "a", 7, true)
    #expect(key == Key<String>(tags: true, "a", 7, "a", true))
    #expect(key == Key<String>(tagset: Set(elements: 7, true, "a")))
    #expect(Set([key, Key<String>(tags: 7, "a", true), Key<String>(tags: "a", "a", true, 7)]).count == 1)
  }

  @Test("Keys with different tags differ")
  func otherTags() {
    let keys = [
      Key<String>(), Key<String>(tags: "a"), Key<String>(tags: "b"), Key<String>(tags: "a", "b"), Key<String>(tags: 1),
      Key<String>(tags: "1"),
    ]
    #expect(Set(keys).count == keys.count)
    #expect(Set(keys.map { AnyKey($0) }).count == keys.count)
  }

  @Test("Keys of different types differ, even if the types have the same name")
  func types() {
    let keys = [
      AnyKey(Int.self, tags: "a"), AnyKey(Int?.self, tags: "a"), AnyKey([Int].self, tags: "a"), AnyKey(Int32.self, tags: "a"),
      AnyKey(Near.Service.self, tags: "a"), AnyKey(Far.Service.self, tags: "a"), AnyKey((any Greeting).self, tags: "a"),
      AnyKey(Hello.self, tags: "a"), AnyKey(Hello.Type.self, tags: "a"),
    ]
    #expect(Set(keys).count == keys.count)
  }

  @Test("A key and the equal type-erased key are equal in both directions")
  func mixedEquality() {
    let key = Key<Int>(tags: "a", 1)
    let same = AnyKey(Int.self, tags: 1, "a")
    #expect(key == same)
    #expect(same == key)
    #expect(!(key != same))
    #expect(!(same != key))
    #expect(AnyKey(key) == same)
    #expect(AnyKey(key).hashValue == same.hashValue)
    for other in [AnyKey(Int.self, tags: "a"), AnyKey(String.self, tags: "a", 1)] {
      #expect(key != other)
      #expect(other != key)
      #expect(!(key == other))
      #expect(!(other == key))
    }
  }

  @Test("A type-erased key converts to a key of its type and of no other")
  func typed() throws {
    let key = Key<any Greeting>(tags: "a")
    let erased = AnyKey(key)
    #expect(Key<any Greeting>(erased) == key)
    #expect(Key<any Greeting>(key) == key)
    #expect(Key<Hello>(erased) == nil)
    #expect(Key<(any Greeting)?>(erased) == nil)
    #expect(AnyKey(erased) == erased)
  }

  @Test("A key has the name of its type and its tags, also as any Keyed")
  func keyed() {
    let keys: [any Keyed] = [
      Key<Int>(tags: "a", 7), AnyKey(Int.self, tags: "a", 7), AnyKey(Int.self, tagset: Set(elements: 7, "a")),
    ]
    for key in keys {
      #expect(key.type == "Swift.Int")
      #expect(key.tagset == Set(elements: "a", 7))
    }
  }

  @Test("The description of a key has its type and its sorted tags")
  func description() {
    #expect(AnyKey(Int.self, tags: 7, "b", "a").description == #"Swift.Int ["a", "b", 7]"#)
    #expect(AnyKey(Int.self).description == "Swift.Int")
    #expect("\(AnyKey(Key<Near.Service>(tags: "a")))".hasSuffix(#".(Near).Service ["a"]"#))
  }

  @Test("The descriptions of keys and entries have type and tags, and that of an entry its source location")
  func descriptions() {
    let container = Container()
    let key = container.register(Int.self, tags: "b", "a") { _ in 1 }
    #expect("\(key)" == #"Swift.Int ["a", "b"]"#)
    #expect("\(Key<String>())" == "Swift.String")
    let entry = container[key].map { "\($0)" } ?? ""
    #expect(entry.hasPrefix(#"Swift.Int ["a", "b"] (TroupeContainerTests/KeyTests.swift:"#), "\(entry)")
  }

  @Test("A lookup of a key that is repeatedly registered and removed returns its entry or nil")
  func repeatedRemoval() throws {
    let container = Container()
    let key = Key<Int>(tags: "a")
    _ = try onThreads(2) { number in
      for _ in 0..<20_000 {
        if number == 0 {
          container.register(key: key) { _ in 1 }
          container[key] = nil
        } else if let entry = container[key] {
          #expect(entry.key == key)
        }
      }
    }
  }
}
