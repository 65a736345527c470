/// The files of the site that do not depend on the plugins.
enum SiteAssets {
  /// The style sheet of all pages.
  static var styleSheet: SiteFile { SiteFile(path: "catalog.css", bytes: Array(styleSheetText.utf8)) }
  /// The script of all pages.
  static var script: SiteFile { SiteFile(path: "catalog.js", bytes: Array(scriptText.utf8)) }
}
