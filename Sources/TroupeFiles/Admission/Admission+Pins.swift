extension Admission {
  /// Throws if the content of a file is not pinned for the plugin. Reads the whole file; does nothing without pins.
  func checkPin(_ path: String, _ id: String, _ bytes: any ByteSource) throws {
    guard let pins = rules.pins else { return }
    if let fault = pins.fault(try ContentHash(of: bytes), of: id) { throw fault.of(path) }
  }
}
