internal import TroupeHost

/// A table with headings in columns.
package struct Table {
  /// The text of a cell on one line.
  private struct Cell {
    let text: String
    let width: Int

    init(_ text: String) {
      self.text = text.onOneLine
      // In ASCII each byte is a character, which saves the search for grapheme clusters.
      width = self.text.utf8.allSatisfy { $0 < 0x80 } ? self.text.utf8.count : self.text.count
    }
  }

  private let headings: [Cell]
  private var rows: [(cells: [Cell], note: String?)] = []

  package init(_ headings: String...) {
    self.headings = headings.map(Cell.init)
  }

  /// Adds a row, and a note on a line below it. Replaces control characters by spaces.
  package mutating func add(_ cells: String..., note: String? = nil) {
    rows.append((cells.map(Cell.init), note?.onOneLine))
  }

  /// The table as text. With color, headings are bold and notes red.
  package func text(color: Bool) -> String {
    let widths = headings.indices.map { column in
      rows.reduce(headings[column].width) { max($0, $1.cells[column].width) }
    }
    // Appending bytes needs no validation.
    var text: [UInt8] = []
    func line(_ cells: [Cell]) {
      for (column, cell) in cells.enumerated() {
        text += cell.text.utf8
        if column < cells.count - 1 { text += repeatElement(UInt8(ascii: " "), count: widths[column] - cell.width + 2) }
      }
    }
    func styled(_ code: Int, _ write: () -> Void) {
      if color { text += "\u{1B}[\(code)m".utf8 }
      write()
      if color { text += "\u{1B}[0m".utf8 }
      text.append(UInt8(ascii: "\n"))
    }
    styled(1) { line(headings) }
    for (cells, note) in rows {
      line(cells)
      text.append(UInt8(ascii: "\n"))
      if let note { styled(31) { text += "    \(note)".utf8 } }
    }
    return String(decoding: text, as: UTF8.self)
  }
}
