/// The reason why a value cannot be transferred to another process.
package enum NotTransferable: Error, Equatable, CustomStringConvertible {
  /// It is an address, which is valid in this process only.
  case address(String)

  package var description: String {
    switch self {
    case .address(let value): "\(value) is valid in this process only"
    }
  }
}
