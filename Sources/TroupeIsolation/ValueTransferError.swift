/// The reason why a value cannot be transferred to another process.
package enum ValueTransferError: Error, Equatable {
  /// It is an address, which is valid in this process only.
  case address(String)
}
