@_spi(PluginMessage) import SwiftCompilerPluginMessageHandling
import SwiftSyntaxMacros

/// The program that the compiler starts to expand Troupe's macros.
///
/// The toolchain's SwiftSyntax comes without the module that usually writes this entry point.
@main
struct CompilerPlugin: PluginProvider {
  /// A macro that the compiler asks for and that is not here: library and tool are of different releases.
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
