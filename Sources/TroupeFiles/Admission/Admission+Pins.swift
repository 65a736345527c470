extension Admission {
  /// Throws if the content of a file is not pinned for the plugin. Reads the whole file; does nothing without pins.
  ///
  /// - Parameter plugin: The plugin's file, if it is another one, which adopts this one.
  func checkPin(_ path: String, _ id: String, _ bytes: any ByteSource, plugin: String? = nil) throws {
    guard let pins = rules.pins else { return }
    if let fault = pins.fault(try ContentHash(of: bytes), of: id, path: plugin ?? path) { throw fault.of(path) }
  }
}
