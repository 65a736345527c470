/// A problem of the content of a file or of a record, as the end of a sentence that begins with it.
package struct ReadError: Error, Equatable, CustomStringConvertible {
  package let description: String
  /// The memory in bytes that the values need, if that is more than the reader may use; else nil.
  package let memory: Int?

  package init(_ description: String, memory: Int? = nil) {
    (self.description, self.memory) = (description, memory)
  }
}
