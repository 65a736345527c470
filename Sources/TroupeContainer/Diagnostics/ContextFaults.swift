extension ResolutionGraph {
  /// A factory that cannot wait for a dependency, because the dependency is made in another context.
  struct ContextViolation {
    /// The nodes of the factory, of the array if the dependency is a member of one, and of the dependency.
    let nodes: [Int]
    /// The context in which the dependency is made.
    let context: FactoryContext
  }

  /// Returns the parameters of initializers that cannot be made in the context of the initializer. Declared and learned
  /// dependencies are not checked, because the factory may resolve them in another context, nor are injections, which run in the
  /// caller's context. An existing instance is available in all contexts.
  ///
  /// Reports one member of an array.
  func contextViolations() -> [ContextViolation] {
    var faults: [ContextViolation] = []
    // By array and the context of the factory.
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
        if let needed = self.entry(of: way[way.count - 1]) {
          faults.append(ContextViolation(nodes: way, context: needed.context))
        }
      }
    }
    return faults
  }

  /// Whether a node has to be made in a context that a factory of another context cannot wait for.
  private func isOutOfReach(_ node: Int, of context: FactoryContext) -> Bool {
    guard case .registration(let index) = nodes[node].subject, !snapshot.items[index].isBuilt else { return false }
    switch snapshot.items[index].entry.context {
    case .any: return false
    case .asynchronous: return context != .asynchronous
    case .mainActor: return context == .any
    }
  }
}
