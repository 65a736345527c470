/// Numbers in byte arrays, such as the headers of ELF files.
extension [UInt8] {
  /// Appends a number in little-endian order.
  public mutating func append(number: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
  }

  /// Appends zeros up to a multiple of the alignment.
  public mutating func pad(to alignment: Int) {
    while !count.isMultiple(of: alignment) { append(0) }
  }

  /// Overwrites bytes with a number in little-endian order.
  public mutating func set(_ number: some FixedWidthInteger, at offset: Int) {
    Swift.withUnsafeBytes(of: number.littleEndian) { replaceSubrange(offset..<offset + $0.count, with: $0) }
  }

  /// The 64-bit little-endian number at an offset.
  public func long(at offset: Int) -> Int {
    self[offset..<offset + 8].reversed().reduce(0) { $0 << 8 | Int($1) }
  }

  /// The 16-bit little-endian number at an offset.
  public func half(at offset: Int) -> Int { Int(self[offset]) | Int(self[offset + 1]) << 8 }
}
