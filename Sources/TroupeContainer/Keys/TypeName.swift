/// Returns the name of a type with its module, the same in each run.
///
/// The runtime names the contexts of private and local types by their addresses:
///
///     String(reflecting:)                                  typeName                       declared as
///     Example.(unknown context at $7f3a).Car               Example.(Car)                  private struct Car
///     Example.(unknown context at $7f3a).Shed<A>.Door      Example.(Shed)<A>.Door         private struct Shed<T> { struct Door }
///     Example.(unknown …).(unknown …).Car                  Example.(Car)                  struct Car in a function
///
/// So two private types of different files may have one name.
package func typeName(_ type: any Any.Type) -> String { String(reflecting: type).withoutAddresses }

extension String {
  /// The text of a type or a value, as `typeName` writes the types in it.
  var withoutAddresses: String {
    let parts = split(separator: "(unknown context at $", omittingEmptySubsequences: false)
    return parts.dropFirst().reduce(into: String(parts[0])) { text, part in
      // The address, ")." and, unless another context follows, the name of the type.
      let rest = part.drop { $0 != "." }.dropFirst()
      guard let first = rest.first else { return }
      let end =
        first == "`"
        ? rest.dropFirst().firstIndex(of: "`").map(rest.index(after:)) : rest.firstIndex { ".<>,() ".contains($0) }
      text += "(\(rest[..<(end ?? rest.endIndex)]))\(rest[(end ?? rest.endIndex)...])"
    }
  }
}
