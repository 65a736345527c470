@_spi(PluginMessage) import SwiftCompilerPluginMessageHandling
import SwiftSyntaxMacros

/// The program that the compiler runs to expand Troupe's macros.
///
/// The toolchain's SwiftSyntax lacks the module that usually provides this entry point.
@main
struct CompilerPlugin: PluginProvider {
  /// The error for a macro that this tool does not have: library and tool are of different releases.
  private struct UnknownMacro: Error, CustomStringConvertible {
    let name: String
    var description: String { "this release of Troupe has no macro \(name)" }
  }

  func resolveMacro(moduleName: String, typeName: String) throws -> any Macro.Type {
    switch typeName {
    case "PluginMacro": return PluginMacro.self
    case "ResolvableMacro": return ResolvableMacro.self
    case "ResolvableInitializerMacro": return ResolvableInitializerMacro.self
    default: throw UnknownMacro(name: typeName)
    }
  }

  static func main() throws {
    let connection = try StandardIOMessageConnection()
    try CompilerPluginMessageListener(connection: connection, provider: Self()).main()
  }
}
