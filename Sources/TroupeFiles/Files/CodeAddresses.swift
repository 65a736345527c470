/// The addresses of code in this process. Reads them at the first lookup, and again if a lookup fails, since code may have been loaded
/// meanwhile.
package struct CodeAddresses {
  private var known: [Range<UInt>] = []

  package init() {}

  /// Returns whether there is code at an address, which may be called. Also true if the system does not list the mappings.
  package mutating func contains(_ address: UnsafeRawPointer) -> Bool {
    if isKnown(address) { return true }
    known = MemoryMap.executableAddresses()
    return known.isEmpty || isKnown(address)
  }

  private func isKnown(_ address: UnsafeRawPointer) -> Bool {
    known.contains { $0.contains(UInt(bitPattern: address)) }
  }
}
