internal import TroupeHost

/// Plugins, what they register, and what each requires.
struct PluginGraph: Encodable {
  /// A plugin with what it registers.
  fileprivate struct Member: Encodable {
    let plugin: Plugin
    let registrations: [Registration]

    /// The id, or the path of what says none.
    var name: String { plugin.manifest?.id ?? plugin.path }

    func encode(to encoder: any Encoder) throws {
      try PluginReport(plugin).encode(to: encoder)
      var members = encoder.container(keyedBy: Key.self)
      try members.encode(registrations.map(FactoryReport.init), forKey: .factories)
    }

    private enum Key: CodingKey { case factories }
  }

  /// Something that a plugin requires.
  fileprivate struct Need: Encodable {
    /// The plugin's index.
    let from: Int
    let requirement: Requirement
    /// The indices of the plugins that meet it or, for a plugin in another version, would.
    let to: [Int]
    let isMet: Bool
    /// The names of the plugins.
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
  private let needs: [Need]

  /// Finds out who requires whom.
  init(_ plugins: [Plugin], _ registrations: [Registration]) {
    let registered = Dictionary(grouping: registrations, by: \.plugin)
    var identifiers: [String: Int] = [:]
    var offers: [String: [Int]] = [:]
    for (index, plugin) in plugins.enumerated() {
      // Of two with the same id the one found first counts, and the other is rejected.
      if let id = plugin.manifest?.id, identifiers[id] == nil { identifiers[id] = index }
      for contract in Set(plugin.manifest?.provides ?? []) { offers[contract, default: []].append(index) }
    }
    let members = plugins.enumerated().map { index, plugin in
      let id = plugin.manifest?.id
      let isFirst = id.flatMap { identifiers[$0] } == index
      return Member(plugin: plugin, registrations: isFirst ? id.flatMap { registered[$0] } ?? [] : [])
    }
    self.members = members
    needs = plugins.enumerated().flatMap { index, plugin in
      (plugin.manifest?.requires ?? []).map { requirement in
        let to: [Int]
        let isMet: Bool
        switch requirement {
        case .plugin(let id, let range):
          to = identifiers[id].map { [$0] } ?? []
          isMet = to.contains { other in
            plugins[other].state.fault == nil && plugins[other].manifest.map { range.contains($0.version) } ?? false
          }
        case .contract(let name):
          to = offers[name] ?? []
          // What a manifest says, the plugin has to do as well.
          isMet = to.contains { other in
            plugins[other].state.fault == nil && members[other].registrations.contains { $0.contract == name }
          }
        }
        return Need(
          from: index, requirement: requirement, to: to, isMet: isMet, plugin: members[index].name,
          by: to.map { members[$0].name })
      }
    }
  }

  func encode(to encoder: any Encoder) throws {
    var object = encoder.container(keyedBy: Key.self)
    try object.encode(members, forKey: .plugins)
    try object.encode(needs, forKey: .requirements)
  }

  private enum Key: CodingKey { case plugins, requirements }
}

// MARK: As a picture

extension PluginGraph {
  /// A frame for each plugin, with a node that stands for it and one for everything that it registers; nodes for contracts and
  /// for what is missing.
  var drawing: GraphDrawing {
    var drawing = GraphDrawing(title: "plugins")
    var heads: [Int] = []
    for (cluster, member) in members.enumerated() {
      let fault = member.plugin.state.fault
      drawing.clusters.append(
        GraphDrawing.Cluster(lines: [member.plugin.manifest?.name ?? member.name], isFaulty: fault != nil))
      heads.append(drawing.nodes.count)
      drawing.nodes.append(GraphDrawing.Node(lines: member.lines, style: fault == nil ? .head : .faulty, cluster: cluster))
      for registration in member.registrations {
        let style: GraphDrawing.NodeStyle = registration.isShared ? .emphasised : .plain
        drawing.nodes.append(GraphDrawing.Node(lines: registration.lines, style: style, cluster: cluster))
      }
    }
    addContracts(&drawing, heads)
    addNeeds(&drawing, heads)
    return drawing
  }

