/// A struct of the ABI that plugins fill in, and its size in the minor versions of the ABI.
///
/// Such a struct begins with `struct_size`, and later versions append members:
///
///     plugin of 1.0   [ 88 | … function, tags ]
///     host of 1.1     [ 96 | … function, tags | map ]    copy: map is NULL
///     plugin of 1.3   [104 | … function, tags | map | new ]    copy: new is left out
///
/// The host copies a plugin's struct before it reads a member, and never reads beyond the plugin's `struct_size`.
package struct ABIStruct: Sendable {
  /// A minor version that changed the size, and the size since then.
  package typealias Size = (minor: Int, bytes: Int)

  /// Ascending by minor version. The first is the version that added the struct.
  private let sizes: [Size]

  package init(_ first: Size, _ later: Size...) { sizes = [first] + later }

  // The sizes on 64-bit systems. A version that appends members to a struct adds its size here.

  package static let factory = ABIStruct((minor: 0, bytes: 88), (minor: 1, bytes: 96))
  package static let query = ABIStruct((minor: 0, bytes: 40))
  package static let transform = ABIStruct((minor: 0, bytes: 32), (minor: 2, bytes: 40))
  package static let output = ABIStruct((minor: 0, bytes: 24))

  /// Returns the size in a minor version, or in the first version of the struct if that is later.
  package func size(inMinor minor: Int) -> Int {
    sizes.last { $0.minor <= minor }?.bytes ?? sizes[0].bytes
  }

  /// Returns the `struct_size` of a plugin's struct.
  package static func declaredSize(of source: UnsafeRawPointer) -> Int {
    Int(source.loadUnaligned(as: UInt32.self))
  }

  /// Returns nil if `struct_size` is less than the size in the plugin's minor version.
  package func copy<Layout: BitwiseCopyable>(_ source: UnsafeRawPointer, as layout: Layout.Type, minor: Int) -> Layout? {
    let size = Self.declaredSize(of: source)
    guard size >= self.size(inMinor: minor) else { return nil }
    let (count, alignment) = (MemoryLayout<Layout>.size, MemoryLayout<Layout>.alignment)
    return withUnsafeTemporaryAllocation(byteCount: count, alignment: alignment) { copy in
      copy.initializeMemory(as: UInt8.self, repeating: 0)
      copy.copyMemory(from: UnsafeRawBufferPointer(start: source, count: min(size, count)))
      return copy.load(as: Layout.self)
    }
  }
}
