/// The table of all checks. Each group is an extension in a file of its own: `Checks+Load` has `load-open`, `load-time` and so on.
package enum Checks {
  /// A check follows the checks that it needs.
  package static let all: [Check] =
    file + libraries + load + state + unload + registrations + instances + transforms + functions

  /// The name of the check whose arguments come from a seed.
  package static let generatedCalls = "function-generated"
  /// The name of the check that opens the plugin alone. The other checks that load the plugin need it.
  static let opening = "load-open"
  /// The name of the check that activates the plugin. The checks of instances and functions need it.
  static let activation = "load-activation"
  /// The name of the check that opens the plugin beside those that `opening` has opened.
  static let openingWithOthers = "load-with-others"

  static func named(_ name: String) -> Check? { all.first { $0.name == name } }
}

extension Check {
  var isFirstOfGroup: Bool { Checks.all.first { $0.group == group }?.name == name }
}

extension Checks {
  /// Checks each part of the plugin. Returns the first fault. Throws `NotApplicable` if the check applies to no part.
  ///
  /// - Parameter name: Returns the name of a part for messages, such as `its function sum`.
  static func checkEach<Part>(
    _ parts: [Part], _ subject: CheckedFile, name: (Part) -> String, _ body: (Part) throws -> CheckResult
  ) throws -> CheckResult {
    subject.divideTime(among: parts.count)
    var (applies, reason) = (false, NotApplicable?.none)
    for part in parts {
      let name = name(part)
      subject.begin("in \(name)")
      do {
        let result = try body(part)
        if result.verdict == .failed { return .problem("\(name) \(result.message)", remedy: result.remedy) }
        applies = true
      } catch let error as NotApplicable {
        reason = error
      }
    }
    if let reason, !applies { throw reason }
    return .passed
  }
}
