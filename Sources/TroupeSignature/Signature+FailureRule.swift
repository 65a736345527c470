extension Signature {
  /// The results that are failures. A call that fails by the rule throws an error, so that callers check no results.
  ///
  /// | in the signature | the call has failed if |
  /// |---|---|
  /// | `errno` | the result is -1, a null pointer or false, and `errno` is set |
  /// | `errno(any)` | `errno` is set, for any result |
  /// | `errno(result)` | the result is not 0: it is an error number, as of `posix_memalign` |
  /// | `error(null)`, `error(zero)`, `error(nonzero)`, `error(negative)` | the result is that |
  /// | `error(nonzero except 100, 101)` | the result is neither 0 nor one of these |
  /// | `error(nonzero: sqlite3_errstr)` | the same; the function returns the text for the result |
  /// | `error(null: dlerror())` | the same; the function takes nothing |
  /// | `error(nonzero: sqlite3_errmsg(db))` | the same; the function takes the argument of that parameter |
  public enum FailureRule: Sendable, Hashable {
    /// `errno`.
    case errno
    /// `errno(any)`.
    case anyErrno
    /// `errno(result)`.
    case errorNumber
    /// `error(…)`: a condition, results that meet it and are no failures, and the function that returns the text.
    case result(Condition, except: [Int128], text: TextFunction?)

    /// The result of a failed call.
    public enum Condition: String, Sendable, Hashable, CaseIterable {
      /// A null pointer.
      case null
      /// The number 0, or false.
      case zero
      /// Any number but 0.
      case nonzero
      /// A number below 0.
      case negative
    }
  }

  /// A function that returns the text of a failure, as `strerror` does.
  public struct TextFunction: Sendable, Hashable {
    /// The argument of a text function.
    public enum Argument: Sendable, Hashable {
      /// The result of the failed call.
      case result
      /// Nothing.
      case none
      /// The argument or output of the parameter with this index.
      case parameter(Int)
    }

    /// The name of the function.
    public let name: String
    /// The argument that the function gets.
    public let argument: Argument
  }
}
