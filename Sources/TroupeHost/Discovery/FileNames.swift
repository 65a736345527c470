internal import Glibc

/// The names of files, one behind the other in one piece of memory.
///
/// Sorting them takes about n log n comparisons of two numbers, since most names differ in their first bytes.
struct FileNames: RandomAccessCollection, Sendable {
  private struct Place {
    /// The first bytes of the name as a number, so that a name which comes before another has a lower one, or the same.
    let beginning: UInt64
    let start, count: Int
  }

  private var bytes: [UInt8] = []
  private var places: [Place] = []

  var startIndex: Int { 0 }
  var endIndex: Int { places.count }

  /// The bytes of a name.
  subscript(index: Int) -> ArraySlice<UInt8> {
    let place = places[index]
    return bytes[place.start..<place.start + place.count]
  }

  /// Adds a name, which has no NUL in it.
  mutating func append(_ name: some Collection<UInt8>) {
    var beginning: UInt64 = 0
    for byte in name.prefix(8) { beginning = beginning << 8 | UInt64(byte) }
    // What a short name lacks counts as NUL, which comes before everything that it could have.
    beginning <<= 8 * UInt64(8 - Swift.min(name.count, 8))
    places.append(Place(beginning: beginning, start: bytes.count, count: name.count))
    bytes += name
  }

  /// Puts them in order, byte by byte.
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
