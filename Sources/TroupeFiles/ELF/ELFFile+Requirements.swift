internal import TroupeBase

/// Which requirements of protocols a Swift library implements, and which ones a library that was built with library evolution has.
///
/// A conformance to a protocol of such a library has no finished witness table: the runtime builds one from the witnesses that the conformance
/// lists and from the defaults of the protocol. The list has all requirements that the protocol had when the client was compiled. A requirement
/// that was added without a default stays null, so that a call of it crashes, and no symbol is missing. Descriptors on both sides show it:
///
///     client   section swift5_protocol_conformances: Int32 to each conformance
///       conformance   Int32 protocol, Int32 type, Int32 witness table or 0, UInt32 flags, …, UInt32 count, [Int32 requirement, Int32 witness]
///                                       │                                                         │
///       pointers in data, relocated:    $s9Greetings7GreeterMp                                    $s9Greetings7GreeterP5greetSSyFTq
///                                       │                                                         │
///     library   protocol              UInt32 flags, …, UInt32 count, …, [UInt32 flags, Int32 default or 0]
///
/// Every `Int32` is a pointer relative to its own address. If its lowest bit is set, it leads to a pointer to the descriptor. The layout is
/// that of `TargetProtocolConformanceDescriptor` and `TargetProtocolDescriptor` in swift/ABI/Metadata.h, the same on all machines.
extension ELFFile {
  /// Returns the descriptors of the protocols of other libraries that the library implements, and of the requirements that all its
  /// conformances to such a protocol have a witness for. Cost: reads the relocations and the conformances.
  ///
  /// Omits a conformance with a finished witness table: the protocol's library was built without library evolution, or is this library. Empty
  /// if the file has no section headers, which strip(1) keeps: without them nothing shows where the conformances are.
  ///
  /// - Parameter imports: What `imports(_:)` returns.
  package func implementedDescriptors(_ imports: [Import], _ dynamic: DynamicSection) throws(ReadError) -> Set<String> {
    guard let section = try section(named: Self.conformances), section.size > 0 else { return [] }
    guard section.size <= Self.maximumConformancesSize else {
      throw ReadError("is damaged: its list of conformances is \(section.size) bytes long")
    }
    let symbols = try relocatedPointers(imports, dynamic)
    let list = Part(try bytes.view(at: section.offset, count: Int(section.size)), section.address)
    var witnessed: [String: Set<String>] = [:]
    var work = Work()
    for position in stride(from: 0, through: list.bytes.count - 4, by: 4) {
      try work.add(segmentCount)
      let conformance = try part(at: list.pointer(at: position).target, count: 16)
      let pointer = conformance.pointer(at: 0)
      let hasTable = conformance.bytes.uint32(8) != 0
      guard !hasTable, pointer.isIndirect, let name = symbols[pointer.target] else { continue }
      try work.add(name.utf8.count)
      var requirements: Set<String> = []
      if let witnesses = try witnesses(conformance) {
        for position in stride(from: 0, to: witnesses.bytes.count, by: 8) {
          let pointer = witnesses.pointer(at: position)
          // Without the name of each requirement, one that is implemented would seem to be missing.
          guard pointer.isIndirect, let requirement = symbols[pointer.target] else {
            throw ReadError("is damaged: a conformance to \(name) has a witness for no requirement")
          }
          try work.add(requirement.utf8.count)
          requirements.insert(requirement)
        }
      }
      // Files of the client may have been compiled against several versions of the library.
      witnessed[name] = witnessed[name]?.intersection(requirements) ?? requirements
    }
    return witnessed.values.reduce(into: Set(witnessed.keys)) { $0.formUnion($1) }
  }

