// Each of these is one change: whoever resolves sees all of what it removes, or nothing of it. What was made is released, the
// newest first, once nobody uses it. What is registered in a parent stays, and is not counted.

extension Container {
  /// Removes everything that was registered on behalf of an owner, at once for every reader, and gives their number. What
  /// it made is released, the newest first, once nobody uses it. Its assemblies are forgotten, and may come again.
  @discardableResult
  public func unregister(owner: Owner) -> Int {
    assemblies.remove(owner: owner)
    return commit([.removeOwner(owner)])
  }

  /// Removes what is registered here under a key, whatever arguments it takes, and gives the number of registrations; 0 if
  /// there are none. A parent's registrations stay, and are found again.
  ///
  /// Cost: proportional to the registrations that go.
  @discardableResult
  public func unregister<K: Keyed>(key: K) -> Int { unregister(keys: CollectionOfOne(key)) }

  /// Removes what is registered here under any of some keys, at once for every reader, and gives the number of registrations.
  /// Keys under which there is nothing do not count.
  ///
  /// Cost: proportional to the keys.
  @discardableResult
  public func unregister<K: Keyed>(keys: some Sequence<K>) -> Int {
    commit(
      keys.map { key in
        let key = AnyKey(key)
        return .remove(key.metatype, key.tags)
      })
  }

  /// Removes what is registered here under the keys that fit, at once for every reader, and gives the number of registrations.
  ///
  /// ```swift
  /// let container = Container()
  /// for number in 1...3 { container.register(Int.self, tags: "number", number) { _ in number } }
  /// assert(container.unregister(Criteria<Int>(op: .subset, tags: "number")) == 3)
  /// ```
  ///
  /// Cost: proportional to the registrations of the type with the rarest of the tags.
  @discardableResult
  public func unregister<T>(_ criteria: Criteria<T>) -> Int {
    let tags = Key<T>(tagset: criteria.tags).tags
    return switch criteria.op {
    case .equal: commit([.remove(T.self, tags)])
    case .subset: commit([.removeIncluding(T.self, tags)])
    }
  }

  /// Removes everything that is registered here in a group, of whatever type, at once for every reader, and gives the number of
  /// registrations; 0 for a group that nobody has used.
  ///
  /// Cost: proportional to the registrations that go and to the number of types.
  @discardableResult
  public func unregister(group: Group) -> Int { commit([.removeAll([Tag.make(group)])]) }

  /// Removes everything that is registered here, at once for every reader, and gives the number of registrations. A scope also
  /// lets go of what was made in it of its parents' registrations, and makes it anew when it is resolved again.
  ///
  /// Assemblies are forgotten, and may come again; those that have not been assembled yet never are. What an assembly registers
  /// that is at work meanwhile stays.
  ///
  /// Cost: proportional to the registrations.
  @discardableResult
  public func clear() -> Int {
    assemblies.removeAll()
    let count = commit([.removeAll([])])
    if let memory = scopeMemory?.takeUnretainedValue() { discard(memory.takeAll()) }
    return count
  }
}
