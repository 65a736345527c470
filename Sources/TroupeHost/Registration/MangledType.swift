internal import TroupeSandbox

/// A type by its mangled name, which comes from a worker, a probe or the cache, and may be forged.
///
/// The runtime's `_typeByName` is made for names from a compiler: `$3_` crashes it. So the runtime gets only names of the
/// plainest form, which `MangledNameReader` has read to their end: a struct, enum, class or protocol of a module, or one within
/// these.
///
///     5Chart6ColumnV      struct Column of the module Chart
///     5Chart6Column_p     any Column
///     SaySSG              [String]
///     5Chart6ColumnVSg    Column?
///
/// Arrays and optionals of such types are made here, without the runtime's demangler.
struct MangledType {
  /// Nil for a private type, and for a type that no image of this process defines.
  let type: (any Any.Type)?

  /// Nil for a name of another form, such as that of a generic type. This process may know the type nevertheless.
  init?(_ name: String) { self.init(name[...], depth: 0) }

  private init?(_ name: Substring, depth: Int) {
    if name.hasPrefix("Say"), name.hasSuffix("G"), depth < Self.maximumDepth {
      guard let element = MangledType(name.dropFirst(3).dropLast(), depth: depth + 1) else { return nil }
      type = if let element = element.type { Self.array(of: element) } else { nil }
    } else if name.hasSuffix("Sg"), depth < Self.maximumDepth {
      guard let wrapped = MangledType(name.dropLast(2), depth: depth + 1) else { return nil }
      type = if let wrapped = wrapped.type { Self.optional(of: wrapped) } else { nil }
    } else if name.contains("$") {
      // A private type. Its name has the address of its context in the process of the plugin.
      type = nil
    } else {
      guard Self.isPlain(String(name)) else { return nil }
      type = _typeByName(String(name))
    }
  }

  private static let maximumDepth = 4

  private static func array<Element>(of type: Element.Type) -> any Any.Type { Array<Element>.self }
  private static func optional<Wrapped>(of type: Wrapped.Type) -> any Any.Type { Optional<Wrapped>.self }

  /// Whether the name is that of a type without generic arguments: `S` and a letter for a type of the standard library, or a
  /// module with the names and kinds of the types in it.
  private static func isPlain(_ name: String) -> Bool {
    guard var reader = MangledNameReader(name) else { return false }
    if reader.skip("S") { return reader.skip(oneOf: "bdfiJSsuVvO") != nil && reader.isAtEnd }
    guard reader.skip("s") || reader.identifier() != nil else { return false }
    for _ in 0..<16 {
      // `AA` is the name of the module again.
      guard reader.skip("AA") || reader.identifier() != nil else { return false }
      if reader.skip("_p") { return reader.isAtEnd }
      guard reader.skip(oneOf: "VCO") != nil else { return false }
      if reader.isAtEnd { return true }
    }
    return false
  }
}
