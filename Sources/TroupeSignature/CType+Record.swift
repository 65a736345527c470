extension CType {
  /// A C `struct` or `union`, with its layout in memory.
  public struct Record: Sendable, Hashable {
    /// Which of the two it is.
    public enum RecordKind: String, Sendable, Hashable {
      /// Its members lie behind each other.
      case structure = "struct"
      /// Its members share their memory.
      case union
    }

    /// A member.
    public struct Member: Sendable, Hashable {
      /// The name, a C identifier; empty for an anonymous struct or union, whose members are used as if they were the record's own.
      public let name: String
      /// The type; `array` for an array.
      public let type: CType
      /// Where it begins, in bytes from the record's start.
      public let offset: Int
    }

    /// Struct or union.
    public let kind: RecordKind
    /// The tag behind `struct` or `union`, or nil if it has none.
    public internal(set) var name: String?
    /// The members, at least one.
    public let members: [Member]
    /// Whether members follow each other without gaps, so that their alignment is 1.
    public let isPacked: Bool
    /// The size in bytes, padding included; at most ``maximumSize``.
    public let size: Int
    /// The alignment in bytes.
    public let alignment: Int
    /// How deeply records, arrays and callbacks lie within each other in it, itself included. Kept, as the size is, because types
    /// that are mentioned by their tags many times would be counted many times.
    let depth: Int
    /// How many types it consists of, itself included.
    let weight: Int

    /// The size that a record may have at most, in bytes.
    public static let maximumSize = 65536

    /// Lays out members as C does on every machine that Swift for Linux runs on: each at the next multiple of its alignment,
    /// the whole a multiple of the greatest. Nil if the size exceeds the maximum.
    init?(kind: RecordKind, name: String?, members: [(name: String, type: CType)], isPacked: Bool) {
      var (end, alignment) = (0, 1)
      var placed: [Member] = []
      for member in members {
        let own = isPacked ? 1 : member.type.alignment
        let offset = kind == .union ? 0 : end.roundedUp(to: own)
        placed.append(Member(name: member.name, type: member.type, offset: offset))
        // Neither can overflow: a type's size is limited as the record's is.
        end = max(end, offset + member.type.size)
        alignment = max(alignment, own)
        if end > Self.maximumSize { return nil }
      }
      (self.kind, self.name, self.isPacked, self.members, self.alignment) = (kind, name, isPacked, placed, alignment)
      size = end.roundedUp(to: alignment)
      depth = 1 + (members.lazy.map(\.type.depth).max() ?? 0)
      // Cannot overflow either: the parser refuses a type before it is made a part of so many others.
      weight = members.reduce(1) { $0 + $1.type.weight }
    }

    /// The names of the members, those of anonymous members among them.
    package var memberNames: [String] {
      members.flatMap { member -> [String] in
        if member.name.isEmpty, case .record(let record) = member.type { return record.memberNames }
        return [member.name]
      }
    }
  }
}
