internal import TroupeBase

/// A call that was not made, or whose result is not valid: the problem, the argument and the remedy.
///
/// A program decides by ``code``, and a person reads ``description``. The functions that make the errors stand beside what they are about:
/// `CallError+Values`, `CallError+Calls`, `CallError+Columns`, and the ends of the files of callbacks, handles and memory.
///
///     let signature = try Signature(parsing: "int8_t (int8_t count)")
///     do {
///       print(try signature.arguments(parsing: ["300"]))
///     } catch {
///       print(error)  // argument 1 "count": int8_t cannot hold 300; give an integer from -128 to 127
///     }
public struct CallError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kinds of errors that a program distinguishes.
  public enum Code: Sendable, Hashable {
    /// There are too few arguments or too many.
    case argumentCount
    /// An argument is of another kind than the parameter.
    case argumentType
    /// An argument is of the right kind, but the parameter's type cannot hold it.
    case argumentRange
    /// The function takes a resolver and none was passed.
    case missingResolver
    /// A text that the function gave back is not valid, as UTF-8 for example. The call has been made.
    case resultText
    /// This machine, or this kind of call, does not support the signature.
    case unsupportedSignature
    /// A function that the signature names to free something is not there.
    case missingFunction
    /// The function says by `errno` that it failed. The call has been made.
    case system(Int32)
    /// The function says by this result that it failed. The call has been made.
    case failure(Int128)
    /// A handle has been released, or it cannot be because it is in use. The call has not been made.
    case handle
    /// A callback threw an error, which is part of the text. The call has been made.
    case callback
    /// The system refuses the executable memory that a callback needs.
    case noExecutableMemory
    /// The rest of the thread's stack is too small for the arguments. The call has not been made.
    case smallStack
    /// A buffer exceeds the limit of ``PreparedCall/maximumBufferSize``. The call has not been made.
    case bufferSize
    /// The function gave back a buffer with a negative length, or a larger one than the limit, or wrote behind the memory of an argument. The
    /// call has been made.
    case resultLength
    /// There is no memory for a buffer.
    case noMemory
    /// The program, or the cancellation of the task, ended a call over columns between two rows.
    case cancelled
  }

  /// The argument that an error is about.
  public struct Argument: Sendable, Hashable {
    /// The position from 0 among the arguments that the caller gives.
    public let index: Int
    /// The name of the parameter.
    public let name: String?

    package init(index: Int, name: String?) { (self.index, self.name) = (index, name) }
  }

  /// The kind of the error.
  public let code: Code
  /// The argument that the error is about, if it is about one.
  public let argument: Argument?
  /// The row of a call over columns that the error is about, from 0 as in the memory of the columns.
  public private(set) var row: Int?
  /// The problem, such as `int8_t cannot hold 300`.
  public let problem: String
  /// What to do about it, such as `give an integer from -128 to 127`.
  public let remedy: String

  init(_ code: Code, _ problem: String, remedy: String, argument: Argument? = nil) {
    self.code = code
    self.argument = argument
    self.problem = problem
    self.remedy = remedy
  }

  /// Creates an error from its parts, such as those that another process sends.
  package init(_ code: Code, problem: String, remedy: String, argument: Argument?, row: Int?) {
    self.init(code, problem, remedy: remedy, argument: argument)
    self.row = row
  }

  /// Adds a location within the value: the name of a member, or the index of an element in brackets.
  func within(_ place: String) -> CallError {
    // Outer locations are added later: "b" within "a" is "a.b".
    let inner = place.hasPrefix("[") ? "element \(place)" : "member \(place)"
    guard problem.hasPrefix("member ") || problem.hasPrefix("element ") else {
      return CallError(code, "\(inner): \(problem)", remedy: remedy, argument: argument)
    }
    let rest = problem.drop { $0 != " " }.dropFirst()
    return CallError(code, inner + (rest.hasPrefix("[") ? "" : ".") + rest, remedy: remedy, argument: argument)
  }

  /// One line for the user. Arguments are counted from 1, rows from 0.
  public var description: String {
    let row = row.map { "row \($0): " } ?? ""
    guard let argument else { return "\(row)\(problem); \(remedy)" }
    return "\(row)\(argument): \(problem); \(remedy)"
  }

  package func inRow(_ row: Int) -> CallError {
    var error = self
    error.row = row
    return error
  }

  /// Returns the error with the argument that it is about.
  ///
  /// - Parameters:
  ///   - index: The position from 0 among the arguments that the caller gives.
  ///   - name: The parameter's name, if it has one.
  public func about(argument index: Int, name: String?) -> CallError {
    CallError(code, problem, remedy: remedy, argument: Argument(index: index, name: name))
  }
}

extension CallError.Argument: CustomStringConvertible {
  /// For example `argument 2 "count"`, or `argument 2` if the parameter has no name.
  public var description: String {
    "argument \(index + 1)" + (name.map { " " + $0.quoted() } ?? "")
  }
}
