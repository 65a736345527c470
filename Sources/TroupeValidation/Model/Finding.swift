/// The answer of a check that applies to the plugin.
package enum Finding {
  case passed
  /// The plugin has a fault: the problem, as the end of a sentence that begins with the plugin, and the remedy.
  case fault(String, remedy: String)
  /// The plugin has a peculiarity that is no fault.
  case warning(String, remedy: String)

  /// Returns `.passed`, or a fault.
  package static func expect(_ isGood: Bool, _ problem: @autoclosure () -> String, remedy: @autoclosure () -> String) -> Finding
  {
    isGood ? .passed : .fault(problem(), remedy: remedy())
  }
}

/// The error of a check that does not apply to the plugin, and so is skipped.
package struct NotApplicable: Error, CustomStringConvertible {
  /// A sentence about the plugin.
  package let reason: String
  package var description: String { reason }

  package init(_ reason: String) { self.reason = reason }
}
