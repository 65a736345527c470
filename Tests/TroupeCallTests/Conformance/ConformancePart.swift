@testable import TroupeCall

/// Some parameters of a random function, with the statements that use them.
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
  /// The text between the brackets.
  let text: String
  /// The same in C; nil if the elements end at the first that is zero.
  let c: String?
  var parameters: [ConformancePart.Parameter] = []
  /// Statements that set the length.
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
  /// The result in C that a failed call returns and no other; nil if there is none.
  var failure: String?
}

/// How a random function fails.
struct ConformanceError: Sendable {
  /// The rule in the signature.
  let rule: String
  /// The code of the error.
  let code: CallError.Code
  /// A part of the error's problem.
  var text = ""
  /// The result in C; nil if it is the same as of a successful call.
  var result: String?
  /// The number that the function sets `errno` to.
  var errno: Int32 = 0
}
