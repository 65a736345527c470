import Testing
import TroupeCommands

@Suite("Tables")
struct TableTests {
  private static var table: Table {
    var table = Table("ID", "VERSION", "PATH")
    table.add("org.example.grep", "1.0.0", "/plugins/grep.so")
    table.add("-", "10.20.30-beta", "/plugins/bad.so", note: "it is not ELF; remove it")
    table.add("wörter", "", "x")
    return table
  }

  @Test("Columns are as wide as their widest cell, the last is not padded, and a note follows its row")
  func plain() {
    #expect(
      Self.table.text(color: false) == """
        ID                VERSION        PATH
        org.example.grep  1.0.0          /plugins/grep.so
        -                 10.20.30-beta  /plugins/bad.so
            it is not ELF; remove it
        wörter                           x

        """)
  }

  @Test("With color the headings are bold and the notes red, and the text is the same")
  func color() {
    let lines = Self.table.text(color: true).split(separator: "\n")
    #expect(lines.first == "\u{1B}[1mID                VERSION        PATH\u{1B}[0m")
    #expect(lines.dropFirst(3).first == "\u{1B}[31m    it is not ELF; remove it\u{1B}[0m")
    var bare = Self.table.text(color: true)
    for code in ["\u{1B}[1m", "\u{1B}[31m", "\u{1B}[0m"] { bare = bare.replacing(code, with: "") }
    #expect(bare == Self.table.text(color: false))
  }

  @Test("A table without rows has only its headings")
  func empty() {
    #expect(Table("NAME", "TAGS").text(color: false) == "NAME  TAGS\n")
  }

  @Test("Control characters of a cell are escaped and stay on its line")
  func control() {
    var table = Table("NAME", "PATH")
    table.add("two\nlines", "a\tb\u{1B}[2J\r\u{7F}\u{9B}c", note: "one\r\nnote")
    #expect(table.text(color: false) == "NAME       PATH\ntwo lines  a b [2J   c\n    one  note\n")
  }
}
