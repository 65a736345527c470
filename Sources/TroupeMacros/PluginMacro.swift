import SwiftDiagnostics
import SwiftParser
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros
import TroupeManifest

/// Expands `@Plugin(id:name:version:)` on a type to the plugin's C entry and its manifest, an ELF note:
///
/// ```swift
/// @c(troupe_plugin_main) public func …(_ registrar: …) -> … { Troupe.PluginEntry.run(registrar) { Greeting() } }
/// @section(".note.troupe") @used private let note: (…) = (namesz, descsz, type, "Troupe\0", JSON)
/// ```
///
/// The host finds the note in the file, and the entry with `dlsym`.
struct PluginMacro: PeerMacro, ExtensionMacro {
  static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol, in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard
      let type = PluginType(declaration, attribute: node, context: context),
      let manifest = PluginManifest(
        node, typeName: type.plainName, mayHaveActivation: type.mayHaveActivation, context: context)
    else { return [] }
    FactoryIDChecker(context).walk(declaration)
    return [entry(for: type), note(manifest.json, name: context.makeUniqueName("note"))]
  }

  /// Reports a type that does not conform to `Assembly`. The compiler passes conformances only here; the extension that this
  /// returns spares the author an error inside the generated entry.
  static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax, providingExtensionsOf type: some TypeSyntaxProtocol,
    conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
  ) throws -> [ExtensionDeclSyntax] {
    guard !protocols.isEmpty, PluginType.canBePlugin(declaration), context.lexicalContext.isEmpty,
      let named = declaration.asProtocol((any NamedDeclSyntax).self)
    else { return [] }
    context.diagnose(
      PluginDiagnostic.noAssembly(named.name.identifier?.name ?? named.name.text).at(
        named.name,
        fixIts: [
          FixIt.replacement(
            "Conform to 'Assembly'", [FixIt.conformance(to: "Assembly", of: declaration, named: named.name)], in: declaration)
        ]))
    return [try ExtensionDeclSyntax("extension \(type.trimmed): Assembly {}")]
  }

  /// The function that the host calls. The compiler shows its name in the error for a second plugin in the same module:
  /// "invalid redeclaration of '…'".
  private static func entry(for type: PluginType) -> DeclSyntax {
    """
    @c(troupe_plugin_main)
    public func `one library holds one @Plugin: remove this one, or build it as a library of its own`(_ registrar: UnsafePointer<Troupe.PluginEntry.Registrar>) -> Troupe.PluginEntry.Status {
      Troupe.PluginEntry.run(registrar) { \(raw: type.name)() }
    }
    """
  }

  /// The ELF note as its bytes in the file. Its name is unique, so that of two plugins only the entry is declared twice.
  private static func note(_ json: String, name variable: TokenSyntax) -> DeclSyntax {
    var content = Array(json.utf8)
    // Spaces after the JSON fill the last word, since notes are aligned to four bytes.
    while !content.count.isMultiple(of: 4) { content.append(UInt8(ascii: " ")) }
    let parts = [Array(NoteLayout.name.utf8) + [0, 0]] + pieces(of: content)
    let types = parts.map { "InlineArray<\($0.count), UInt8>" }.joined(separator: ", ")
    let values = parts.map { "[" + $0.map(String.init).joined(separator: ", ") + "]" }.joined(separator: ", ")
    return """
      @section("\(raw: NoteLayout.section)") @used
      private let \(variable): (UInt32, UInt32, UInt32, \(raw: types)) =
        (\(raw: NoteLayout.name.utf8.count + 1), \(raw: content.count), \(raw: NoteLayout.type), \(raw: values))
      """
  }

  /// Divides bytes into pieces of at most 4,096, the longest constant array that the compiler accepts.
  private static func pieces(of bytes: [UInt8]) -> [[UInt8]] {
    stride(from: 0, to: bytes.count, by: 4096).map { Array(bytes[$0..<min($0 + 4096, bytes.count)]) }
  }
}

/// Reports ids of factories that are no UUIDs where `register(in:)` has them as string literals:
/// `registrar.register(id: "grep", name: …)`. The host refuses the others when the plugin registers them.
private final class FactoryIDChecker: SyntaxVisitor {
  private let context: any MacroExpansionContext

  init(_ context: some MacroExpansionContext) {
    self.context = context
    super.init(viewMode: .sourceAccurate)
  }

  override func visit(_ function: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
    let parameters = function.signature.parameterClause.parameters
    return function.name.text == "register" && parameters.map(\.firstName.text) == ["in"] ? .visitChildren : .skipChildren
  }

  override func visit(_ call: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
    guard call.calledExpression.as(MemberAccessExprSyntax.self)?.declName.baseName.text == "register",
      call.arguments.contains(where: { $0.label?.text == "name" }),
      let literal = call.arguments.first(where: { $0.label?.text == "id" })?.expression.as(StringLiteralExprSyntax.self),
      let id = literal.representedLiteralValue, id.wholeMatch(of: /[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}/) == nil
    else { return .visitChildren }
    context.diagnose(PluginDiagnostic.noUUID(id).at(literal))
    return .visitChildren
  }
}
