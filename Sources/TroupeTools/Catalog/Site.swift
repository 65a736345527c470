internal import Dispatch
internal import Synchronization

/// A file of the site.
package struct SiteFile: Sendable {
  /// The path in the site, such as `plugins/org.example.geometry.html`.
  let path: String
  /// The content.
  let bytes: [UInt8]
}

extension Catalog {
  /// Returns the files of the site, except for the list of files.
  package func pages() -> [SiteFile] {
    let anchors = TagsPage.anchors(self)
    let dependents = dependents
    // The page of each plugin is written on one of several threads.
    let shared: [@Sendable () -> SiteFile] = [
      { IndexPage.page(self) }, { FunctionsPage.page(self) }, { TagsPage.page(self, anchors) }, { GraphPage.page(self) },
      { SearchData.file(self, anchors) }, { StyleSheet.file }, { Script.file },
    ]
    let pages = Mutex([SiteFile?](repeating: nil, count: shared.count + plugins.count))
    DispatchQueue.concurrentPerform(iterations: shared.count + plugins.count) { index in
      let page =
        index < shared.count
        ? shared[index]() : PluginPage.page(self, index - shared.count, requiredBy: dependents[index - shared.count], anchors)
      pages.withLock { $0[index] = page }
    }
    return pages.withLock { $0 }.compactMap(\.self)
  }

  /// For each plugin, the plugins that require it or a contract that it provides.
  private var dependents: [[Int]] {
    var dependents = Array(repeating: [Int](), count: plugins.count)
    for (index, plugin) in plugins.enumerated() {
      let others = Set(plugin.requires.flatMap { providers(of: $0).map(\.index) })
      for other in others where other != index { dependents[other].append(index) }
    }
    return dependents
  }
}
