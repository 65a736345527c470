/// A struct of the ABI that plugins fill in, and its size in the minor versions of the ABI.
///
/// Such a struct begins with `struct_size`, and later versions append members. The struct of a plugin has the size of the plugin's own
/// version: smaller than the host's if the plugin is older, or larger if its header is newer.
package struct ABIStruct: Sendable {
  /// A minor version that changed the size, and the size since then in bytes.
  package typealias Size = (minor: Int, bytes: Int)

  /// The sizes by ascending minor version. The first is that of the version that added the struct.
  private let sizes: [Size]

  /// Creates a struct with its sizes by ascending minor version.
  package init(_ first: Size, _ later: Size...) { sizes = [first] + later }

  // The sizes on 64-bit systems. A version that appends members to a struct adds its size here.

  /// `troupe_factory`.
  package static let factory = ABIStruct((minor: 0, bytes: 88), (minor: 1, bytes: 96))
  /// `troupe_query`.
  package static let query = ABIStruct((minor: 0, bytes: 40))
  /// `troupe_transform`.
  package static let transform = ABIStruct((minor: 0, bytes: 32), (minor: 2, bytes: 40))
  /// `troupe_output`.
  package static let output = ABIStruct((minor: 0, bytes: 24))

  /// Returns the size in a minor version, or in the first version of the struct if that is later.
  package func size(inMinor minor: Int) -> Int {
    sizes.last { $0.minor <= minor }?.bytes ?? sizes[0].bytes
  }

  /// Returns the `struct_size` of a plugin's struct.
  package static func declaredSize(of source: UnsafeRawPointer) -> Int {
    Int(source.loadUnaligned(as: UInt32.self))
  }

  /// Copies a plugin's struct into the host's layout. Members beyond its `struct_size` are zero; members that the host does not know are
  /// left out. Returns nil if `struct_size` is less than the size in the plugin's minor version. Reads no byte beyond `struct_size`.
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
