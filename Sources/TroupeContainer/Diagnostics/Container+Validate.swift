private typealias Finding = ValidationReport.Finding
private typealias Step = ValidationReport.Step

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
    let graph = ResolutionGraph(self)
    var findings = waitingAssemblies.map { Finding(kind: .unassembled, subject: Step($0, nil)) }
    findings += graph.problems
    var (unknown, replaced): ([Finding], [Finding]) = ([], [])
    var injections: [Step] = []
    for (index, item) in graph.snapshot.items.enumerated() where graph.isReached(index) {
      let entry = item.entry
      let step = Step(entry)
      if step.key.isInjection { injections.append(step) }
      if let old = entry.details.replaced {
        replaced.append(Finding(kind: .replaced, subject: step, path: [Step(entry.key, old), step]))
      }
      let isPending = entry.kind == .pending
      switch entry.knownDependencies.knowledge {
      case .complete: break
      case .learned: findings.append(Finding(kind: .learned, subject: step, isPending: isPending))
      case .unknown: unknown.append(Finding(kind: .unknown, subject: step, isPending: isPending))
      }
    }
    findings += unknown
    findings += untouchedTargets.map { Finding(kind: .untouched, subject: Step(Injection.key(intoAny: $0), nil)) }
    findings += replaced
    return ValidationReport(findings: findings, injections: injections, registrationCount: graph.snapshot.items.count)
  }
}

// MARK: Problems

extension ResolutionGraph {
  fileprivate var problems: [Finding] {
    let analysis = DependencyAnalysis(
      targets: edges.map { $0.map(\.target) }, strong: edges.map { $0.filter { $0.kind != .lazy }.map(\.target) })
    var findings = missingKeys(analysis)
    // A factory with arguments may resolve its own key with other arguments.
    findings += analysis.cycles { item(of: $0)?.entry.argumentTypes?.isEmpty ?? false }.map { finding(.cycle, $0 + [$0[0]]) }
    findings += analysis.captives { item(of: $0)?.entry.lifetime ?? .transient }.map { captive in
      finding(.captive, captive.nodes, isShortened: captive.isShortened)
    }
    findings += argumentConflicts.map { finding(.arguments, [$0.node, $0.target]) }
    return findings + contextViolations
  }

  /// - Parameter nodes: The dependency path. The subject of a cycle or a captive dependency is the first one, else the last one.
  private func finding(
    _ kind: ValidationReport.FindingKind, _ nodes: [Int], isShortened: Bool = false, context: FactoryContext = .any
  ) -> Finding {
    let path = nodes.map { Step(self.nodes[$0].key, item(of: $0)?.entry.codeLocation) }
    let subject = path[kind == .cycle || kind == .captive ? 0 : path.count - 1]
    return Finding(kind: kind, subject: subject, path: path, isShortened: isShortened, context: context)
  }

  /// The missing dependencies, each once for each factory that needs it, with a path to the factory.
  private func missingKeys(_ analysis: DependencyAnalysis) -> [Finding] {
    lazy var paths = analysis.paths()
    return nodes.indices.flatMap { node in
      var reported: Set<Int> = []
      let missing = edges[node].filter { edge in
        edge.kind == .required && nodes[edge.target].kind == .missing && reported.insert(edge.target).inserted
      }
      return missing.map { edge in
        // A path may be as long as the number of registrations, and so may the list of missing dependencies.
        let path = paths.path(to: node, limit: 16)
        let start = path.isLonger ? [paths.root[node] ?? node] : []
        return finding(.missing, start + path.nodes + [edge.target], isShortened: path.isLonger)
      }
    }
  }

  /// The parameters of initializers that cannot be made in the context of the initializer, and of an array only one member.
  ///
  /// A factory may resolve its declared and learned dependencies in another context, and injections run in the caller's context, so
  /// both are left out. An existing instance is available in all contexts.
  private var contextViolations: [Finding] {
    /// The context of a node's factory, if a factory in another one cannot wait for the instance.
    func context(of node: Int, unavailableIn other: FactoryContext) -> FactoryContext? {
      guard let item = item(of: node), !item.isBuilt, item.entry.context != .any, item.entry.context != other else {
        return nil
      }
      return item.entry.context
    }
    // The first member out of reach, by array, for factories in each context that does not wait.
    var members: [FactoryContext: [Int: Int]] = [:]
    for node in nodes.indices where nodes[node].kind == .array {
      for other in [FactoryContext.any, .mainActor] {
        members[other, default: [:]][node] = edges[node].map(\.target).first { context(of: $0, unavailableIn: other) != nil }
      }
    }
    return nodes.indices.flatMap { node -> [Finding] in
      guard let entry = item(of: node)?.entry, entry.context != .asynchronous, entry.metatype != Injection.self else {
        return []
      }
      return edges[node].filter { $0.source == .known && $0.kind != .lazy }.compactMap { edge in
        let path = [node, edge.target] + (members[entry.context]?[edge.target].map { [$0] } ?? [])
        guard let needed = context(of: path[path.count - 1], unavailableIn: entry.context) else { return nil }
        return finding(.context, path, context: needed)
      }
    }
  }
}
