internal import TroupeCall
internal import TroupeIsolation

/// A C function in another process. A protocol, so that this directory does not depend on that of the workers.
protocol RemoteFunction: AnyObject, Sendable {
  var signature: Signature { get }

  /// Calls the function; see `ForeignFunction.call`.
  func call(_ arguments: [Value], token: CallToken?) throws -> Value
  /// Calls the function for each row of columns; see `ForeignFunction.map`.
  func map(_ columns: [Column], rows: Int, into outputs: [OutputColumn], options: MapOptions) throws -> Int
  /// Allocates memory that the process shares; see `ForeignFunction.allocateBuffer`.
  func allocateBuffer(_ type: CType, count: Int) throws -> ForeignMemory
}
