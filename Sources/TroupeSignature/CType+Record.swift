extension CType {
  /// A C `struct` or `union` with its layout in memory.
  public struct Record: Sendable, Hashable {
    /// How members share the memory.
    public enum RecordKind: String, Sendable, Hashable {
      /// Its members lie behind each other.
      case structure = "struct"
      /// Its members share their memory.
      case union
    }

    /// A member.
    public struct Member: Sendable, Hashable {
      /// A C identifier. Empty for an anonymous record, whose members are used as if they were members of the outer record.
      public let name: String
      /// The type, also an array or a flexible array.
      public fileprivate(set) var type: CType
      /// In bytes from the start of the record.
      public let offset: Int
      /// A pointer that is never NULL: the declaration has `_Nonnull` behind the star.
      public let isNonnull: Bool
    }

    /// A member that has no place yet.
    struct Declaration {
      let name: String
      var type: CType
      var isNonnull = false
    }

    /// Struct or union.
    public let kind: RecordKind
    /// The tag; nil for a record without one.
    public internal(set) var name: String?
    /// At least one.
    public private(set) var members: [Member]
    /// Members follow each other without gaps, with an alignment of 1.
    public let isPacked: Bool
    /// In bytes with padding, at most ``maximumSize``.
    public let size: Int
    /// In bytes.
    public let alignment: Int
    /// Stored, as the size is, since a type that many others refer to by its tag would be counted many times.
    let depth: Int
    let typeCount: Int
    let hasReferences: Bool

    /// In bytes.
    public static let maximumSize = 65536

    /// Lays out members as C does: each begins at the next multiple of its alignment, and the size is a multiple of the greatest alignment.
    /// Returns nil if the size exceeds the maximum.
    init?(kind: RecordKind, name: String?, members: [Declaration], isPacked: Bool) {
      var (end, alignment) = (0, 1)
      var placed: [Member] = []
      for member in members {
        let own = isPacked ? 1 : member.type.alignment
        let offset = kind == .union ? 0 : end.roundedUp(to: own)
        placed.append(Member(name: member.name, type: member.type, offset: offset, isNonnull: member.isNonnull))
        // Cannot overflow, since the size of every type has the same limit.
        end = max(end, offset + member.type.size)
        alignment = max(alignment, own)
        if end > Self.maximumSize { return nil }
      }
      (self.kind, self.name, self.isPacked, self.members, self.alignment) = (kind, name, isPacked, placed, alignment)
      size = end.roundedUp(to: alignment)
      depth = 1 + (members.lazy.map(\.type.depth).max() ?? 0)
      // Cannot overflow, since the parser limits the count of each type.
      typeCount = members.reduce(1) { $0 + $1.type.typeCount }
      hasReferences = members.contains { $0.type.hasReferences }
    }

    /// The same record, whose references find their structs in a table.
    func referring(to definitions: Definitions?) -> Record {
      guard hasReferences else { return self }
      var record = self
      for index in members.indices { record.members[index].type = members[index].type.referring(to: definitions) }
      return record
    }

    /// The definition with references spelled as their tags, for a comparison.
    var definition: String {
      var printer = SignaturePrinter()
      printer.omitsDefinitions = true
      return printer.body(self)
    }

    /// Includes the members of anonymous members.
    package var memberNames: [String] {
      members.flatMap { member -> [String] in
        if member.name.isEmpty, case .record(let record) = member.type { return record.memberNames }
        return [member.name]
      }
    }
  }
}
