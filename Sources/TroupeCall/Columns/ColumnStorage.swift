/// A column of numbers with its own memory, which a program fills and reads value by value.
package final class ColumnStorage {
  private let type: CType
  private let element: Column.Element
  private let data: UnsafeMutableRawPointer
  private let validity: UnsafeMutablePointer<UInt8>

  /// Allocates rows that are null. Returns nil unless the type is a number, boolean or enumeration.
  package init?(_ type: CType, rows: Int) {
    guard type.isNumber || type == .bool || type.integer != nil, type != .longDouble, let element = Column.Element(type) else {
      return nil
    }
    (self.type, self.element) = (type, element)
    data = .allocate(byteCount: max(1, rows * element.size), alignment: 16)
    data.initializeMemory(as: UInt8.self, repeating: 0, count: rows * element.size)
    validity = .allocate(capacity: rows / 8 + 1)
    validity.initialize(repeating: 0, count: rows / 8 + 1)
  }

  deinit {
    data.deallocate()
    validity.deallocate()
  }

  package var input: Column { Column(element, data: data, stride: element.size, validity: validity) }
  package var output: OutputColumn { OutputColumn(element, data: data, stride: element.size, validity: validity) }

  /// Writes a value that has been converted to the type, or null.
  package func set(_ row: Int, to value: Value?) {
    let bit: UInt8 = 1 << UInt8(row % 8)
    guard let word = value?.storedWord else {
      validity[row / 8] &= ~bit
      return
    }
    validity[row / 8] |= bit
    withUnsafePointer(to: word) { (data + row * element.size).copyMemory(from: $0, byteCount: element.size) }
  }

  /// Reads a value; nil for null.
  package func value(_ row: Int) -> Value? {
    guard validity[row / 8] >> UInt8(row % 8) & 1 == 1 else { return nil }
    // Numbers are always valid.
    return try? Value.read(type, at: data + row * element.size)
  }
}

extension Value {
  /// The bits of a number in memory.
  fileprivate var storedWord: UInt64? {
    switch self {
    case .integer(let integer): UInt64(truncatingIfNeeded: integer)
    case .bool(let bool): bool._word
    case .float(let number): number._word
    case .double(let number): number._word
    default: nil
    }
  }
}
