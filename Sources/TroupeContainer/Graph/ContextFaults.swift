extension DependencyModel {
  /// A factory that cannot have made what it needs, since that is made in a context which it is not in.
  struct ContextFault {
    /// Who needs it, the array that it is a member of, if it is one, and it itself, as nodes.
    let nodes: [Int]
    /// Where it is made.
    let context: FactoryContext
  }

  /// The parameters of initialisers that cannot be made where the initialiser runs: what is declared or learned may be resolved in
  /// another context than the factory's, and an injection runs where somebody injects. What has been made does for everybody.
  ///
  /// Of an array, one member is told.
  func contextFaults() -> [ContextFault] {
    var faults: [ContextFault] = []
    // By array and the context of who needs it.
    var members: [Int: [FactoryContext: Int?]] = [:]
    for node in nodes.indices {
      guard let entry = entry(of: node), entry.context != .asynchronous, entry.metatype != Injection.self else { continue }
      for edge in edges(of: node) where edge.source == .initializer && edge.need != .lazy {
        var way = [node, edge.target]
        if case .array = nodes[edge.target].subject {
          let known = members[edge.target]?[entry.context]
          let member = known ?? edges(of: edge.target).map(\.target).first { isOutOfReach($0, of: entry.context) }
          members[edge.target, default: [:]][entry.context] = .some(member)
          guard let member else { continue }
          way.append(member)
        } else if !isOutOfReach(edge.target, of: entry.context) {
          continue
        }
        if let needed = self.entry(of: way[way.count - 1]) { faults.append(ContextFault(nodes: way, context: needed.context)) }
      }
    }
    return faults
  }

  /// Whether a node has to be made in a context that a factory in another one cannot wait for.
  private func isOutOfReach(_ node: Int, of context: FactoryContext) -> Bool {
    guard case .registration(let index) = nodes[node].subject, !snapshot.items[index].isBuilt else { return false }
    switch snapshot.items[index].entry.context {
    case .any: return false
    case .asynchronous: return context != .asynchronous
    case .mainActor: return context == .any
    }
  }
}
