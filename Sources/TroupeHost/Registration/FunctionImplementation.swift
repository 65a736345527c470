internal import Synchronization
internal import TroupeCall
internal import TroupeSandbox

/// The two ways to run a `ForeignFunction`: `LocalFunction` calls C in this process, `IsolatedFunction` asks a worker to.
protocol FunctionImplementation: AnyObject, Sendable {
  var signature: Signature { get }
  /// The function itself if it is in this process, where more is possible: typed calls, its address, a loop over rows.
  var local: LocalFunction? { get }

  /// Calls the function; see `ForeignFunction.call`.
  ///
  /// - Parameters:
  ///   - lifetime: Keeps the arguments for C after the call.
  ///   - token: Cancels a call in a worker.
  func call(_ arguments: [Value], keeping lifetime: ForeignLifetime?, token: CallToken?) throws -> CallOutcome
  /// Calls the function for each row of columns; see `ForeignFunction.map`.
  func map(_ columns: [Column], rows: Int, into outputs: [OutputColumn], options: MapOptions) throws -> Int
  /// Allocates memory for a buffer argument; see `ForeignFunction.allocateBuffer`.
  func allocateBuffer(_ type: CType, count: Int) throws -> ForeignMemory
}

/// A C function in this process. It keeps its plugin open.
final class LocalFunction: FunctionImplementation {
  let prepared: PreparedCall
  /// The vectorized body that the plugin registered, or the function's own loop, made at the first use. The outer value is nil before that.
  private let rowLoop: Mutex<ColumnLoop??>
  /// Keeps the plugin open.
  private let image: any AnyObject & Sendable
  /// The plugin's resolver, for a function that takes one. A number, since the pointer is valid only for as long as `image`.
  private let resolver: UInt
  /// Returns true if the program cancels the calls of the thread.
  private let isInterrupted: (@Sendable () -> Bool)?

  init(
    _ prepared: PreparedCall, body: ColumnLoop?, image: any AnyObject & Sendable, resolver: UnsafeRawPointer?,
    isInterrupted: (@Sendable () -> Bool)?
  ) {
    (self.prepared, self.image, self.isInterrupted) = (prepared, image, isInterrupted)
    self.resolver = UInt(bitPattern: resolver)
    rowLoop = Mutex(body.map { .some($0) })
  }

  var signature: Signature { prepared.signature }
  var local: LocalFunction? { self }
  var resolverPointer: UnsafeRawPointer? { UnsafeRawPointer(bitPattern: resolver) }

  func withEmptyFunction() throws -> LocalFunction {
    LocalFunction(
      try prepared.withEmptyFunction(), body: nil, image: image, resolver: resolverPointer, isInterrupted: isInterrupted)
  }

  var loop: ColumnLoop? {
    rowLoop.withLock { loop in
      let made = loop ?? ColumnLoop(prepared)
      loop = .some(made)
      return made
    }
  }

  func call(_ arguments: [Value], keeping lifetime: ForeignLifetime?, token: CallToken?) throws -> CallOutcome {
    defer { withExtendedLifetime(image) {} }
    return try prepared.outcome(of: arguments, resolver: resolverPointer, keeping: lifetime)
  }

  func map(_ columns: [Column], rows: Int, into outputs: [OutputColumn], options: MapOptions) throws -> Int {
    defer { withExtendedLifetime(image) {} }
    var options = options
    options.isInterrupted = isInterrupted
    return try prepared.map(columns, rows: rows, into: outputs, options: options, loop: loop, resolver: resolverPointer)
  }

  func allocateBuffer(_ type: CType, count: Int) throws -> ForeignMemory { try ForeignMemory(type, count: count) }
}
