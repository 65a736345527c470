/// Where code lies in this process, read when somebody asks, and again if something is not there, since it may have been loaded
/// meanwhile.
struct CodeAddresses {
  private var known: [Range<UInt>] = []

  init() {}

  /// Whether there is code at an address, which may be called. Also true where the system does not say what is mapped.
  mutating func contains(_ address: UnsafeRawPointer) -> Bool {
    if isKnown(address) { return true }
    known = LoadedFile.executableAddresses()
    return known.isEmpty || isKnown(address)
  }

  private func isKnown(_ address: UnsafeRawPointer) -> Bool {
    known.contains { $0.contains(UInt(bitPattern: address)) }
  }
}
