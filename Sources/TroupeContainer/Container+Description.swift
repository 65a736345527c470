extension Container: CustomStringConvertible {
  /// One line: the numbers of registrations, of singletons that have their instance, and of assemblies that are not assembled; then
  /// the same of each parent.
  ///
  /// ```swift
  /// let container = Container()
  /// container.register(lifetime: .singleton) { [1, 2, 3] }
  /// print(container.scope())  // Scope (0 registrations) in Container (1 registration, 0 singletons made)
  /// ```
  ///
  /// Cost: proportional to the registrations.
  public var description: String { selfAndAncestors.map(\.summary).joined(separator: " in ") }

  private var summary: String {
    func counted(_ count: Int, _ noun: String, plural: String) -> String { "\(count) \(count == 1 ? noun : plural)" }
    let entries = allEntries { _ in true }
    let singletons = entries.filter { $0.lifetime == .singleton }
    let waiting = assemblies.waitingTypes.count
    var facts = [counted(entries.count, "registration", plural: "registrations")]
    if !singletons.isEmpty {
      facts.append(counted(singletons.count(where: \.isBuilt), "singleton made", plural: "singletons made"))
    }
    if waiting > 0 { facts.append(counted(waiting, "assembly not assembled", plural: "assemblies not assembled")) }
    return "\(noun) (\(facts.joined(separator: ", ")))"
  }

  private var noun: String {
    if ignoresRegistrations { return "Container.null" }
    return scopeStorage != nil ? "Scope" : isOverride ? "Overrides" : "Container"
  }
}
