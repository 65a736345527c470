/// A problem of the content of a file, as the end of a sentence that begins with the file.
package struct ReadError: Error, Equatable, CustomStringConvertible {
  package let description: String

  init(_ description: String) {
    self.description = description
  }
}
