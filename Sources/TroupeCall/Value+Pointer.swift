extension Value {
  /// An address as a plain number.
  ///
  /// It is kept as a number because a number may go from thread to thread. What is behind it belongs to whoever made it, who
  /// also says how long it lives and which threads may look at it.
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

    /// The pointer itself, nil for NULL. The caller answers for what is read or written through it.
    public var rawPointer: UnsafeMutableRawPointer? {
      UnsafeMutableRawPointer(bitPattern: address)
    }

    /// The address in hexadecimal, such as `0x7ffd01`, or `null`.
    public var description: String {
      address == 0 ? "null" : "0x" + String(address, radix: 16)
    }
  }
}
