internal import CSandbox

/// The names of signals.
package enum SignalName {
  /// The name of a signal, such as `SIGSEGV`; `SIGRTMIN+2` for one without a name.
  package static func of(_ signal: Int32) -> String {
    if let name = troupe_probe_signal_name(signal) { return "SIG" + String(cString: name) }
    return signal >= 34 ? "SIGRTMIN+\(signal - 34)" : "signal \(signal)"
  }
}
