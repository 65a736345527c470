/// What is wrong with an ELF file, as the end of a sentence that begins with the file.
package struct ELFError: Error, Equatable, CustomStringConvertible {
  package let description: String

  init(_ description: String) {
    self.description = description
  }
}
