internal import TroupeHost

/// The plugins that require others or are required, and the contracts between them.
struct DependencyGraph {
  /// A plugin or a contract.
  struct Node {
    /// The kind of a node, which the style sheet distinguishes.
    enum Kind: String {
      case plugin, rejected, contract, missing
    }

    let kind: Kind
    let title: String
    /// A second line: the version of a plugin, or the kind of any other node.
    let note: String
    /// The path of the plugin's page; nil for any other node.
    let page: String?
  }

  /// A requirement, or the offer of a contract.
  struct Edge: Hashable {
    let from, to: Int
    /// Whether the edge leads from a contract to a plugin that provides it.
    let isOffer: Bool
  }

  private(set) var nodes: [Node] = []
  private(set) var edges: [Edge] = []
  private var knownEdges: Set<Edge> = []
  private var pluginNodes: [Int: Int] = [:]
  private var otherNodes: [String: Int] = [:]

  /// Creates the graph of all plugins of a catalogue.
  init(_ catalog: Catalog) {
    for index in catalog.plugins.indices { add(index, catalog) }
  }

  /// Creates the graph of a plugin, the plugins that it requires and those that require it.
  init(_ catalog: Catalog, around index: Int, requiredBy: [Int]) {
    add(index, catalog)
    for other in requiredBy { add(other, catalog) { $0 == index } }
  }

  /// Adds the requirements of a plugin.
  ///
  /// - Parameter isWanted: Selects the plugins that meet the requirements.
  private mutating func add(_ index: Int, _ catalog: Catalog, where isWanted: (Int) -> Bool = { _ in true }) {
    for requirement in catalog.plugins[index].requires {
      let providers = catalog.providers(of: requirement)
      guard providers.isEmpty || providers.contains(where: isWanted) else { continue }
      let from = node(of: index, catalog)
      switch requirement {
      case .plugin(let id, _):
        insert(Edge(from: from, to: providers.first.map { node(of: $0, catalog) } ?? node(ofMissing: id), isOffer: false))
      case .contract(let name):
        let contract = node(ofContract: name)
        insert(Edge(from: from, to: contract, isOffer: false))
        for provider in providers where isWanted(provider) {
          insert(Edge(from: contract, to: node(of: provider, catalog), isOffer: true))
        }
      }
    }
  }

  private mutating func insert(_ edge: Edge) {
    if knownEdges.insert(edge).inserted { edges.append(edge) }
  }

  private mutating func node(of index: Int, _ catalog: Catalog) -> Int {
    if let node = pluginNodes[index] { return node }
    let plugin = catalog.plugins[index]
    let version = plugin.plugin.manifest?.version.description ?? ""
    let isRejected = plugin.fault != nil
    pluginNodes[index] = nodes.count
    nodes.append(
      Node(
        kind: isRejected ? .rejected : .plugin, title: plugin.name, note: isRejected ? "\(version), rejected" : version,
        page: plugin.path))
    return nodes.count - 1
  }

  private mutating func node(ofContract name: String) -> Int { node(name, .contract, "contract") }
  private mutating func node(ofMissing id: String) -> Int { node(id, .missing, "not found") }

  private mutating func node(_ title: String, _ kind: Node.Kind, _ note: String) -> Int {
    if let node = otherNodes[title] { return node }
    otherNodes[title] = nodes.count
    nodes.append(Node(kind: kind, title: title, note: note, page: nil))
    return nodes.count - 1
  }
}
