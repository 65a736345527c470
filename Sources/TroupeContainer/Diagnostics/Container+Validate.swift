/// Finds problems in a `ResolutionGraph`: `DependencyAnalysis` yields cycles, paths and captive dependencies, the graph itself missing
/// keys and conflicting arguments, and a walk over its edges the factories that cannot wait for a dependency.
extension Container {
  /// Reports what resolves would fail on, or do wrong, without making an instance.
  ///
  /// ```swift
  /// struct Engine {}
  /// struct Car {
  ///   let engine: Engine
  /// }
  /// let container = Container()
  /// container.register(factory: auto(Car.init))
  /// print(container.validate())
  /// // missing: nothing is registered as Example.Engine, which Example.Car (Example/main.swift:6) needs; register it, …
  /// ```
  ///
  /// The problems are missing registrations, dependency cycles, instances that outlive their dependencies, synchronous factories
  /// that need asynchronous ones, arguments that do not fit, and assemblies that are registered and not assembled.
  ///
  /// The container knows the dependencies of a factory that `auto` or `mainauto` made, of an expression, `instance: Engine()`, and
  /// of a factory declared with `annotated(dependsOn:)`. A container that learns also records what a factory resolves
  /// when it runs; see `Container.init`. Other factories are listed as `unknown`. Registrations of ancestors are checked as a resolve
  /// from here finds them. A dependency through a `LazyResolver` is not part of a cycle and may be missing, as may an optional.
  ///
  /// A registration without tags that replaced one from another line is reported as `replaced`, and is no problem: it may be intended.
  ///
  /// For injections, a missing dependency of a property is a problem unless the property is optional. The dependencies of a block are
  /// unknown unless they are declared. A container that learns also lists the types of targets for which it had no injection.
  ///
  /// Loads no pending registration. Safe to call from any thread, also while other threads register: each container is read at one
  /// version. Cost: time and memory in proportion to the registrations and their dependencies, a few microseconds each.
  public func validate() -> ValidationReport {
    let containers = selfAndAncestors
    return ValidationReport(ResolutionGraph(self), untouched: untouchedTargets, unassembled: waitingAssemblies) { item in
      item.entry.tags.isEmpty ? containers[item.depth].writer.withLock { $0.replacement(by: item.entry) } : nil
    }
  }
}

extension ValidationReport {
  /// - Parameters:
  ///   - untouched: The types of targets without an injection.
  ///   - unassembled: The assemblies that have not made their registrations.
  ///   - replacement: Returns how a registration replaced another one, or nil.
  fileprivate init(
    _ graph: ResolutionGraph, untouched: [any Any.Type], unassembled: [AnyKey],
    replacement: (RegistrationSnapshot.Item) -> Writer.Replacement?
  ) {
    let analysis = DependencyAnalysis(
      targets: graph.edges.map(\.target), starts: graph.starts, isStrong: graph.edges.map { $0.kind != .lazy })
    let components = analysis.components()
    var findings = unassembled.map {
      Finding(kind: .unassembled, subject: Step($0, nil), path: [], isShortened: false)
    }
    Self.findMissing(graph, analysis, &findings)
    findings += analysis.cycles(components) { !(graph.entry(of: $0)?.takesArguments ?? true) }.map { cycle in
      let path = cycle.map { graph.step($0) }
      return Finding(kind: .cycle, subject: path[0], path: path + [path[0]], isShortened: false)
    }
    findings += analysis.captives(components) { graph.entry(of: $0)?.lifetime.rank }.map { captive in
      let path = captive.nodes.map { graph.step($0) }
      return Finding(kind: .captive, subject: path[0], path: path, isShortened: captive.isShortened)
    }
    findings += graph.argumentConflicts.map { node, target in
      Finding(kind: .arguments, subject: graph.step(target), path: [graph.step(node), graph.step(target)], isShortened: false)
    }
    findings += graph.contextViolations().map { violation in
      let path = violation.nodes.map { graph.step($0) }
      return Finding(kind: .context, subject: path[path.count - 1], path: path, isShortened: false, context: violation.context)
    }
    var (unknown, replaced): ([Finding], [Finding]) = ([], [])
    var injections: [Step] = []
    for (index, item) in graph.snapshot.items.enumerated() where graph.isReached(index) {
      let entry = item.entry
      let step = Step(entry.key, entry.codeLocation)
      if step.isInjection { injections.append(step) }
      if let old = replacement(item)?.old {
        replaced.append(Finding(kind: .replaced, subject: step, path: [Step(entry.key, old), step], isShortened: false))
      }
      let knowledge = entry.knownDependencies.knowledge
      guard knowledge != .complete else { continue }
      let finding = Finding(
        kind: knowledge == .learned ? .learned : .unknown, subject: step, path: [], isShortened: false,
        isPending: entry.kind == .pending)
      if knowledge == .learned { findings.append(finding) } else { unknown.append(finding) }
    }
    findings += unknown
    findings += untouched.map { type in
      Finding(kind: .untouched, subject: Step(Injection.key(intoAny: type), nil), path: [], isShortened: false)
    }
    findings += replaced
    self.init(findings: findings, injections: injections, registrationCount: graph.snapshot.items.count)
  }

