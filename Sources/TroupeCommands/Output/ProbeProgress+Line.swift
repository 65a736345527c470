internal import TroupeHost

extension ProbeProgress {
  /// One line for a person who waits, such as `trying new plugins: 1 of 3 done, waiting up to 10 s for org.example.a and 1
  /// more`. What counts most is in front, since a narrow terminal cuts the rest off.
  var line: String {
    let start = "trying new plugins: \(done) of \(count) done"
    guard let first = running.first else { return start }
    let others = running.count > 1 ? " and \(running.count - 1) more" : ""
    return "\(start), waiting up to \(seconds) s for \(first)\(others)"
  }

  /// The deadline, without a fraction where there is none.
  private var seconds: String {
    let seconds = deadline / .seconds(1)
    return seconds == seconds.rounded() && seconds < 1e6 ? "\(Int(seconds))" : "\(seconds)"
  }
}
