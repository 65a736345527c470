/// A problem of the content of a file or of a record, as the end of a sentence that begins with it.
package struct ReadError: Error, Equatable, CustomStringConvertible {
  package let description: String

  package init(_ description: String) {
    self.description = description
  }
}
