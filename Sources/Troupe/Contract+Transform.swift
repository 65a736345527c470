internal import CTroupe

extension Contract {
  /// `troupe.transform/1`, the streaming stage: `troupe_transform` in C, `any Transform` in Swift.
  public static let transform = Contract(
    TROUPE_CONTRACT_TRANSFORM, (any Transform).self, minimumTableSize: MemoryLayout<CTransform>.size,
    checkTable: { table in
      // The table is C's and may hold NULL where the header says it does not, so the functions are read as plain words.
      for member in [\CTransform.feed as PartialKeyPath<CTransform>, \CTransform.finish] {
        guard let offset = MemoryLayout<CTransform>.offset(of: member) else { continue }
        if table.load(fromByteOffset: offset, as: UInt.self) == 0 {
          return "vtable has NULL for \(member == \CTransform.feed ? "feed" : "finish")"
        }
      }
      return nil
    },
    export: { ExportedTransform.export($0) },
    adopt: { try ForeignTransform($0) })
}
