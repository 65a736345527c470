@testable import TroupeCall

/// Some parameters of a random function, and what the function does with them.
struct ConformancePart: Sendable {
  /// A parameter in a signature and in C, or several that stay beside each other.
  struct Parameter: Sendable {
    let signature: String
    let c: String

    init(_ signature: String, c: String? = nil) { (self.signature, self.c) = (signature, c ?? signature) }
  }

  var parameters: [Parameter] = []
  /// The statements that hash inputs and fill outputs.
  var body = ""
  /// The types whose definitions the signature needs.
  var uses: [ConformanceTypes.Spelled] = []
  /// Returns the arguments for each of `parameters`, and follows the statements.
  var follow: @Sendable (inout ConformanceCall) throws -> [[Value]] = { _ in [] }
}

/// The length of a buffer.
struct ConformanceExtent: Sendable {
  /// What stands between the brackets.
  let text: String
  /// The same in C; nil if the elements end at the first that is zero.
  let c: String?
  var parameters: [ConformancePart.Parameter] = []
  /// The statements in front of those that use it.
  var body = ""
  /// Returns a number of elements and the arguments for the parameters.
  var follow: @Sendable (inout ConformanceCall) -> (count: Int, arguments: [[Value]])
}

/// The result of a random function.
struct ConformanceResult: Sendable {
  /// The signature, with "@" for the parameters.
  let signature: String
  /// The type in C.
  let c: String
  /// Parameters, and statements that set `result`.
  var part: ConformancePart
  /// What a pointer or number is after a failure, and whether it is that only then; nil if nothing is.
  var failure: String?
}

/// How a random function fails.
struct ConformanceFailure: Sendable {
  /// The rule in the signature.
  let rule: String
  /// The code of the error.
  let code: CallError.Code
  /// What the error's problem contains.
  var text = ""
  /// The result in C, and whether the function sets `errno`.
  var result: String?
  var errno: Int32 = 0
}
