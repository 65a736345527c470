import Testing

@testable import TroupeTools

@Suite("HTML") struct HTMLTests {
  private func text(_ write: (inout HTML) -> Void) -> String {
    var html = HTML()
    write(&html)
    return String(decoding: html.bytes, as: UTF8.self)
  }

  @Test("Texts of plugins are no markup, in contents and in attributes")
  func escaping() {
    #expect(text { $0.text("<a href=\"x\">'&'</a>") } == "&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;&lt;/a&gt;")
    #expect(text { $0.text("é <b>") } == "é &lt;b&gt;")
    #expect(text { $0.element("p", ["title": "\" onclick=\"x"], "") } == "<p title=\"&quot; onclick=&quot;x\"></p>")
  }

  @Test("Control characters are replaced, line ends stay, and marks of the direction are left out")
  func controls() {
    #expect(text { $0.text("a\u{1}b\u{7F}c\u{9B}d") } == "a\u{FFFD}b\u{FFFD}c\u{FFFD}d")
    #expect(text { $0.text("a\nb\tc\rd") } == "a\nb\tc\nd")
    #expect(text { $0.text("a\u{202E}b\u{200F}c") } == "abc")
  }

  @Test("An attribute without a value is left out")
  func attributes() {
    #expect(text { $0.element("a", ["class": nil, "href": ""], "x") } == "<a href=\"\">x</a>")
    #expect(text { $0.empty("input", ["name": "n"]) } == "<input name=\"n\">")
  }

  @Test("Text between backticks is code, and blank lines separate paragraphs")
  func prose() {
    #expect(text { $0.prose("Call `f<T>` now") } == "Call <code>f&lt;T&gt;</code> now")
    #expect(text { $0.prose("One ` alone") } == "One ` alone")
    #expect(
      text { $0.paragraphs("one\ntwo\n \n\nthree") } == "<p dir=\"auto\">one\ntwo</p><p dir=\"auto\">three</p>")
  }
}
