internal import CSandbox

/// The shape of the channel and the process number of the host, passed to a worker as an environment variable.
package struct WorkerStart: Sendable {
  /// The environment variable with the text.
  package static let variable = "TROUPE_WORKER_START"
  /// The environment variable with the descriptor of the channel.
  package static let channelVariable = TROUPE_WORKER_VARIABLE

  package let shape: ChannelMemory.Shape
  /// The process of the host.
  package let parent: Int32

  package init(shape: ChannelMemory.Shape, parent: Int32) { (self.shape, self.parent) = (shape, parent) }

  /// Reads the text; nil for another text.
  package init?(_ text: String) {
    let numbers = text.split(separator: " ").compactMap { Int($0) }
    guard numbers.count == 4, (1...64).contains(numbers[0]), numbers[1] > 0, numbers[2] >= 0,
      let parent = Int32(exactly: numbers[3])
    else { return nil }
    self.init(shape: ChannelMemory.Shape(slots: numbers[0], capacity: numbers[1], heap: numbers[2]), parent: parent)
  }

  package var text: String { "\(shape.slots) \(shape.capacity) \(shape.heap) \(parent)" }
}
