internal import TroupeBase

/// The requirements of the protocols of a Swift library that was built with library evolution.
///
/// A client that implements a protocol refers to the descriptor of each requirement that it has a witness for. The runtime fills in the
/// defaults of the others. A requirement that was added without a default stays null, so that a call of it crashes, and no symbol is
/// missing. The descriptors show it:
///
///     $s9Greetings7GreeterP5greetSSyFTq:  UInt32 flags, Int32 relative pointer to the default, 0 without one
extension ELFFile {
  /// Returns the descriptors of requirements without a default that a client with these imports has no witness for, although it implements
  /// their protocol. Cost: reads all symbols of the library.
  ///
  /// A reference to a getter's descriptor does not show an implementation, since key paths have such references, too.
  package func unimplementedRequirements(
    of imports: some Sequence<String>, _ dynamic: DynamicSection
  ) throws(ReadError) -> [String] {
    let witnessed = imports.filter { $0.hasSuffix(Self.requirement) }
    let implementing = witnessed.filter { !$0.hasSuffix(Self.getterRequirement) }
    guard !implementing.isEmpty else { return [] }
    var protocols: [String] = []
    var requirements: [(name: String, address: UInt64)] = []
    try forEachSymbol(dynamic, where: \.isData) { _, symbol, name, _ in
      if name.hasSuffix(Self.protocolDescriptor) { protocols.append(name.dropLast(Self.protocolDescriptor.count) + "P") }
      if name.hasSuffix(Self.requirement) { requirements.append((name, symbol.address)) }
    }
    let implemented = protocols.filter { prefix in implementing.contains { $0.hasPrefix(prefix) } }
    let known = Set(witnessed)
    var missing: [String] = []
    for (name, address) in requirements where !known.contains(name) && implemented.contains(where: { name.hasPrefix($0) }) {
      guard let offset = offset(of: address) else { throw ReadError("is damaged: the symbol \(name) is at no offset") }
      if try bytes.view(at: offset, count: 8).uint32(4) == 0 { missing.append(name) }
    }
    return missing.sorted()
  }

  private static let protocolDescriptor = "Mp"
  private static let requirement = "Tq"
  private static let getterRequirement = "gTq"
}
