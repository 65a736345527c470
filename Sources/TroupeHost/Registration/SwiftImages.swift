internal import Synchronization

/// The images with Swift that the hosts of this process have opened.
enum SwiftImages {
  private static let opened = Atomic(false)

  /// Whether a host has opened an image that may contain Swift. Until then, all types that the Swift runtime knows are the program's.
  static var areOpened: Bool { opened.load(ordering: .acquiring) }

  /// Records that a host opens an image that may contain Swift.
  static func setOpened() { opened.store(true, ordering: .releasing) }
}
