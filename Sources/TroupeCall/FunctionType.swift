internal import Synchronization

/// The type of a C function with what follows from it alone, each worked out once for all functions of the type.
///
/// It may be used on any thread.
package final class FunctionType: @unchecked Sendable {
  // Sendable because everything is constant but the plan, which is under a lock and, once made, constant; its content is only
  // read.

  /// What the function takes and gives back.
  package let signature: Signature
  /// The signature's canonical text.
  package let text: String
  private let plan = Mutex<CallPlan?>(nil)

  private init(_ signature: Signature) {
    self.signature = signature
    text = signature.description
  }

  /// How functions of the type are called. Throws a `CallError` with the code `unsupportedSignature` if libffi cannot call them.
  func callPlan() throws(CallError) -> CallPlan {
    if let plan = plan.withLock({ $0 }) { return plan }
    let new = try CallPlan(signature, .automatic)
    plan.withLock { $0 = new }
    return new
  }

  // MARK: By their texts

  /// The types that have been read, by what their authors wrote.
  private static let known = Mutex<[String: FunctionType]>([:])
  /// Longer texts are not kept.
  private static let maximumLength = 1024
  /// No more than these are kept, which is a megabyte of text at most.
  private static let maximumCount = 1024

  /// Reads a signature, unless it has been read before: plugins that offer the same kind of thing have functions of the
  /// same type, and reading a signature costs more than all else that registering a function takes. Throws a `SignatureError`
  /// as ``Signature/init(parsing:)`` does.
  package static func parsing(_ text: String) throws(SignatureError) -> FunctionType {
    if let type = known.withLock({ $0[text] }) { return type }
    let type = FunctionType(try Signature(parsing: text))
    guard text.utf8.count <= maximumLength else { return type }
    known.withLock { known in
      if known.count < maximumCount { known[text] = type }
    }
    return type
  }
}
