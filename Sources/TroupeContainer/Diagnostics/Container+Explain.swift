extension Container {
  /// Returns the result of a resolve of a key without arguments from here, and its reasons. Makes no instance and loads no pending
  /// registration.
  ///
  /// Safe to call from any thread. Cost: that of `validate()`, because it reads all registrations.
  public func explain(_ key: AnyKey) -> Explanation {
    explain(key, arguments: [])
  }

  /// Returns the result of a resolve of a key without arguments from here, and its reasons; see `explain(_:)` for `AnyKey`.
  public func explain<T>(_ key: Key<T>) -> Explanation {
    explain(AnyKey(key), arguments: [])
  }

  /// Returns the result of a resolve of a type, without tags and arguments, from here, and its reasons; see `explain(_:)` for
  /// `AnyKey`.
  public func explain<T>(_ type: T.Type) -> Explanation {
    explain(AnyKey(metatype: type, tags: []), arguments: [])
  }

  /// Returns the result of a resolve of a type and tags with arguments of some types from here, and its reasons; see `explain(_:)`
  /// for `AnyKey`.
  ///
  /// The types select the factory as in a resolve. The cast of an argument may also depend on its value: the value of a class may
  /// be of a subclass, an optional may be nil. The result is then a factory that takes some of the values, unless another one takes
  /// all.
  ///
  /// ```swift
  /// print(container.explain(String.self, tags: "greeting", arguments: Int.self))
  /// ```
  public func explain<T, each Tag: Hashable & Sendable, each Argument>(
    _ type: T.Type, tags: repeat each Tag, arguments: repeat (each Argument).Type
  ) -> Explanation {
    explain(
      AnyKey(metatype: type, tags: TagList.boxed(repeat each tags)), arguments: ParameterTypes(repeat each arguments).types)
  }

  private func explain(_ key: AnyKey, arguments: [any Any.Type]) -> Explanation {
    var snapshot = RegistrationSnapshot(self)
    return Explanation(key, arguments, &snapshot, waitingAssemblies: waitingAssemblies.map(\.type))
  }
}

extension Explanation {
  fileprivate init(
    _ key: AnyKey, _ arguments: [any Any.Type], _ snapshot: inout RegistrationSnapshot, waitingAssemblies: [String]
  ) {
    var (wanted, found) = (key, [Int]())
    var outcome: Outcome?
    var (isOptional, isLazy, isArray) = (false, false, false)
    // Each iteration removes one layer of the type.
    while outcome == nil {
      if let answer = snapshot.answer(wanted, arguments, from: 0) {
        (outcome, found) = answer.fits ? (.instance, answer.items) : (.otherArguments, [])
      } else {
        switch (wanted.metatype as? any Composite.Type)?.dependency {
        case .optional(let wrapped)?:
          isOptional = true
          wanted = AnyKey(metatype: wrapped, tags: wanted.tags)
        case .lazy(let wrapped)?:
          isLazy = true
          wanted = AnyKey(metatype: wrapped, tags: wanted.tags)
        case .all(let element)?:
          isArray = true
          wanted = AnyKey(metatype: element, tags: wanted.tags)
          let members = snapshot.candidates(wanted, from: 0)
          found = members.filter { snapshot.mayAccept(arguments, $0) }
          outcome = found.count == members.count ? .array : .otherArguments
        case nil: outcome = isOptional ? .nothing : .notFound
        }
      }
    }
    let isGone = outcome == .instance && found.contains { snapshot.items[$0].entry.isGone }
    if isGone { outcome = isOptional ? .nothing : .notFound }
    if isLazy { outcome = .lazy }
    let answers = found.filter { !snapshot.items[$0].entry.isGone }
    self.init(
      key: key, argumentTypes: arguments.map { String(reflecting: $0) }, outcome: outcome ?? .notFound,
      answers: answers.map { Candidate(registration: RegistrationSummary(snapshot.items[$0]), reasons: []) },
      others: Self.others(wanted, arguments, isArray: isArray, answers, snapshot), waitingAssemblies: waitingAssemblies)
  }

  /// Returns the registrations that the caller may have expected, with the reasons why a resolve does not use them, the nearest
  /// first.
  private static func others(
    _ wanted: AnyKey, _ given: [any Any.Type], isArray: Bool, _ answers: [Int], _ snapshot: RegistrationSnapshot
  ) -> [Candidate] {
    let limit = 100
    let answers = Set(answers)
    let name = String(describing: wanted.metatype)
    var isNamesake: [ObjectIdentifier: Bool] = [:]
    var found: [(distance: Int, item: Int, reasons: [Reason])] = []
    for (index, item) in snapshot.items.enumerated() where !answers.contains(index) {
      let entry = item.entry
      if entry.metatype == wanted.metatype {
        let reasons = reasons(index, wanted, given, isArray: isArray, snapshot)
        found.append((reasons.reduce(0) { $0 + $1.distance }, index, reasons))
      } else {
        let identity = ObjectIdentifier(entry.metatype)
        let isSame = isNamesake[identity] ?? (String(describing: entry.metatype) == name)
        isNamesake[identity] = isSame
        if isSame { found.append((Reason.otherType.distance, index, [.otherType])) }
      }
    }
    // Sorting is stable: equally near registrations keep their order.
    return found.sorted { $0.distance < $1.distance }.prefix(limit).map {
      Candidate(registration: RegistrationSummary(snapshot.items[$0.item]), reasons: $0.reasons)
    }
  }

  private static func reasons(
    _ index: Int, _ wanted: AnyKey, _ given: [any Any.Type], isArray: Bool, _ snapshot: RegistrationSnapshot
  ) -> [Reason] {
    let entry = snapshot.items[index].entry
    var reasons: [Reason] = entry.isGone ? [.gone] : []
    let missing = wanted.tags.filter { tag in !entry.tags.contains { $0.hash == tag.hash && $0.equals(tag) } }
    if !missing.isEmpty { reasons.append(.lacksTags(missing.map { $0.erased.description }.sorted())) }
    let further = entry.tags.filter { tag in !wanted.tags.contains { $0.hash == tag.hash && $0.equals(tag) } }
    if !isArray, !further.isEmpty { reasons.append(.furtherTags(further.map { $0.erased.description }.sorted())) }
    let isOverridden = snapshot.overriding(index)
    if let isOverridden { reasons.append(.overridden(depth: snapshot.items[isOverridden].depth)) }
    guard reasons.isEmpty else { return reasons }
    if entry.fit(given) == .never { return [.otherArguments(entry.argumentTypes?.map { String(reflecting: $0) })] }
    // A resolve uses another registration with the same key, here or in a child.
    let depth = snapshot.items[index].depth
    let nearer = (0..<depth).first { !snapshot.items(wanted, depth: $0).isEmpty }
    return [nearer.map { .overridden(depth: $0) } ?? .secondChoice]
  }
}

extension Explanation.Reason {
  /// The distance of a registration from the request for this reason.
  fileprivate var distance: Int {
    switch self {
    case .gone, .secondChoice: 1
    case .otherArguments: 2
    case .overridden: 3
    case .furtherTags(let tags): 10 + tags.count
    case .lacksTags(let tags): 100 * (1 + tags.count)
    case .otherType: 1_000_000
    }
  }
}
