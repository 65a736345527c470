import TestSupport

/// The example plugins, built once for all tests by the Makefile's own rules, against the tree that is tested.
enum Examples {
  private static let built = Result {
    let folder = try TemporaryDirectory.untilExit()
    // -o has make take the tree as it is instead of building a release. What an outer make wants is not for this one.
    try succeed([
      "-u", "MAKEFLAGS", "-u", "MAKEOVERRIDES", "make", "-C", Tree.root, "-o", "build", "BUILD=" + Tree.products,
      "PLUGINS=" + folder.path, "examples",
    ])
    return folder
  }

  /// The directory that holds all of them. The first call builds them.
  static func directory() throws -> String { try built.get().path }

  /// A directory with copies of some of them, named without `.so`.
  static func copies(_ names: String...) throws -> TemporaryDirectory {
    let folder = try TemporaryDirectory()
    for name in names { try succeed(["cp", try directory() + "/\(name).so", folder.file(name + ".so")]) }
    return folder
  }
}
