import Troupe

/// Replaces the web addresses of a text by numbers and lists them at its end, as notes.
@Plugin(
  id: "org.example.footnotes", name: "Footnotes", version: "1.0.0",
  description: "Turns the web addresses of a text into notes, with two transforms that share a scoped instance.")
final class FootnotesPlugin: Assembly {
  func register(in registrar: any Registrar) {
    // One for each unit of work: the two stages of a text share it, and the next text begins with an empty one.
    registrar.register(lifetime: .scoped) { _ in Notes() }

    registrar.register(
      (any Transform).self, id: "0f1f2a54-6c0e-4b39-9d5b-3f0f6f1f7a01", name: "note-addresses", tags: "footnotes",
      metadata: .documentation("Replaces each web address of a text by a number.")
    ) { resolver in
      NoteAddresses(notes: try resolver.resolve())
    }
    registrar.register(
      (any Transform).self, id: "0f1f2a54-6c0e-4b39-9d5b-3f0f6f1f7a02", name: "list-notes", tags: "footnotes",
      metadata: .documentation("Passes a text and lists the replaced addresses at its end.")
    ) { resolver in
      ListNotes(notes: try resolver.resolve())
    }
  }
}

/// The addresses of one text, each once, in order of occurrence.
final class Notes {
  private(set) var addresses: [[UInt8]] = []
  private var numbers: [[UInt8]: Int] = [:]

  /// Returns the number of an address and assigns one to a new address.
  func number(of address: [UInt8]) -> Int {
    if let number = numbers[address] { return number }
    addresses.append(address)
    numbers[address] = addresses.count
    return addresses.count
  }
}

/// Replaces each address by the number of its note.
final class NoteAddresses: Transform {
  private let notes: Notes
  /// The beginning of an incomplete word.
  private var unfinished: [UInt8] = []

  /// A longer word is not treated as an address and is not kept.
  private static let maximumLength = 1 << 16
  private static let beginnings = [Array("http://".utf8), Array("https://".utf8)]

  init(notes: Notes) { self.notes = notes }

  func feed(_ bytes: Span<UInt8>, to output: any TransformOutput) throws {
    bytes.withUnsafeBufferPointer { unfinished.append(contentsOf: $0) }
    let end = unfinished.lastIndex(where: Self.isSpace).map { $0 + 1 }
    guard let end = end ?? (unfinished.count > Self.maximumLength ? unfinished.count : nil) else { return }
    let words = unfinished[..<end]
    unfinished = Array(unfinished[end...])
    try write(words, to: output)
  }

  func finish(to output: any TransformOutput) throws {
    try write(unfinished[...], to: output)
    unfinished = []
  }

  private func write(_ text: ArraySlice<UInt8>, to output: any TransformOutput) throws {
    var noted: [UInt8] = []
    noted.reserveCapacity(text.count)
    var rest = text
    while let start = rest.firstIndex(where: { !Self.isSpace($0) }) {
      noted += rest[..<start]
      let end = rest[start...].firstIndex(where: Self.isSpace) ?? rest.endIndex
      note(rest[start..<end], in: &noted)
      rest = rest[end...]
    }
    noted += rest
    if !noted.isEmpty { try output.write(noted) }
  }

  /// Adds a word; replaces an address in it by its number.
  private func note(_ word: ArraySlice<UInt8>, in noted: inout [UInt8]) {
    let start = word.indices.first { index in Self.beginnings.contains { word[index...].starts(with: $0) } }
    guard let start, word.count <= Self.maximumLength else {
      noted += word
      return
    }
    let address = word[start...].prefix { !"<>\"".utf8.contains($0) }
    // Punctuation at the end of a sentence is not part of an address.
    let end = address.lastIndex { !".,;:!?)'".utf8.contains($0) }.map { $0 + 1 } ?? address.endIndex
    noted += word[..<start]
    noted += "[\(notes.number(of: Array(address[..<end])))]".utf8
    noted += word[end...]
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || (9...13).contains(byte) }
}

/// Passes the text, followed by the notes.
final class ListNotes: Transform {
  private let notes: Notes
  private var endsLine = true

  init(notes: Notes) { self.notes = notes }

  func feed(_ bytes: Span<UInt8>, to output: any TransformOutput) throws {
    if !bytes.isEmpty { endsLine = bytes[bytes.count - 1] == UInt8(ascii: "\n") }
    try output.write(bytes)
  }

  func finish(to output: any TransformOutput) throws {
    guard !notes.addresses.isEmpty else { return }
    if !endsLine { try output.write("\n") }
    for (index, address) in notes.addresses.enumerated() {
      try output.write("[\(index + 1)] " + String(decoding: address, as: UTF8.self) + "\n")
    }
  }
}
