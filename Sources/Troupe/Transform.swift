/// A streaming stage: takes bytes in pieces of any size and writes bytes as they become available.
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
/// It is the Swift side of the contract `troupe.transform/1`. An instance is used from one thread at a time: `feed` any
/// number of times, then `finish` once. A stage that throws is not used again.
public protocol Transform: AnyObject {
  /// Takes bytes, which are borrowed for the call, and writes what is ready.
  func feed(_ bytes: Span<UInt8>, to output: any TransformOutput) throws
  /// The input has ended: writes what is left.
  func finish(to output: any TransformOutput) throws
}

/// Where a transform writes.
public protocol TransformOutput: AnyObject {
  /// Takes bytes, which are borrowed for the call. What it throws should leave the transform as it is.
  func write(_ bytes: Span<UInt8>) throws
}

extension TransformOutput {
  /// Takes the bytes of an array. An array that is a property of a class lends its span to nobody, so it is passed whole.
  public func write(_ bytes: [UInt8]) throws {
    try write(bytes.span)
  }

  /// Takes the UTF-8 of a text.
  public func write(_ text: String) throws {
    try write(Array(text.utf8))
  }
}

/// Why a transform could not go on.
public struct TransformError: Error, Sendable, CustomStringConvertible {
  /// A sentence for a person.
  public let description: String

  /// Makes an error with a sentence for a person.
  public init(_ description: String) {
    self.description = description
  }
}