  /// Adds the missing dependencies, each with a path to the factory that needs it.
  private static func findMissing(_ graph: ResolutionGraph, _ analysis: DependencyAnalysis, _ findings: inout [Finding]) {
    // A path may be as long as the number of registrations, and so may the list of missing dependencies.
    let limit = 16
    var forest: DependencyAnalysis.Paths?
    for node in graph.nodes.indices {
      var reported: Set<Int> = []
      for edge in graph.edges(of: node) where edge.kind == .required {
        guard case .missing(let key) = graph.nodes[edge.target].subject, reported.insert(edge.target).inserted else { continue }
        let paths = forest ?? analysis.paths()
        forest = paths
        let known = paths.path(to: node, limit: limit)
        let start = known.isLonger ? [graph.step(paths.root[node])] : []
        let subject = Step(key, nil)
        let path = start + known.nodes.map { graph.step($0) } + [subject]
        findings.append(Finding(kind: .missing, subject: subject, path: path, isShortened: known.isLonger))
      }
    }
  }
}

extension ResolutionGraph {
  func step(_ node: Int) -> ValidationReport.Step { ValidationReport.Step(key(of: node), entry(of: node)?.codeLocation) }
}

extension Entry {
  /// True if the factory may resolve its own key without a cycle, with other arguments.
  fileprivate var takesArguments: Bool { argumentTypes?.isEmpty == false || argumentTypes == nil }
}

// MARK: Contexts

extension ResolutionGraph {
  /// A factory that cannot wait for a dependency, since the dependency is made in another context.
  struct ContextViolation {
    /// The nodes of the factory, of the array if the dependency is a member of one, and of the dependency.
    let nodes: [Int]
    /// The context in which the dependency is made.
    let context: FactoryContext
  }

  /// Returns the parameters of initializers that cannot be made in the context of the initializer, and of an array only one member.
  ///
  /// A factory may resolve its declared and learned dependencies in another context, and injections run in the caller's context, so
  /// both are left out. An existing instance is available in all contexts.
  func contextViolations() -> [ContextViolation] {
    var violations: [ContextViolation] = []
    // The first member out of reach, by array and the context of the factory.
    var members: [Int: [FactoryContext: Int?]] = [:]
    for node in nodes.indices {
      guard let entry = entry(of: node), entry.context != .asynchronous, entry.metatype != Injection.self else { continue }
      for edge in edges(of: node) where edge.source == .known && edge.kind != .lazy {
        var path = [node, edge.target]
        if case .array = nodes[edge.target].subject {
          let known = members[edge.target]?[entry.context]
          let member = known ?? edges(of: edge.target).map(\.target).first { isOutOfReach($0, of: entry.context) }
          members[edge.target, default: [:]][entry.context] = .some(member)
          guard let member else { continue }
          path.append(member)
        } else if !isOutOfReach(edge.target, of: entry.context) {
          continue
        }
        if let needed = self.entry(of: path[path.count - 1]) {
          violations.append(ContextViolation(nodes: path, context: needed.context))
        }
      }
    }
    return violations
  }

  /// Returns true if a factory in a context cannot wait for the instance of a node.
  private func isOutOfReach(_ node: Int, of context: FactoryContext) -> Bool {
    guard case .registration(let index) = nodes[node].subject, !snapshot.items[index].isBuilt else { return false }
    switch snapshot.items[index].entry.context {
    case .any: return false
    case .asynchronous: return context != .asynchronous
    case .mainActor: return context == .any
    }
  }
}
