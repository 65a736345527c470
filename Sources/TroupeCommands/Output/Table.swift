internal import TroupeHost

/// Rows in columns for people, with a line of headings.
package struct Table {
  private let headings: [String]
  private var rows: [(cells: [String], note: String?)] = []

  package init(_ headings: String...) {
    self.headings = headings
  }

  /// Adds a row, and a line below it. Control characters in them become spaces.
  package mutating func add(_ cells: String..., note: String? = nil) {
    rows.append((cells.map(\.onOneLine), note?.onOneLine))
  }

  /// The table as text; headings are bold and notes red where there is colour.
  package func text(color: Bool) -> String {
    let widths = headings.indices.map { column in
      max(headings[column].count, rows.map { $0.cells[column].count }.max() ?? 0)
    }
    func line(_ cells: [String]) -> String {
      let padded = cells.enumerated().map { $0 == cells.count - 1 ? $1 : $1.padding(to: widths[$0]) }
      return padded.joined(separator: "  ")
    }
    func styled(_ text: String, _ code: Int) -> String { color ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text }
    var lines = [styled(line(headings), 1)]
    for (cells, note) in rows {
      lines.append(line(cells))
      if let note { lines.append(styled("    " + note, 31)) }
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
