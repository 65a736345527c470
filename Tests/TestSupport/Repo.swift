internal import Foundation

/// Paths of the repository and of its built products, and the compiler calls for plugins.
public enum Repo {
  /// The top-level directory.
  public static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().path

  /// The directory with the tested products: that of `TROUPE_PRODUCTS`, or else the directory of the test bundle.
  public static let products: String = {
    if let directory = ProcessInfo.processInfo.environment["TROUPE_PRODUCTS"] { return directory }
    let bundle = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
    return URL(filePath: bundle).deletingLastPathComponent().path
  }()

  /// The built command.
  public static var troupe: String { products + "/troupe" }

  /// The directory with `troupe.h`.
  public static let headers = root + "/include"

  /// The directory with the header of ABI 1.0, which never changes.
  public static let firstHeaders = fixture("abi/1.0")

  /// Returns the path of a fixture.
  public static func fixture(_ name: String) -> String { root + "/Tests/Fixtures/" + name }

  /// Compiles a plugin in C, C++ or Swift with one compiler call, as authors outside the repository do, and returns its path.
  ///
  /// - Parameters:
  ///   - sources: Files of one language.
  ///   - library: The path of the shared library.
  ///   - headers: The directory with `troupe.h`.
  ///   - options: Further options for the compiler.
  @discardableResult
  public static func compile(
    _ sources: [String], to library: String, headers: String = headers, options: [String] = []
  ) throws -> String {
    try succeed(compilation(of: sources, to: library, headers: headers, options: options))
    return library
  }

  /// Returns the compiler call that `compile` makes.
  public static func compilation(
    of sources: [String], to library: String, headers: String = headers, options: [String] = []
  ) -> [String] {
    let command: [String] =
      switch URL(filePath: sources[0]).pathExtension {
      case "c": ["cc", "-std=c11", "-O1", "-fPIC", "-shared", "-fvisibility=hidden", "-I", headers]
      case "cpp": ["c++", "-std=c++17", "-O1", "-fPIC", "-shared", "-fvisibility=hidden", "-I", headers]
      default:
        [
          "swiftc", "-O", "-swift-version", "6", "-emit-library", "-parse-as-library", "-module-name",
          URL(filePath: library).deletingPathExtension().lastPathComponent.replacing("-", with: "_"),
          "-I", products + "/Modules", "-I", headers, "-L", products, "-lTroupe", "-load-plugin-executable",
          products + "/TroupeMacros-tool#TroupeMacros",
        ]
      }
    return command + ["-o", library] + sources + options
  }
}
