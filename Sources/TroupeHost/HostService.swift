/// An optional service that a program offers to the plugins of its host under a string id.
///
/// The pointer is to a struct whose layout the id identifies. It stays valid for as long as the process, and plugins use it from any
/// thread.
public struct HostService: @unchecked Sendable {
  // Sendable because the host passes the pointer on without reading its memory, which may be used from any thread.
  /// The id, such as `org.example.clock/1`.
  public let id: String
  /// The pointer for plugins.
  public let pointer: UnsafeRawPointer

  /// Offers `pointer` under `id`.
  public init(_ id: String, _ pointer: UnsafeRawPointer) {
    self.id = id
    self.pointer = pointer
  }
}
