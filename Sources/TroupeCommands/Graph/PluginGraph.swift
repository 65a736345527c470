internal import TroupeTools
internal import TroupeHost

/// The plugins of a host, their registrations, and which plugin meets which requirement.
///
///     ┌ org.example.user ──────┐   requires   ┌ org.example.base ┐
///     │ org.example.user, 1.0  │ ───────────▶ │ …                │
///     │ adder                  │              └──────────────────┘
///     └────────────────────────┘
///          │ requires
///          ▼
///     contract org.example.store/1 ┄ provided by ┄▶ org.example.base
///
/// The first plugin with an id has the registrations of that id. Another one with the same id is rejected.
struct PluginGraph: Encodable {
  fileprivate struct Member: Encodable {
    let plugin: Plugin
    let registrations: [RegistrationDescription]

    /// A plugin without an id has its path as name.
    var name: String { plugin.manifest?.id ?? plugin.path }

    func encode(to encoder: any Encoder) throws {
      try PluginReport(plugin).encode(to: encoder)
      var members = encoder.container(keyedBy: Key.self)
      try members.encode(registrations.map(RegistrationReport.init), forKey: .factories)
    }

    private enum Key: CodingKey { case factories }
  }

  /// A requirement of a plugin, and the plugins that meet it or fail to.
  fileprivate struct RequirementEdge: Encodable {
    let from: Int
    let requirement: Requirement
    /// The index of the plugin with the required id, or of each plugin that declares the required contract.
    let to: [Int]
    let isMet: Bool
    /// The name of the plugin that has the requirement, and those of `to`.
    let plugin: String
    let by: [String]

    func encode(to encoder: any Encoder) throws {
      var members = encoder.container(keyedBy: Key.self)
      try members.encode(plugin, forKey: .plugin)
      try members.encode(requirement.description, forKey: .requires)
      try members.encode(requirement.isContract ? "contract" : "plugin", forKey: .kind)
      try members.encode(isMet, forKey: .met)
      try members.encode(by, forKey: .by)
    }

    private enum Key: CodingKey { case plugin, requires, kind, met, by }
  }

  private let members: [Member]
  private let requirements: [RequirementEdge]

  init(_ plugins: [Plugin], _ registrations: [RegistrationDescription]) {
    let registered = Dictionary(grouping: registrations, by: \.plugin)
    let providers = RequirementProviders(plugins) { index, contract in
      // The manifest alone does not prove that the plugin registers it.
      plugins[index].manifest.flatMap { registered[$0.id] }?.contains { $0.contract == contract } ?? false
    }
    let members = plugins.enumerated().map { index, plugin in
      let id = plugin.manifest?.id
      let isFirst = id.flatMap(providers.index) == index
      return Member(plugin: plugin, registrations: isFirst ? id.flatMap { registered[$0] } ?? [] : [])
    }
    self.members = members
    requirements = plugins.enumerated().flatMap { index, plugin in
      (plugin.manifest?.requires ?? []).map { requirement in
        let found = providers.providers(of: requirement)
        return RequirementEdge(
          from: index, requirement: requirement, to: found.map(\.index), isMet: found.contains { $0.shortfall == nil },
          plugin: members[index].name, by: found.map { members[$0.index].name })
      }
    }
  }

  func encode(to encoder: any Encoder) throws {
    var object = encoder.container(keyedBy: Key.self)
    try object.encode(members, forKey: .plugins)
    try object.encode(requirements, forKey: .requirements)
  }

  private enum Key: CodingKey { case plugins, requirements }
}

// MARK: Drawing

extension PluginGraph {
  /// A cluster for each plugin with a node for the plugin and for each registration, and nodes for contracts and missing requirements.
  var drawing: GraphDrawing {
    var drawing = GraphDrawing(title: "plugins")
    var heads: [Int] = []
    for (cluster, member) in members.enumerated() {
      let diagnosis = member.plugin.state.diagnosis
      drawing.clusters.append(
        GraphDrawing.Cluster(lines: [member.plugin.manifest?.name ?? member.name], isFaulty: diagnosis != nil))
      heads.append(drawing.nodes.count)
      drawing.nodes.append(GraphDrawing.Node(lines: member.lines, style: diagnosis == nil ? .head : .faulty, cluster: cluster))
      for registration in member.registrations {
        let style: GraphDrawing.NodeStyle = registration.isShared ? .emphasized : .plain
        drawing.nodes.append(GraphDrawing.Node(lines: registration.lines, style: style, cluster: cluster))
      }
    }
    addContracts(&drawing, heads)
    addRequiredPlugins(&drawing, heads)
    return drawing
  }

