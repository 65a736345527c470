internal import CTroupe

extension Contract {
  /// `troupe.transform/1`, the streaming stage: `troupe_transform` in C, `any Transform` in Swift.
  public static let transform = Contract(
    TROUPE_CONTRACT_TRANSFORM, (any Transform).self, minimumTableSize: MemoryLayout<CTransform>.size,
    checkTable: { table in
      let table = table.load(as: CTransform.self)
      if table.feed == nil { return "vtable has NULL for feed" }
      if table.finish == nil { return "vtable has NULL for finish" }
      return nil
    },
    export: { ExportedTransform.export($0) },
    adopt: { try ForeignTransform($0) })
}
