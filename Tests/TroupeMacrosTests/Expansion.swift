import SwiftDiagnostics
import SwiftIfConfig
import SwiftParser
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros

/// The expansion of `@Resolvable` in a source, as the compiler performs it.
struct Expansion {
  /// A diagnostic of the macro.
  struct Diagnostic {
    let line, column: Int
    let message: String
    /// The fix-its, each with the source after its change.
    let fixIts: [(message: String, fixed: String)]
  }

  /// The expanded source.
  let source: String
  let diagnostics: [Diagnostic]

  /// - Parameter missing: The protocols of the macro to which the types do not already conform.
  init(of source: String, missing: [String] = ["Resolvable", "DependencyListing"]) {
    let file = Parser.parse(source: source)
    let configuration = StaticBuildConfiguration(
      customConditions: ["ACTIVE"], languageVersion: VersionTuple(6), compilerVersion: VersionTuple(6, 3))
    let context = BasicMacroExpansionContext(
      sourceFiles: [file: .init(moduleName: "Example", fullFilePath: "Example.swift")], buildConfiguration: configuration)
    let protocols = missing.map { TypeSyntax("\(raw: $0)") }
    let expanded = file.expand(
      macroSpecs: [
        "Resolvable": MacroSpec(type: ResolvableMacro.self, conformances: protocols),
        "ResolvableInitializer": MacroSpec(type: ResolvableInitializerMacro.self),
      ],
      contextGenerator: { BasicMacroExpansionContext(sharingWith: context, lexicalContext: $0.allMacroLexicalContexts()) },
      indentationWidth: .spaces(2))
    self.source = expanded.description
    func location(_ position: AbsolutePosition, _ node: Syntax) -> SourceLocation {
      context.location(for: position, anchoredAt: node, fileName: "Example.swift")
    }
    diagnostics = context.diagnostics.map { diagnostic in
      let place = location(diagnostic.position, diagnostic.node)
      let fixIts = diagnostic.fixIts.map { fixIt in
        let edits = fixIt.changes.map { change -> (Range<Int>, String) in
          guard case .replaceText(let range, let text, let node) = change else { fatalError("\(change)") }
          return (location(range.lowerBound, node).offset..<location(range.upperBound, node).offset, text)
        }
        var text = Array(source.utf8)
        for (range, new) in edits.sorted(by: { $0.0.lowerBound > $1.0.lowerBound }) {
          text.replaceSubrange(range, with: new.utf8)
        }
        return (fixIt.message.message, String(decoding: text, as: UTF8.self))
      }
      return Diagnostic(line: place.line, column: place.column, message: diagnostic.message, fixIts: fixIts)
    }
  }
}
