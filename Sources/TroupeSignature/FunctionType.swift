package import Synchronization

/// A signature that all functions of its type share, with its text and the plan of their calls.
///
/// Plugins that offer the same kind of thing have functions of the same type, and reading a signature costs more than all else that
/// registering a function takes. So `parsing(_:)` interns: the same text gives the same object.
///
/// It may be used on any thread.
package final class FunctionType: Sendable {
  package let signature: Signature
  /// The canonical text of the signature.
  package let text: String
  /// The plan of the type's calls, once a call has been prepared. Its type belongs to the module that makes calls.
  package let plan = Mutex<(any AnyObject & Sendable)?>(nil)

  private init(_ signature: Signature) {
    self.signature = signature
    text = signature.description
  }

  // MARK: Interning

  /// The types by the texts of their authors. At most 1,024 texts of at most 1,024 bytes stay, a megabyte.
  private static let interned = Mutex<[String: FunctionType]>([:])
  private static let maximumLength = 1024
  private static let maximumCount = 1024

  /// Reads a signature unless it has been read before.
  package static func parsing(_ text: String) throws(SignatureError) -> FunctionType {
    if let type = interned.withLock({ $0[text] }) { return type }
    let type = FunctionType(try Signature(parsing: text))
    guard text.utf8.count <= maximumLength else { return type }
    interned.withLock { interned in
      if interned.count < maximumCount { interned[text] = type }
      // What is stored of a function is its canonical text, which is read again.
      if interned.count < maximumCount, type.text.utf8.count <= maximumLength, interned[type.text] == nil {
        interned[type.text] = type
      }
    }
    return type
  }
}
