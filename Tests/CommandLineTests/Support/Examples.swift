import TestSupport

/// The example plugins. The Makefile's rules build them once for all tests against the tested tree.
enum Examples {
  private static let built = Result {
    let plugins = try TemporaryDirectory.untilExit()
    // -o makes make use the tree as it is instead of building a release. The variables of an outer make do not apply.
    try succeed([
      "-u", "MAKEFLAGS", "-u", "MAKEOVERRIDES", "make", "-C", Repo.root, "-o", "build", "BUILD=" + Repo.products,
      "PLUGINS=" + plugins.path, "examples",
    ])
    return plugins
  }

  /// The directory with all examples. The first call builds them.
  static func directory() throws -> String { try built.get().path }

  /// A directory with copies of some examples, named without `.so`.
  static func copies(_ names: String...) throws -> TemporaryDirectory {
    let plugins = try TemporaryDirectory()
    for name in names { try succeed(["cp", try directory() + "/\(name).so", plugins.file(name + ".so")]) }
    return plugins
  }
}
