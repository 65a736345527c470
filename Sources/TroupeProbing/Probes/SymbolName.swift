internal import Glibc

/// Demangles the names of functions.
enum SymbolName {
  /// The demangled name of a Swift or C++ symbol, or the symbol itself.
  static func readable(_ symbol: String) -> String { swift(symbol) ?? plusPlus(symbol) ?? symbol }

  /// `swift_demangle` of the Swift runtime: the symbol, its length, a buffer and its size, flags. Returns memory of malloc, or NULL for
  /// another symbol.
  private typealias SwiftDemangler =
    @convention(c) (
      UnsafePointer<CChar>, Int, UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<Int>?, UInt32
    ) -> UnsafeMutablePointer<CChar>?

  private static func swift(_ symbol: String) -> String? {
    guard symbol.hasPrefix("$s"), let address = dlsym(nil, "swift_demangle") else { return nil }
    let demangle = unsafeBitCast(address, to: SwiftDemangler.self)
    return text(symbol.withCString { demangle($0, strlen($0), nil, nil, 0) })
  }

  /// `__cxa_demangle` of the Itanium C++ ABI: the symbol, a buffer and its size, the status. Returns memory of malloc, or NULL for
  /// another symbol.
  private typealias PlusPlusDemangler =
    @convention(c) (
      UnsafePointer<CChar>, UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<Int>?, UnsafeMutablePointer<CInt>?
    ) -> UnsafeMutablePointer<CChar>?

  private static func plusPlus(_ symbol: String) -> String? {
    guard symbol.hasPrefix("_Z"), let address = dlsym(nil, "__cxa_demangle") else { return nil }
    let demangle = unsafeBitCast(address, to: PlusPlusDemangler.self)
    return text(demangle(symbol, nil, nil, nil))
  }

  private static func text(_ memory: UnsafeMutablePointer<CChar>?) -> String? {
    defer { free(memory) }
    return memory.map { String(cString: $0) }
  }
}
