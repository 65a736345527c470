/// A check of a plugin.
package typealias PluginCheck = Check<CheckedFile>

/// The table of all checks.
package enum Checks {
  /// All checks, group by group. A check follows the checks that it needs.
  package static let all: [PluginCheck] =
    file + libraries + load + state + unload + registrations + instances + transforms + functions

  /// The name of the check whose arguments come from a seed.
  package static let generatedCalls = "function-generated"

  /// Returns the check with a name, or nil.
  package static func named(_ name: String) -> PluginCheck? { all.first { $0.name == name } }
}

extension PluginCheck {
  /// Whether it is the first check of its group in the table.
  var isFirstOfGroup: Bool { Checks.all.first { $0.group == group }?.name == name }
}
