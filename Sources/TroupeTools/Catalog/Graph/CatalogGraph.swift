internal import TroupeHost

/// The plugins that require others or are required, and the contracts between them.
struct CatalogGraph {
  /// A plugin or a contract.
  struct Node {
    /// The kind of a node, which the style sheet distinguishes.
    enum NodeKind: String {
      case plugin, rejected, contract, missing
    }

    let kind: NodeKind
    let title: String
    /// A second line: the version of a plugin, or the kind of any other node.
    let note: String
    /// The path of the plugin's page; nil for any other node.
    let page: String?
  }

  /// A requirement, or the offer of a contract.
  struct Edge: Hashable {
    let from, to: Int
    /// True for an edge from a contract to a plugin that provides it.
    let isOffer: Bool
    /// False for an unmet requirement or a contract that is declared only.
    let isMet: Bool
  }

  private(set) var nodes: [Node] = []
  private(set) var edges: [Edge] = []
  private var knownEdges: Set<Edge> = []
  private var pluginNodes: [Int: Int] = [:]
  private var otherNodes: [NodeKey: Int] = [:]

  /// The identity of a node that is no plugin of the catalog: a contract and a missing plugin may have one name.
  private struct NodeKey: Hashable {
    let kind: Node.NodeKind
    let title: String
  }

  /// False if the picture would be too large for a page. Its size grows with the number of edges and with their lengths.
  var isDrawable: Bool { edges.count <= 2_000 }

  /// Creates the graph of all plugins of a catalog.
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
  /// - Parameter isWanted: Selects the plugins to which the edges lead.
  private mutating func add(_ index: Int, _ catalog: Catalog, where isWanted: (Int) -> Bool = { _ in true }) {
    for requirement in catalog.plugins[index].requires {
      let providers = catalog.providers(of: requirement)
      guard providers.isEmpty || providers.contains(where: { isWanted($0.index) }) else { continue }
      let from = node(of: index, catalog)
      let isMet = providers.contains { $0.shortfall == nil }
      switch requirement {
      case .plugin(let id, _):
        let to = providers.first.map { node(of: $0.index, catalog) } ?? node(ofMissing: id)
        insert(Edge(from: from, to: to, isOffer: false, isMet: isMet))
      case .contract(let name):
        let contract = node(ofContract: name)
        insert(Edge(from: from, to: contract, isOffer: false, isMet: isMet))
        for provider in providers where isWanted(provider.index) {
          let to = node(of: provider.index, catalog)
          insert(Edge(from: contract, to: to, isOffer: true, isMet: provider.shortfall == nil))
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
    let isRejected = plugin.diagnosis != nil
    pluginNodes[index] = nodes.count
    nodes.append(
      Node(
        kind: isRejected ? .rejected : .plugin, title: plugin.name,
        note: isRejected ? "\(plugin.version), rejected" : plugin.version, page: plugin.path))
    return nodes.count - 1
  }

  private mutating func node(ofContract name: String) -> Int { node(name, .contract, "contract") }
  private mutating func node(ofMissing id: String) -> Int { node(id, .missing, "not found") }

  private mutating func node(_ title: String, _ kind: Node.NodeKind, _ note: String) -> Int {
    let key = NodeKey(kind: kind, title: title)
    if let node = otherNodes[key] { return node }
    otherNodes[key] = nodes.count
    nodes.append(Node(kind: kind, title: title, note: note, page: nil))
    return nodes.count - 1
  }
}
