extension Container {
  /// Returns a report of the faults that resolves would meet: missing registrations, dependency cycles, instances that outlive
  /// their dependencies, synchronous factories that need asynchronous ones, and arguments that do not fit. Factories with unknown
  /// dependencies are listed as unknown.
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
  /// The dependencies of a factory are known from `auto` and `mainauto`, from `annotated(dependsOn:)`, and, once it has run, from a
  /// container that learns; see `Container.init`. A factory without a resolver, such as `{ Engine() }`, an expression and a weak
  /// registration have no dependencies. Registrations of ancestors are checked as a resolve from here finds them. A dependency through a `LazyResolver` is not part of a cycle and may be missing, as may an optional.
  ///
  /// An assembly that is registered and not assembled is a problem, because its registrations are missing.
  ///
  /// The report includes injections: a missing dependency of a property is a finding unless the property is optional. The
  /// dependencies of a block are unknown unless they are declared. A container that learns reports the types of targets for which
  /// it had no injection.
  ///
  /// Makes no instance and loads no pending registration. Safe to call from any thread, also while other threads register. Each
  /// container is read at one version.
  ///
  /// Cost: time and memory in proportion to the registrations and their dependencies, a few microseconds each.
  public func validate() -> ValidationReport {
    ValidationReport(ResolutionGraph(self), untouched: untouchedTargets, unassembled: waitingAssemblies)
  }
}

extension ValidationReport {
  /// Creates a report of a model. `untouched` has the types of targets without an injection, `unassembled` the assemblies that have
  /// not made their registrations.
  fileprivate init(_ model: ResolutionGraph, untouched: [any Any.Type], unassembled: [AnyKey]) {
    let analysis = DependencyAnalysis(
      targets: model.edges.map(\.target), starts: model.starts, isStrong: model.edges.map { $0.need != .lazy })
    let components = analysis.components()
    var findings = unassembled.map {
      Finding(kind: .unassembled, subject: Step($0, nil), path: [], isShortened: false)
    }
    Self.findMissing(model, analysis, &findings)
    findings += analysis.cycles(components) { !(model.entry(of: $0)?.takesArguments ?? true) }.map { cycle in
      let path = cycle.map { model.step($0) }
      return Finding(kind: .cycle, subject: path[0], path: path + [path[0]], isShortened: false)
    }
    findings += analysis.captives(components) { model.entry(of: $0)?.lifetime.rank }.map { way in
      let path = way.nodes.map { model.step($0) }
      return Finding(kind: .captive, subject: path[0], path: path, isShortened: way.isShortened)
    }
    findings += model.mismatches.map { node, target in
      Finding(kind: .arguments, subject: model.step(target), path: [model.step(node), model.step(target)], isShortened: false)
    }
    findings += model.contextViolations().map { fault in
      let path = fault.nodes.map { model.step($0) }
      return Finding(kind: .context, subject: path[path.count - 1], path: path, isShortened: false, context: fault.context)
    }
    var unknown: [Finding] = []
    var injections: [Step] = []
    for (index, item) in model.snapshot.items.enumerated() where model.isReached(index) {
      let entry = item.entry
      let step = Step(entry.key, entry.codeLocation)
      if step.isInjection { injections.append(step) }
      let extent = entry.knowledge.extent
      guard extent != .complete else { continue }
      let finding = Finding(
        kind: extent == .learned ? .learned : .unknown, subject: step, path: [], isShortened: false,
        isPending: entry.kind == .pending)
      if extent == .learned { findings.append(finding) } else { unknown.append(finding) }
    }
    findings += unknown
    findings += untouched.map { type in
      Finding(kind: .untouched, subject: Step(Injection.key(intoAny: type), nil), path: [], isShortened: false)
    }
    self.init(findings: findings, injections: injections, registrationCount: model.snapshot.items.count)
  }

  /// Finds the missing dependencies, with a path to each factory that needs one.
  private static func findMissing(_ model: ResolutionGraph, _ analysis: DependencyAnalysis, _ findings: inout [Finding]) {
    // A path may be as long as the number of registrations, and so may the list of missing dependencies.
    let limit = 16
    var ways: DependencyAnalysis.Ways?
    for node in model.nodes.indices {
      var told: Set<Int> = []
      for edge in model.edges(of: node) where edge.need == .required {
        guard case .missing(let key) = model.nodes[edge.target].subject, told.insert(edge.target).inserted else { continue }
        let known = ways ?? analysis.ways()
        ways = known
        let way = known.way(to: node, limit: limit)
        let start = way.isLonger ? [model.step(known.root[node])] : []
        let subject = Step(key, nil)
        let path = start + way.nodes.map { model.step($0) } + [subject]
        findings.append(Finding(kind: .missing, subject: subject, path: path, isShortened: way.isLonger))
      }
    }
  }
}

extension ResolutionGraph {
  /// Returns the step of a report for a node.
  func step(_ node: Int) -> ValidationReport.Step { ValidationReport.Step(key(of: node), entry(of: node)?.codeLocation) }
}

extension Entry {
  /// Whether the factory may call itself, presumably with other arguments.
  fileprivate var takesArguments: Bool { argumentTypes?.isEmpty == false || argumentTypes == nil }
}

extension Lifetime {
  /// The order of lifetimes, a higher number living longer; nil for the lifetime of the holder.
  var rank: Int? {
    switch self {
    case .singleton: 100
    case .scoped: 50
    case .transient: nil
    }
  }
}
