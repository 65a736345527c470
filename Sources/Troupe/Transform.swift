/// A stage of a stream: takes bytes in pieces of any size and writes bytes as they become available.
///
/// ```swift
/// final class Shout: Transform {
///   func feed(_ bytes: Span<UInt8>, to output: any TransformOutput) throws {
///     var upper: [UInt8] = []
///     for index in bytes.indices {
///       let byte = bytes[index]
///       upper.append((UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) ? byte - 32 : byte)
///     }
///     try output.write(upper)
///   }
///
///   func finish(to output: any TransformOutput) throws {}
/// }
/// ```
///
/// It is the Swift side of the contract `troupe.transform/1`. An instance is used from one thread at a time: `feed` any number of times,
/// then `finish` once. An instance that has finished or has thrown an error is used again only after a ``reset()``.
public protocol Transform: AnyObject {
  /// Transforms bytes, which are borrowed for the call, and writes the available result.
  func feed(_ bytes: Span<UInt8>, to output: any TransformOutput) throws
  /// Writes the rest after the end of the input.
  func finish(to output: any TransformOutput) throws
  /// Brings the instance from any state to that at its creation, so that the next `feed` begins another input. Returns false if it cannot, as
  /// the default implementation does: the caller then makes another instance.
  ///
  /// A transform of many small inputs, such as the messages of a queue, costs a fraction of the time if it can be reset.
  func reset() -> Bool
}

extension Transform {
  /// Returns false: the transform cannot be reset.
  public func reset() -> Bool { false }
}

/// The output of a transform.
public protocol TransformOutput: AnyObject {
  /// Writes bytes, which are borrowed for the call. A transform should rethrow the errors unchanged, so that the caller gets its own error.
  func write(_ bytes: Span<UInt8>) throws
}

extension TransformOutput {
  /// Writes the bytes of an array. An array in a property of a class cannot lend its span, and is therefore passed as an array.
  public func write(_ bytes: [UInt8]) throws {
    try write(bytes.span)
  }

  /// Writes the UTF-8 of a text.
  public func write(_ text: String) throws {
    try write(Array(text.utf8))
  }
}

/// An error that a transform throws.
public struct TransformError: Error, Sendable, CustomStringConvertible {
  /// A sentence for the user.
  public let description: String
  /// The status of a transform in C that failed without a message; nil for any other error.
  package private(set) var status: Int32?

  /// Creates an error with a sentence for the user.
  public init(_ description: String) {
    self.description = description
  }

  /// Creates the error of a transform that gave a status and no message.
  package init(status: Int32) {
    self.init("it failed with status \(status) and gave no message")
    self.status = status
  }
}
