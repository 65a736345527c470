/// The settings of a host that decide which plugin files are admitted.
package struct AdmissionRules: Sendable {
  /// The allowed content hashes; nil disables pinning.
  package var pins: Pins?
  /// The configurations by plugin id.
  package var configuration: [String: [String: String]] = [:]
  /// Whether every plugin is opened soon, so that all images are checked for Swift code.
  package var opensAll = false
  /// The largest size of a file in bytes.
  package var maximumFileSize = 1 << 30
  /// Whether to reject libraries with relocations in their code. The check reads each file once more; in a host that probes, the probe
  /// does it instead.
  package var checksRelocations = false

  package init() {}
}
