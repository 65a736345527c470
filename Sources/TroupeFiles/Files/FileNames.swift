internal import Glibc

/// A list of file names in one block of memory.
///
/// Sorting compares two integers in most cases, since most names differ in their first eight bytes.
struct FileNames: RandomAccessCollection, Sendable {
  private struct Place {
    /// The first eight bytes as a big-endian number, which sorts like the name.
    let beginning: UInt64
    let start, count: Int
  }

  private var bytes: [UInt8] = []
  private var places: [Place] = []

  var startIndex: Int { 0 }
  var endIndex: Int { places.count }

  /// The bytes of the name at an index.
  subscript(index: Int) -> ArraySlice<UInt8> {
    let place = places[index]
    return bytes[place.start..<place.start + place.count]
  }

  /// Adds a name, which must not contain NUL.
  mutating func append(_ name: some Collection<UInt8>) {
    var beginning: UInt64 = 0
    for byte in name.prefix(8) { beginning = beginning << 8 | UInt64(byte) }
    // Pads a short name with NUL, which sorts before every other byte.
    beginning <<= 8 * UInt64(8 - Swift.min(name.count, 8))
    places.append(Place(beginning: beginning, start: bytes.count, count: name.count))
    bytes += name
  }

  /// Sorts the names bytewise.
  mutating func sort() {
    bytes.withUnsafeBufferPointer { bytes in
      guard let base = bytes.baseAddress else { return }
      places.sort { one, other in
        if one.beginning != other.beginning { return one.beginning < other.beginning }
        let order = memcmp(base + one.start, base + other.start, Swift.min(one.count, other.count))
        return order == 0 ? one.count < other.count : order < 0
      }
    }
  }
}
