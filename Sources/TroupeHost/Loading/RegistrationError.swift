internal import CTroupe

/// Why a registration is refused: the status for the plugin and a sentence for a person.
struct RegistrationError: Error {
  let status: troupe_status
  /// What is wrong.
  let problem: String
  /// What to do about it; nil where the problem says it.
  let remedy: String?

  private init(_ status: Int, _ problem: String, _ remedy: String? = nil) {
    self.status = troupe_status(status)
    self.problem = problem
    self.remedy = remedy
  }

  /// What is wrong and what to do about it.
  var message: String { problem + (remedy.map { "; " + $0 } ?? "") }

  static func argument(_ problem: String, _ remedy: String? = nil) -> Self {
    Self(Int(TROUPE_INVALID_ARGUMENT), problem, remedy)
  }
  static func signature(_ problem: String, _ remedy: String? = nil) -> Self {
    Self(Int(TROUPE_INVALID_SIGNATURE), problem, remedy)
  }
  static func duplicate(_ problem: String, _ remedy: String? = nil) -> Self {
    Self(Int(TROUPE_DUPLICATE), problem, remedy)
  }
  static func contract(_ problem: String, _ remedy: String? = nil) -> Self {
    Self(Int(TROUPE_INVALID_CONTRACT), problem, remedy)
  }
  static let late = Self(
    Int(TROUPE_TOO_LATE), "it registers after its entry has returned; register in troupe_plugin_main, or in register(in:)")
  static let thread = Self(Int(TROUPE_WRONG_THREAD), "it registers on another thread than the one that runs its entry")
}