  /// Returns the descriptors of requirements without a default, of protocols that a client implements, that the client has no witness for.
  /// Cost: reads all symbols of the library, twice if it has the protocols.
  ///
  /// Requirements are functions, associated types and their constraints, and inherited protocols.
  ///
  /// - Parameter names: What `implementedDescriptors(_:_:)` returns for the client.
  package func unimplementedRequirements(
    of names: some Sequence<String>, _ dynamic: DynamicSection
  ) throws(ReadError) -> [String] {
    let implemented = Set(names)
    guard !implemented.isEmpty else { return [] }
    var protocols: [String: UInt64] = [:]
    try forEachSymbol(dynamic, where: \.isData) { _, symbol, name, _ in
      if name.hasSuffix(Self.protocolDescriptor), implemented.contains(name) { protocols[name] = symbol.address }
    }
    var withoutDefault: Set<UInt64> = []
    var work = Work()
    // They are sorted, so that a damaged file has the same error each time.
    for address in protocols.values.sorted() {
      try work.add(segmentCount)
      let header = try part(at: address, count: 24)
      let count = header.bytes.uint32(16)
      guard count <= Self.maximumRequirements else { throw ReadError("is damaged: a protocol of it has \(count) requirements") }
      let first = header.address(24 + 12 * UInt64(header.bytes.uint32(12)))
      let requirements = try part(at: first, count: 8 * Int(count))
      try work.add(requirements.bytes.count)
      for position in stride(from: 0, to: requirements.bytes.count, by: 8) where requirements.bytes.uint32(position + 4) == 0 {
        withoutDefault.insert(requirements.address(UInt64(position)))
      }
    }
    guard !withoutDefault.isEmpty else { return [] }
    var missing: [String] = []
    try forEachSymbol(dynamic, where: { $0.isData && withoutDefault.contains($0.address) }) { _, _, name, _ in
      if !implemented.contains(name) { missing.append(name) }
    }
    return missing.sorted()
  }

  private static let conformances = "swift5_protocol_conformances"
  private static let protocolDescriptor = "Mp"
  /// The largest libraries have some thousand conformances, with some ten thousand witnesses.
  private static let maximumConformancesSize: UInt64 = 1 << 18
  /// Bounds the time for a damaged file, whose descriptors may all lead to the same long names and lists, through many segments. Counts
  /// segments, and bytes of names and lists. The largest libraries have some megabytes of them.
  private struct Work {
    private var rest = 1 << 24

    mutating func add(_ amount: Int) throws(ReadError) {
      rest -= amount
      guard rest > 0 else { throw ReadError("is damaged: its conformances and protocols overlap") }
    }
  }

  /// Real protocols have some dozen requirements.
  private static let maximumRequirements: UInt32 = 1 << 12
}

// MARK: - Descriptors

extension ELFFile {
  /// Bytes of the file and the address at which they are loaded. A sum that overflows is an address like any other: `offset(of:)` decides
  /// whether the file has it.
  private struct Part {
    let bytes: ByteView
    private let start: UInt64

    init(_ bytes: ByteView, _ start: UInt64) { (self.bytes, self.start) = (bytes, start) }

    func address(_ position: UInt64) -> UInt64 { start &+ position }

    /// Reads a relative pointer, which may lead to another pointer.
    func pointer(at position: Int) -> (target: UInt64, isIndirect: Bool) {
      let distance = UInt64(bitPattern: Int64(Int32(bitPattern: bytes.uint32(position))))
      return (address(UInt64(position)) &+ (distance & ~1), distance & 1 == 1)
    }
  }

  private func part(at address: UInt64, count: Int) throws(ReadError) -> Part {
    guard let offset = offset(of: address) else {
      throw ReadError("is damaged: it has a descriptor at the address \(address), where nothing is loaded")
    }
    return Part(try bytes.view(at: offset, count: count), address)
  }

  /// Returns the pairs of pointers to a requirement and to its witness. Nil for a protocol that had no requirements.
  private func witnesses(_ conformance: Part) throws(ReadError) -> Part? {
    let flags = conformance.bytes.uint32(12)
    guard flags & Self.hasWitnesses != 0 else { return nil }
    // In front of them are the module of a retroactive conformance, and the conditions of a conditional one: requirements and the shapes of packs.
    let skipped = (flags & Self.isRetroactive != 0 ? 4 : 0) + 12 * (flags >> 8 & 0xFF) + 8 * (flags >> 24)
    let start = 16 + UInt64(skipped)
    let count = try part(at: conformance.address(start), count: 4).bytes.uint32(0)
    guard count <= Self.maximumRequirements else { throw ReadError("is damaged: a conformance of it has \(count) witnesses") }
    return try part(at: conformance.address(start + 4), count: 8 * Int(count))
  }

  private static let isRetroactive: UInt32 = 1 << 6
  private static let hasWitnesses: UInt32 = 1 << 16
}
