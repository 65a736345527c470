package import CTroupe

/// The refusal of a registration: the status for the plugin and a sentence for the user.
package struct RegistrationError: Error {
  package let status: troupe_status
  /// The problem.
  package let problem: String
  /// The remedy; nil if the problem contains it.
  package let remedy: String?

  private init(_ status: Int, _ problem: String, _ remedy: String? = nil) {
    self.status = troupe_status(status)
    self.problem = problem
    self.remedy = remedy
  }

  /// The problem and the remedy.
  package var message: String { problem + (remedy.map { "; " + $0 } ?? "") }

  package static func argument(_ problem: String, _ remedy: String? = nil) -> Self {
    Self(Int(TROUPE_INVALID_ARGUMENT), problem, remedy)
  }
  package static func signature(_ problem: String, _ remedy: String? = nil) -> Self {
    Self(Int(TROUPE_INVALID_SIGNATURE), problem, remedy)
  }
  package static func duplicate(_ problem: String, _ remedy: String? = nil) -> Self {
    Self(Int(TROUPE_DUPLICATE), problem, remedy)
  }
  package static func contract(_ problem: String, _ remedy: String? = nil) -> Self {
    Self(Int(TROUPE_INVALID_CONTRACT), problem, remedy)
  }
  package static let late = Self(
    Int(TROUPE_TOO_LATE), "it registers after its entry has returned; register in troupe_plugin_main, or in register(in:)")
  package static let thread = Self(Int(TROUPE_WRONG_THREAD), "it registers on another thread than the one that runs its entry")
}
