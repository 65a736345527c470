/// Each function is one commit. Registrations of a parent stay, and are not counted.
extension Container {
  /// Removes all registrations of an owner, as one change for all readers, and returns their number.
  ///
  /// The container releases their instances in reverse order once no reader or factory uses them. It also removes the owner's
  /// assemblies, which can then be registered again.
  @discardableResult
  public func unregister(owner: Owner) -> Int {
    assemblies.remove { $0 == owner }
    return commit([.removeOwner(owner)])
  }

  /// Removes the registrations of this container under a key, for any arguments, and returns their number. Registrations of
  /// a parent stay, and a resolve finds them again.
  ///
  /// Cost: proportional to the removed registrations.
  @discardableResult
  public func unregister<K: Keyed>(key: K) -> Int { unregister(keys: CollectionOfOne(key)) }

  /// Removes the registrations of this container under several keys, as one change for all readers, and returns the number of
  /// removed registrations.
  ///
  /// Cost: proportional to the keys.
  @discardableResult
  public func unregister<K: Keyed>(keys: some Sequence<K>) -> Int {
    commit(keys.map { AnyKey($0) }.map { .remove($0.metatype, $0.tags) })
  }

  /// Removes the registrations of this container under the keys that match, as one change for all readers, and returns their
  /// number.
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

  /// Removes the registrations of this container in a group, of any type, as one change for all readers, and returns their number.
  ///
  /// Cost: proportional to the removed registrations and to the number of types.
  @discardableResult
  public func unregister(group: Group) -> Int { commit([.removeIncluding(nil, [Tag.make(group)])]) }

  /// Removes all registrations of this container, as one change for all readers, and returns their number.
  ///
  /// A scope also releases its instances of its ancestors' registrations; the next resolve makes new ones. Assemblies are removed,
  /// assembled or not, and can be registered again. Registrations that an assembly makes during the call may stay.
  ///
  /// Cost: proportional to the registrations.
  @discardableResult
  public func clear() -> Int {
    assemblies.remove { _ in true }
    let count = commit([.removeIncluding(nil, [])])
    if let storage = scopeStorage?.takeUnretainedValue() { discard(storage.take()) }
    return count
  }
}
