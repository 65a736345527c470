extension Admission {
  /// Refuses a file whose content is none of those that are pinned for the plugin; accepts any where there are no pins. Reads the
  /// whole file.
  func checkPin(_ path: String, _ id: String, _ bytes: any ByteSource) throws {
    guard let pins else { return }
    if let fault = pins.fault(try ContentHash(of: bytes), of: id) {
      throw PluginFault(path: path, code: .unpinned, problem: fault.problem, remedy: fault.remedy)
    }
  }
}
