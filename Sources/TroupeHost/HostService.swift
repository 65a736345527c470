/// An optional service that a program offers to the plugins of its host, found by them under a string id.
///
/// The pointer is to a struct whose layout the id stands for; it stays valid for as long as the process, and plugins use it
/// from any thread.
public struct HostService: @unchecked Sendable {
  // Sendable because it is handed out as it is and never read through; what is behind it is, as said above, for any thread.
  /// The id, such as `org.example.clock/1`.
  public let id: String
  /// What plugins get.
  public let pointer: UnsafeRawPointer

  /// Offers `pointer` under `id`.
  public init(_ id: String, _ pointer: UnsafeRawPointer) {
    self.id = id
    self.pointer = pointer
  }
}
