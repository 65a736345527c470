internal import CTroupe

/// Why a registration is refused: the status for the plugin and a sentence for a person.
struct RegistrationError: Error {
  let status: troupe_status
  let message: String

  private init(_ status: Int, _ message: String) {
    self.status = troupe_status(status)
    self.message = message
  }

  static func argument(_ message: String) -> Self { Self(Int(TROUPE_INVALID_ARGUMENT), message) }
  static func signature(_ message: String) -> Self { Self(Int(TROUPE_INVALID_SIGNATURE), message) }
  static func duplicate(_ message: String) -> Self { Self(Int(TROUPE_DUPLICATE), message) }
  static func contract(_ message: String) -> Self { Self(Int(TROUPE_INVALID_CONTRACT), message) }
  static let late = Self(
    Int(TROUPE_TOO_LATE), "it registers after its entry has returned; register in troupe_plugin_main, or in register(in:)")
  static let thread = Self(Int(TROUPE_WRONG_THREAD), "it registers on another thread than the one that runs its entry")
}
