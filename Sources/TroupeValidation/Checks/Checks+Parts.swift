extension Checks {
  /// Checks each part of the plugin. Returns the first fault. Throws `NotApplicable` if the check applies to no part.
  ///
  /// - Parameter name: Returns the name of a part for messages, such as `its function sum`.
  static func checkEach<Part>(
    _ parts: [Part], _ subject: CheckedFile, name: (Part) -> String, _ body: (Part) throws -> Finding
  ) throws -> Finding {
    subject.divideTime(among: parts.count)
    var (applies, reason) = (false, NotApplicable?.none)
    for part in parts {
      let name = name(part)
      subject.begin("in \(name)")
      do {
        if case .fault(let problem, let remedy) = try body(part) { return .fault("\(name) \(problem)", remedy: remedy) }
        applies = true
      } catch let error as NotApplicable {
        reason = error
      }
    }
    if let reason, !applies { throw reason }
    return .passed
  }
}
