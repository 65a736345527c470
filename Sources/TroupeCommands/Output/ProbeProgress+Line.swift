internal import TroupeHost

extension ProbeProgress {
  /// One line such as `probing new plugins: 1 of 3 done, waiting for org.example.a and 1 more (up to 10 s of processor time)`. A
  /// narrow terminal cuts off its end.
  var line: String {
    let start = "probing new plugins: \(done) of \(count) done"
    guard let first = running.first else { return start }
    let others = running.count > 1 ? " and \(running.count - 1) more" : ""
    return "\(start), waiting for \(first)\(others) (up to \(seconds) s of processor time)"
  }

  /// The deadline, without a fraction if it is whole.
  private var seconds: String {
    let seconds = deadline / .seconds(1)
    return seconds == seconds.rounded() && seconds < 1e6 ? "\(Int(seconds))" : "\(seconds)"
  }
}
