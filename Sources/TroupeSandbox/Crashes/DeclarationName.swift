/// Names the declaration that a symbol of a library belongs to, for messages about symbols that are missing.
///
/// Swift exports several symbols for one declaration: a requirement of a protocol has a descriptor and a dispatch thunk, a type has a
/// descriptor, metadata and an accessor. All of them have the declaration's name:
///
///     $s9Greetings7GreeterP5greetyS2SFTq     Greetings.Greeter.greet(_:)     method descriptor
///     $s9Greetings7GreeterP5greetyS2SFTj     Greetings.Greeter.greet(_:)     dispatch thunk
///     $s9Greetings5StyleVMa                  Greetings.Style                 metadata accessor
///
/// The labels are those of the mangled name. It has no list of them if no parameter has a label; several such parameters are `(…)`, since only
/// a parser of types could count them. `MangledNameReader` says why no demangler of a runtime reads the name.
package struct DeclarationName: Hashable, Sendable, CustomStringConvertible {
  package let description: String
  /// The Swift module that declares it. Nil for another language, and for a name that cannot be read.
  package let module: String?

  /// True for a conformance. `module` is that of the type, and any module may declare it.
  package var isConformance: Bool { module != nil && description.hasPrefix(Self.conformance) }

  private static let conformance = "a conformance of "

  package init(of symbol: String) {
    let swift = MangledNameReader(symbol, prefix: "$s").flatMap { Self.read($0, Array(symbol.utf8)) }
    let name = swift?.name ?? SymbolName.readable(symbol)
    description = name.count > Self.maximumLength ? name.prefix(Self.maximumLength) + "…" : name
    module = swift?.module
  }

  private static let maximumLength = 120

  private static func read(_ start: MangledNameReader, _ symbol: [UInt8]) -> (name: String, module: String)? {
    var reader = start
    // The descriptor of an associated type begins with the name of that.
    let associatedType = reader.hasSuffix("Tl") ? reader.identifier() : nil
    guard let first = reader.module() else { return nil }
    var (module, path) = (first, [first])
    var member: String?
    while member == nil, let name = reader.skip("AA") ? first : reader.identifier() {
      if reader.skip("E") {
        module = name
        continue
      }
      reader.skipDiscriminator()
      if reader.skip(oneOf: "VCOP") != nil { path.append(name) } else { member = name }
    }
    let container = path.joined(separator: ".")
    if let associatedType {
      return ("\(container).\(member.map { "\($0)." } ?? "")\(associatedType)", module)
    }
    let rest = symbol[reader.position...].withoutSuffix(of: ["TjTu", "TqTu", "Tj", "Tq", "Tu"])
    // A conformance begins with the type, and goes on with the protocol.
    if rest.ends(in: ["WP", "Mc", "Wl", "WL"]) { return (conformance + container, module) }
    if rest.ends(in: ["Tb"]) { return ("the protocols that \(container) inherits", module) }
    if rest.ends(in: ["Tn"]) { return ("the constraints of \(container)\(member.map { ".\($0)" } ?? "")", module) }
    if rest.ends(in: ["ig", "is", "iM", "ipMV"]) { return (container + ".subscript", module) }
    if rest.ends(in: ["fD", "fd"]) { return (container + ".deinit", module) }
    if rest.ends(in: ["fC", "fc"]) {
      // The name in front of the types is the first label.
      let parameters = parameters(
        member.map { [$0] } ?? [], reader, rest.dropLast(2).withoutSuffix(of: ["YaKc", "Yac", "Kc", "c"]))
      return ("\(container).init\(parameters)", module)
    }
    guard let member else { return path.count > 1 ? (container, module) : nil }
    // The mangled name of an operator spells its characters as letters, so it would read as another function.
    if reader.next == UInt8(ascii: "o") { return ("an operator of \(container)", module) }
    let name = "\(container).\(member)"
    let signature = rest.withoutSuffix(of: ["YaKFZ", "YaFZ", "KFZ", "FZ", "YaKF", "YaF", "KF", "F"])
    return (signature.count < rest.count ? name + parameters([], reader, signature) : name, module)
  }

  /// Returns the labels of a function.
  ///
  /// - Parameters:
  ///   - first: The labels that have been read.
  ///   - start: Behind these labels.
  ///   - signature: The rest of the name up to the end of the type.
  private static func parameters(
    _ first: [String], _ start: MangledNameReader, _ signature: ArraySlice<UInt8>
  ) -> String {
    // An empty list of types is the last part. A list of labels without one is empty, too, but is not the last part.
    if first.isEmpty, signature.last == UInt8(ascii: "y") { return "()" }
    var (reader, labels) = (start, first)
    while let label = reader.skip("_") ? "_" : reader.identifier() { labels.append(label) }
    // These are a module and a type of it: the type of the result.
    if let next = reader.next, "VCOPa".utf8.contains(next) { labels = labels.dropLast(2) }
    guard labels.isEmpty else { return "(\(labels.map { "\($0):" }.joined()))" }
    return signature.last.map { "tl".utf8.contains($0) } ?? true ? "(…)" : "(_:)"
  }
}

extension ArraySlice<UInt8> {
  fileprivate func ends(in suffixes: [String]) -> Bool { suffixes.contains { suffix($0.utf8.count).elementsEqual($0.utf8) } }

  /// The bytes without the first of some suffixes that they have.
  fileprivate func withoutSuffix(of suffixes: [String]) -> ArraySlice<UInt8> {
    dropLast(suffixes.first { ends(in: [$0]) }?.utf8.count ?? 0)
  }
}