  /// Adds the contracts, with who registers something of them and who says to provide them.
  private func addContracts(_ drawing: inout GraphDrawing, _ heads: [Int]) {
    var contracts = Contracts()
    for (member, head) in zip(members, heads) {
      for (offset, registration) in member.registrations.enumerated() {
        guard let name = registration.contract else { continue }
        let contract = contracts.node(name, isMet: true, &drawing)
        drawing.edges.append(GraphDrawing.Edge(from: head + 1 + offset, to: contract, style: .bond))
      }
    }
    for need in needs {
      guard case .contract(let name) = need.requirement else { continue }
      let contract = contracts.node(name, isMet: need.isMet, &drawing)
      drawing.edges.append(GraphDrawing.Edge(from: heads[need.from], to: contract, label: "requires"))
      // Who provides it is the same for all that require it.
      guard contracts.isUnprovided(name) else { continue }
      for provider in need.to {
        let label = need.isMet ? "provided by" : "said to be provided by"
        drawing.edges.append(GraphDrawing.Edge(from: contract, to: heads[provider], label: label, style: .dashed))
      }
    }
  }

  private func addNeeds(_ drawing: inout GraphDrawing, _ heads: [Int]) {
    var missing: [String: Int] = [:]
    for need in needs {
      guard case .plugin(let id, let range) = need.requirement else { continue }
      var label = range == .all ? "requires" : "requires \(range)"
      if !need.isMet && !need.to.isEmpty { label += ", in vain" }
      if let other = need.to.first {
        drawing.edges.append(GraphDrawing.Edge(from: heads[need.from], to: heads[other], label: label))
      } else {
        let node = missing[id] ?? drawing.nodes.count
        if missing[id] == nil { drawing.nodes.append(GraphDrawing.Node(lines: [id, "not found"], style: .missing)) }
        missing[id] = node
        drawing.edges.append(GraphDrawing.Edge(from: heads[need.from], to: node, label: label))
      }
    }
  }

  /// The nodes of contracts, each once.
  private struct Contracts {
    private var nodes: [String: Int] = [:]
    private var provided: Set<String> = []

    /// Whether this is the first time that somebody asks, and it falls to them to draw who provides it.
    mutating func isUnprovided(_ name: String) -> Bool { provided.insert(name).inserted }

    mutating func node(_ name: String, isMet: Bool, _ drawing: inout GraphDrawing) -> Int {
      if let node = nodes[name] { return node }
      let lines = ["contract", name] + (isMet ? [] : ["registered by nobody"])
      nodes[name] = drawing.nodes.count
      drawing.nodes.append(GraphDrawing.Node(lines: lines, style: isMet ? .agreement : .missing))
      return drawing.nodes.count - 1
    }
  }
}

extension PluginGraph.Member {
  /// What is written about the plugin: the id, the version, the language and the state, and why it cannot be used.
  fileprivate var lines: [String] {
    let manifest = plugin.manifest
    let facts = [manifest.map { "\($0.version)" }, manifest?.language, plugin.state.name].compactMap(\.self)
    let reason = plugin.state.fault.map { TextWrap.lines($0.reason.onOneLine, width: 60) } ?? []
    return [name, facts.joined(separator: ", ")] + reason
  }
}

extension Registration {
  /// What is written about it: the name, the signature, the tags, and for what makes instances how long they live.
  fileprivate var lines: [String] {
    let tags = tags.isEmpty ? [] : ["[" + tags.joined(separator: ", ") + "]"]
    return [name] + TextWrap.lines(signature.onOneLine, width: 60) + tags + (isCalled ? [] : ["\(lifetime)"])
  }

  /// Whether it is a function of which there are no instances.
  private var isCalled: Bool { contract == nil && isFunction }

  /// Whether everybody gets the same instance.
  fileprivate var isShared: Bool { !isCalled && lifetime == .singleton }
}

extension Requirement {
  /// Whether it is a contract, whoever provides it.
  fileprivate var isContract: Bool {
    switch self {
    case .contract: true
    case .plugin: false
    }
  }
}