  /// Adds contracts, with edges to the registrations for them and to their providers.
  private func addContracts(_ drawing: inout GraphDrawing, _ heads: [Int]) {
    var contracts = Contracts()
    for (member, head) in zip(members, heads) {
      for (offset, registration) in member.registrations.enumerated() {
        guard let name = registration.contract else { continue }
        let contract = contracts.node(name, isMet: true, &drawing)
        drawing.edges.append(GraphDrawing.Edge(from: head + 1 + offset, to: contract, style: .undirected))
      }
    }
    for edge in requirements {
      guard case .contract(let name) = edge.requirement else { continue }
      let contract = contracts.node(name, isMet: edge.isMet, &drawing)
      drawing.edges.append(GraphDrawing.Edge(from: heads[edge.from], to: contract, label: "requires"))
      // Each contract has its providers once.
      guard contracts.insertProvided(name) else { continue }
      for provider in edge.to {
        let label = edge.isMet ? "provided by" : "declared by"
        drawing.edges.append(GraphDrawing.Edge(from: contract, to: heads[provider], label: label, style: .dashed))
      }
    }
  }

  private func addRequiredPlugins(_ drawing: inout GraphDrawing, _ heads: [Int]) {
    var missing: [String: Int] = [:]
    for edge in requirements {
      guard case .plugin(let id, let range) = edge.requirement else { continue }
      var label = range == .all ? "requires" : "requires \(range)"
      if !edge.isMet && !edge.to.isEmpty { label += ", not met" }
      if let other = edge.to.first {
        drawing.edges.append(GraphDrawing.Edge(from: heads[edge.from], to: heads[other], label: label))
      } else {
        let node = missing[id] ?? drawing.nodes.count
        if missing[id] == nil { drawing.nodes.append(GraphDrawing.Node(lines: [id, "not found"], style: .missing)) }
        missing[id] = node
        drawing.edges.append(GraphDrawing.Edge(from: heads[edge.from], to: node, label: label))
      }
    }
  }

  private struct Contracts {
    private var nodes: [String: Int] = [:]
    private var provided: Set<String> = []

    /// True at the first call for a contract.
    mutating func insertProvided(_ name: String) -> Bool { provided.insert(name).inserted }

    mutating func node(_ name: String, isMet: Bool, _ drawing: inout GraphDrawing) -> Int {
      if let node = nodes[name] { return node }
      let lines = ["contract", name] + (isMet ? [] : ["not registered"])
      nodes[name] = drawing.nodes.count
      drawing.nodes.append(GraphDrawing.Node(lines: lines, style: isMet ? .contract : .missing))
      return drawing.nodes.count - 1
    }
  }
}

extension PluginGraph.Member {
  fileprivate var lines: [String] {
    let manifest = plugin.manifest
    let facts = [manifest.map { "\($0.version)" }, manifest?.language, plugin.state.name].compactMap(\.self)
    let reason = plugin.state.diagnosis.map { TextWrap.lines($0.reason.onOneLine, width: 60) } ?? []
    return [name, facts.joined(separator: ", ")] + reason
  }
}

extension RegistrationDescription {
  fileprivate var lines: [String] {
    let tags = tags.isEmpty ? [] : ["[" + tags.joined(separator: ", ") + "]"]
    return [name] + TextWrap.lines(signature.onOneLine, width: 60) + tags + (isCalled ? [] : ["\(lifetime)"])
  }

  /// True for a C function that callers call, false for a factory of instances.
  private var isCalled: Bool { contract == nil && isFunction }

  fileprivate var isShared: Bool { !isCalled && lifetime == .singleton }
}

extension Requirement {
  fileprivate var isContract: Bool {
    switch self {
    case .contract: true
    case .plugin: false
    }
  }
}
