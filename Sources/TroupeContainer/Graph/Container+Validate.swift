extension Container {
  /// Looks for what would fail before anything runs: what is needed and missing, factories that need each other, what lives
  /// longer than what it holds, what is needed where nobody waits for it, and arguments that do not fit. What nobody knows enough
  /// about is listed as that.
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
  /// The dependencies of a factory are known from `auto` and `mainauto`, from `annotated(dependsOn:)`, and, once it has run, from
  /// a container that learns; see `init(parent:collisions:learnsDependencies:)`. A factory that takes no resolver, such as
  /// `{ Engine() }`, an expression and a weak registration have no dependencies. Registrations of parents are checked as a resolve
  /// from here finds them. A dependency through a `LazyResolver` is part of no cycle and may be missing, as may an optional.
  ///
  /// An assembly that is registered and not assembled is a problem, since its registrations are missing.
  ///
  /// Injections are looked at as well: what a property needs that is no optional, and is missing, is a finding like any other;
  /// what a block resolves nobody knows, unless somebody says so. A container that learns tells into what it should have
  /// injected and had nothing to do.
  ///
  /// Nothing is made, and nothing that is pending is loaded. Safe to call from any thread, while others register, too: each
  /// container is looked at as it is at one moment.
  ///
  /// Cost: time and memory in proportion to the registrations and their needs, a few microseconds each.
  public func validate() -> ValidationReport {
    ValidationReport(DependencyModel(self), untouched: untouchedTargets, unassembled: waitingAssemblies)
  }
}

extension ValidationReport {
  /// Makes a report of a model, of the types of targets for which there was no injection, and of the assemblies that have not
  /// made their registrations.
  fileprivate init(_ model: DependencyModel, untouched: [any Any.Type], unassembled: [AnyKey]) {
    let analysis = DependencyAnalysis(
      targets: model.edges.map(\.target), starts: model.starts, isStrong: model.edges.map { $0.need != .lazy })
    let components = analysis.components()
    var findings = unassembled.map {
      Finding(kind: .unassembled, subject: Step($0, nil), path: [], isShortened: false)
    }
    Self.findMissing(model, analysis, &findings)
    findings += analysis.rings(components) { !(model.entry(of: $0)?.takesArguments ?? true) }.map { ring in
      let path = ring.map { model.step($0) }
      return Finding(kind: .cycle, subject: path[0], path: path + [path[0]], isShortened: false)
    }
    findings += analysis.captives(components) { model.entry(of: $0)?.lifetime.rank }.map { way in
      let path = way.nodes.map { model.step($0) }
      return Finding(kind: .captive, subject: path[0], path: path, isShortened: way.isShortened)
    }
    findings += model.mismatches.map { node, target in
      Finding(kind: .arguments, subject: model.step(target), path: [model.step(node), model.step(target)], isShortened: false)
    }
    findings += model.contextFaults().map { fault in
      let path = fault.nodes.map { model.step($0) }
      return Finding(kind: .context, subject: path[path.count - 1], path: path, isShortened: false, context: fault.context)
    }
    var unknown: [Finding] = []
    var injections: [Step] = []
    for (index, item) in model.snapshot.items.enumerated() where model.isReached(index) {
      let entry = item.entry
      let step = Step(entry.key, entry.placeInSource)
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

  /// Finds what is needed and missing, with the way to each factory that needs it.
  private static func findMissing(_ model: DependencyModel, _ analysis: DependencyAnalysis, _ findings: inout [Finding]) {
    // A way may be as long as there are registrations, and so may be the list of what is missing.
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

extension DependencyModel {
  /// A node as a report names it.
  func step(_ node: Int) -> ValidationReport.Step { ValidationReport.Step(key(of: node), entry(of: node)?.placeInSource) }
}

extension Entry {
  /// Whether a factory may come back to itself, presumably with other arguments.
  fileprivate var takesArguments: Bool { argumentTypes?.isEmpty == false || argumentTypes == nil }
}

extension Lifetime {
  /// How long instances live, more being longer; nil for as long as what holds them.
  var rank: Int? {
    switch self {
    case .singleton: 100
    case .scoped: 50
    case .transient: nil
    }
  }
}
