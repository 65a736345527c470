import Foundation
import TestSupport

/// The trees that have the command, the library and the files for a compiler: that of the build, and an installed one.
enum Place: CaseIterable {
  case built, installed

  /// The command in this tree.
  func troupe() throws -> String {
    switch self {
    case .built: Repo.troupe
    case .installed: try Self.installation.get().file("bin/troupe")
    }
  }

  /// The directory of the installed tree.
  static func prefix() throws -> String { try installation.get().path }

  private static let installation = Result {
    let prefix = try TemporaryDirectory.untilExit()
    try make("install", prefix: prefix.path)
    return prefix
  }

  /// Runs a target of the Makefile for an installation of the tree as it is, without a build.
  static func make(_ target: String, prefix: String) throws {
    try succeed([
      "-u", "MAKEFLAGS", "-u", "MAKEOVERRIDES", "make", "-C", Repo.root, "-o", "build", "BUILD=" + Repo.products,
      "PREFIX=" + prefix, target,
    ])
  }
}
