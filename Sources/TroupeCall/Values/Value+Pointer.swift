extension Value {
  /// An address as a plain number.
  ///
  /// It is kept as a number because a number may go from thread to thread. The owner of the target
  /// determines how long it exists and which threads may use it.
  public struct Pointer: Sendable, Hashable, CustomStringConvertible {
    /// The address, 0 for NULL.
    public let address: UInt

    /// The pointer whose address is `address`.
    public init(address: UInt) {
      self.address = address
    }

    /// The same address as `pointer`.
    public init(_ pointer: UnsafeRawPointer?) {
      self.address = UInt(bitPattern: pointer)
    }

    /// The null pointer.
    public static let null = Pointer(address: 0)

    /// The pointer itself, nil for NULL. The caller is responsible for reads and writes through it.
    public var rawPointer: UnsafeMutableRawPointer? {
      UnsafeMutableRawPointer(bitPattern: address)
    }

    /// The address in hexadecimal, such as `0x7ffd01`, or `null`.
    public var description: String {
      address == 0 ? "null" : "0x" + String(address, radix: 16)
    }
  }
}
