package import CTroupe

extension Contract {
  /// `troupe.transform/1`, the streaming stage: `troupe_transform` in C, `any Transform` in Swift.
  public static let transform = Contract(
    TROUPE_CONTRACT_TRANSFORM, (any Transform).self, tableStruct: .transform,
    checkTable: { table in
      guard let table = CTransform(copying: table) else { return "vtable has a struct_size that is too small" }
      if table.feed == nil { return "vtable has NULL for feed" }
      if table.finish == nil { return "vtable has NULL for finish" }
      return nil
    },
    export: { ExportedTransform.export($0) },
    adopt: { try ForeignTransform($0) })
}

extension CTransform {
  /// Copies the table of a plugin built for any minor version of the ABI. Returns nil if it is smaller than in the first version.
  package init?(copying table: UnsafeRawPointer) {
    guard let copy = ABIStruct.transform.copy(table, as: CTransform.self, minor: 0) else { return nil }
    self = copy
  }
}
