internal import Glibc

/// The names of functions as the source has them.
enum SymbolName {
  /// The name behind a symbol of Swift or C++; any other symbol is a name.
  static func readable(_ symbol: String) -> String { swift(symbol) ?? plusPlus(symbol) ?? symbol }

  /// `swift_demangle` of the Swift runtime: the text, its length, a place for the result and its size, flags. Gives memory of
  /// malloc, or NULL for what is no symbol of Swift.
  private typealias SwiftDemangler =
    @convention(c) (
      UnsafePointer<CChar>, Int, UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<Int>?, UInt32
    ) -> UnsafeMutablePointer<CChar>?

  private static func swift(_ symbol: String) -> String? {
    guard symbol.hasPrefix("$s"), let address = dlsym(nil, "swift_demangle") else { return nil }
    let demangle = unsafeBitCast(address, to: SwiftDemangler.self)
    return text(symbol.withCString { demangle($0, strlen($0), nil, nil, 0) })
  }

  /// `__cxa_demangle` of the Itanium C++ ABI: the text, a place for the result and its size, how it went. Gives memory of
  /// malloc, or NULL for what is no symbol of C++.
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
