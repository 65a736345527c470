internal import Troupe

/// Queries from C.
extension FactoryCatalog {
  /// Returns the entries of a contract with all of the tags, in the order of registration: those of plugins, and those of the program in
  /// the host's container or in a scope.
  ///
  /// - Parameter scope: A container below the host's, whose registrations match as well; nil for none.
  func entries(ofContract name: String, tags: [String], in scope: Container?) -> [Entry] {
    let wanted = Set(tags.map(Self.tag))
    guard let contract = contract(named: name) else {
      // The instances of all unknown contracts have the same type.
      return container.entries(of: ForeignInstance.self, including: wanted).filter { $0.registration?.contract == name }
    }
    return (scope ?? container).entries(of: contract.type, including: wanted)
  }

  /// Returns a text that names an entry and its registrant, for an error.
  func name(of entry: Entry) -> String {
    entry.registration.map { "\($0.name) \($0.distinction)" } ?? "\(entry.key) (the program)"
  }
}
