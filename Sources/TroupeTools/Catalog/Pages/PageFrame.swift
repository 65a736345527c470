internal import TroupeHost

/// The common parts of all pages: the head, the navigation, the search field and the footer.
enum PageFrame {
  /// A page of the navigation.
  enum Section: String, CaseIterable {
    case index, functions, tags, graph

    /// The path of the page in the site.
    var path: String { "\(rawValue).html" }

    fileprivate var title: String {
      switch self {
      case .index: "Plugins"
      case .functions: "Functions"
      case .tags: "Tags"
      case .graph: "Dependencies"
      }
    }
  }

  /// Scripts and style sheets are files of the site; `file:` is for a site that is opened without a server.
  private static let policy =
    "default-src 'none'; style-src 'self' file:; script-src 'self' file:; base-uri 'none'; form-action 'none'"

  /// Returns a page.
  ///
  /// - Parameters:
  ///   - section: The page of the navigation that it is; nil for the page of a plugin.
  ///   - prefix: The path from the page to the root of the site.
  static func page(
    _ title: String, _ section: Section?, prefix: String = "", _ content: (inout HTML) -> Void
  ) -> [UInt8] {
    var html = HTML(capacity: 1 << 14)
    html.markup("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">")
    html.markup("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">")
    html.empty("meta", ["http-equiv": "Content-Security-Policy", "content": policy])
    html.markup("<meta name=\"color-scheme\" content=\"light dark\"><meta name=\"referrer\" content=\"no-referrer\">")
    html.element("title", section == .index ? title : "\(title) – Plugins")
    html.empty("link", ["rel": "stylesheet", "href": prefix + "catalog.css"])
    html.element("script", ["src": prefix + "catalog.js", "defer": ""], "")
    html.markup("</head>\n")
    html.element("body", ["data-root": prefix]) { html in
      html.markup("<a class=\"skip\" href=\"#content\">Skip to the content</a>\n")
      html.element("header", ["class": "site"]) { $0.header(section, prefix) }
      html.markup("\n<main id=\"content\" tabindex=\"-1\">")
      content(&html)
      html.markup("</main>\n<footer class=\"site\"><p>Written by <code>troupe catalog</code> ")
      html.text("\(Release.version).")
      html.markup("</p></footer>")
    }
    html.markup("</html>\n")
    return html.bytes
  }
}

extension HTML {
  fileprivate mutating func header(_ current: PageFrame.Section?, _ prefix: String) {
    element("div", ["class": "bar"]) { html in
      html.element("nav", ["aria-label": "Site"]) { html in
        html.element("ul") { html in
          for section in PageFrame.Section.allCases {
            html.element("li") { html in
              html.element(
                "a", ["href": prefix + section.path, "aria-current": section == current ? "page" : nil], section.title)
            }
          }
        }
      }
      // The script shows the field.
      html.markup(
        """
        <form class="search" role="search" hidden><label for="query">Search</label>\
        <input id="query" type="search" autocomplete="off" spellcheck="false" placeholder="Name, tag or text" \
        aria-describedby="search-help"><span id="search-help" class="hidden">Results appear below the field. \
        The arrow keys move through them.</span></form>
        """)
    }
    markup("<div id=\"results\" class=\"results\" hidden><p id=\"result-count\" role=\"status\"></p><ul></ul></div>")
  }
}
