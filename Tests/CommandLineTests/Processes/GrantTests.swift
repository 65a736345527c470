import Foundation
import TestSupport
import Testing

/// What plugins in workers may read: what the policy grants, and the libraries that the loader opens for them.
@Suite("Grants of workers")
struct GrantTests {
  /// The users to run the command as: that of the test and, for root, one without privileges.
  static let users = geteuid() == 0 ? ["", "nobody"] : [""]
  /// The result of a function that may not open a file.
  private static let denied = "-\(EACCES)\n"

  /// A directory with plugins, their libraries and a file that is nobody's business.
  private final class Case {
    let directory: TemporaryDirectory
    var plugins: String { directory.file("plugins") }
    var secrets: String { directory.file("secrets") }
    var secret: String { directory.file("secrets/secret") }

    init() throws {
      directory = try TemporaryDirectory()
      try setMode(0o755, of: directory.path)
      for part in ["plugins", "lib", "secrets"] {
        try FileManager.default.createDirectory(atPath: directory.file(part), withIntermediateDirectories: false)
      }
      try directory.write("secrets/secret", "secret".utf8)
    }

    /// Compiles a library that defines `inner`, or only has needs.
    @discardableResult
    func library(_ path: String, soname: String, _ options: String..., value: Int? = nil) throws -> String {
      let source = try directory.write("library.c", value.map { "int inner(void) { return \($0); }" }?.utf8 ?? "".utf8)
      try succeed(["cc", "-shared", "-fPIC", "-Wl,-soname,\(soname)", "-o", directory.file(path), source] + options)
      return directory.file(path)
    }

    /// Compiles the plugin.
    func plugin(_ options: [String]) throws {
      try Repo.compile(
        [Repo.fixture("isolation/grants.c")], to: plugins + "/grants.so", options: ["-Wl,--no-as-needed"] + options)
    }

    /// Runs the command with the plugin in a worker.
    func troupe(
      _ arguments: String..., as user: String = "", policy: String = "all", variables: [String: String] = [:],
      shell: String? = nil
    ) throws -> Run {
      let prefix = user.isEmpty ? [] : ["setpriv", "--reuid", user, "--regid", "nogroup", "--clear-groups"]
      let start = shell.map { ["sh", "-c", "\($0); exec \"$@\"", "sh"] } ?? []
      return try run(
        prefix + start + [Repo.troupe] + arguments + ["--plugins", plugins, "--isolate", policy],
        environment: ["XDG_CACHE_HOME": directory.file("cache-of-\(user)")].merging(variables) { $1 })
    }
  }

  /// A plugin that names what it wants to read. The loader opens none of the names, since they are those of the plugin itself.
  struct Attack: CustomTestStringConvertible {
    let name: String
    /// The SONAME and the needed name. `SECRETS` is the directory of the secret.
    let needed: String
    let options: [String]
    var variables: [String: String] = [:]
    var testDescription: String { name }
  }

  static let attacks = [
    Attack(name: "RUNPATH", needed: "secret", options: ["-Wl,--enable-new-dtags,-rpath,SECRETS"]),
    Attack(name: "RPATH", needed: "secret", options: ["-Wl,--disable-new-dtags,-rpath,SECRETS"]),
    Attack(name: "$ORIGIN", needed: "secret", options: ["-Wl,--enable-new-dtags,-rpath,$ORIGIN/../secrets"]),
    Attack(name: "${ORIGIN}", needed: "secret", options: ["-Wl,--disable-new-dtags,-rpath,${ORIGIN}/../secrets"]),
    Attack(name: "the directory itself", needed: ".", options: ["-Wl,--enable-new-dtags,-rpath,SECRETS"]),
    Attack(name: "the directory above", needed: "..", options: ["-Wl,--enable-new-dtags,-rpath,SECRETS/inner"]),
    Attack(name: "the root", needed: ".", options: ["-Wl,--enable-new-dtags,-rpath,/"]),
    Attack(name: "a path", needed: "SECRETS/secret", options: []),
    Attack(name: "a path of a directory", needed: "SECRETS/", options: []),
    Attack(name: "a path from $ORIGIN", needed: "$ORIGIN/../secrets/secret", options: []),
    Attack(
      name: "LD_LIBRARY_PATH", needed: "secret", options: ["-Wl,--enable-new-dtags,-rpath,/nowhere"],
      variables: ["LD_LIBRARY_PATH": "SECRETS"]),
    Attack(name: "LD_LIBRARY_PATH alone", needed: "secret", options: [], variables: ["LD_LIBRARY_PATH": "SECRETS"]),
  ]

  @Test("A plugin cannot grant itself a file or a directory by the names of its libraries", arguments: attacks, users)
  func ownNames(attack: Attack, user: String) throws {
    let test = try Case()
    func completed(_ text: String) -> String { text.replacingOccurrences(of: "SECRETS", with: test.secrets) }
    try FileManager.default.createDirectory(atPath: test.secrets + "/inner", withIntermediateDirectories: false)
    let name = completed(attack.needed)
    let stub = try test.library("lib/stub.so", soname: name)
    try test.plugin(["-Wl,-soname,\(name)"] + attack.options.map(completed) + [stub])
    let result = try test.troupe("call", "reads", test.secret, as: user, variables: attack.variables.mapValues(completed))
    // A loader that expands the name does not recognize it, and refuses the file.
    #expect(result.text == Self.denied || result.status != 0, "\(result)")
    #expect(result.text != "0\n")
    let list = try test.troupe("call", "reads", test.secrets, as: user, variables: attack.variables.mapValues(completed))
    #expect(list.text != "0\n")
    if attack.name == "RUNPATH" { #expect(result.text == Self.denied && list.text == Self.denied, "\(result)\(list)") }
  }

  @Test("Neither does a library of the plugin, or a library that is adopted", arguments: users)
  func otherNames(user: String) throws {
    let test = try Case()
    let stub = try test.library("lib/stub.so", soname: "secret")
    let options = ["-Wl,--no-as-needed,--enable-new-dtags,-rpath,\(test.secrets)", stub]
    try succeed(
      ["cc", "-shared", "-fPIC", "-Wl,-soname,libmiddle.so", "-o", test.directory.file("lib/libmiddle.so"), "-xc", "/dev/null"]
        + ["-xnone"] + options)
    try test.plugin(["-Wl,-soname,secret,-rpath,$ORIGIN/../lib", test.directory.file("lib/libmiddle.so")])
    #expect(try test.troupe("call", "reads", test.secret, as: user).text == Self.denied)

    let source = try test.directory.write(
      "adopted.c",
      """
      #include <errno.h>
      #include <fcntl.h>
      int opens(const char *path) { return open(path, O_RDONLY) < 0 ? -errno : 0; }
      """.utf8)
    try succeed(
      ["cc", "-shared", "-fPIC", "-Wl,-soname,secret", "-o", test.directory.file("lib/adopted.so"), source] + options)
    try test.directory.write(
      "plugins/adopted.troupe.json",
      """
      {
        "id": "org.example.adopted", "name": "Adopted", "version": "1.0.0", "library": "../lib/adopted.so",
        "functions": [
          {"uuid": "35000000-0000-4000-8000-000000000009", "name": "adopted_opens", "symbol": "opens",
           "signature": "int (const char *path)"}
        ]
      }

      """.utf8)
    let adopted = try test.troupe("call", "adopted_opens", test.secret, as: user)
    #expect(adopted.text == Self.denied, "\(adopted.errors)")
  }

  @Test(
    "A plugin finds its own libraries, and theirs, where the loader searches",
    arguments: [
      // What links the library of the plugin, and then the plugin.
      (["-Wl,--enable-new-dtags,-rpath,$ORIGIN/inner"], ["-Wl,--enable-new-dtags,-rpath,$ORIGIN/../lib"], [:]),
      (["-Wl,--enable-new-dtags,-rpath,${ORIGIN}/../lib/inner"], ["-Wl,--enable-new-dtags,-rpath,DIRECTORY/lib"], [:]),
      ([], ["-Wl,--disable-new-dtags,-rpath,$ORIGIN/../lib:$ORIGIN/../lib/inner"], [:]),
      ([], [], ["LD_LIBRARY_PATH": "DIRECTORY/lib:DIRECTORY/lib/inner"]),
      ([], ["-Wl,--enable-new-dtags,-rpath,/nowhere"], ["LD_LIBRARY_PATH": "/nowhere;DIRECTORY/lib/inner:DIRECTORY/lib"]),
    ] as [([String], [String], [String: String])], users)
  func ownLibraries(links: (middle: [String], plugin: [String], variables: [String: String]), user: String) throws {
    let test = try Case()
    func completed(_ text: String) -> String { text.replacingOccurrences(of: "DIRECTORY", with: test.directory.path) }
    try FileManager.default.createDirectory(atPath: test.directory.file("lib/inner"), withIntermediateDirectories: false)
    let inner = try test.library("lib/inner/libinner.so", soname: "libinner.so", value: 7)
    let source = try test.directory.write("middle.c", "int inner(void); int middle(void) { return inner(); }".utf8)
    try succeed(
      ["cc", "-shared", "-fPIC", "-Wl,-soname,libmiddle.so", "-o", test.directory.file("lib/libmiddle.so"), source, inner]
        + links.middle.map(completed))
    try test.plugin(
      ["-DNEEDS", "-Wl,--allow-shlib-undefined", test.directory.file("lib/libmiddle.so")] + links.plugin.map(completed)
        + ["-Wl,-rpath-link,\(test.directory.file("lib/inner"))"])
    let result = try test.troupe("call", "needed", as: user, variables: links.variables.mapValues(completed))
    #expect(result.text == "7\n", "\(result.errors)")
    // The directory of a library is not granted with it.
    try test.directory.write("lib/secret", "secret".utf8)
    let secret = test.directory.file("lib/secret")
    let read = try test.troupe("call", "reads", secret, as: user, variables: links.variables.mapValues(completed))
    #expect(read.text == Self.denied, "\(read.errors)")
  }

  @Test("A library that other users can change, or of no use, is not read, and the error names it")
  func untrustedLibraries() throws {
    let test = try Case()
    let library = try test.library("lib/libinner.so", soname: "libinner.so", value: 7)
    try test.plugin(["-DNEEDS", library, "-Wl,-rpath,$ORIGIN/../lib"])
    #expect(try test.troupe("call", "needed").text == "7\n")
    try setMode(0o666, of: library)
    let result = try test.troupe("call", "needed")
    #expect(result.status != 0 && result.text.isEmpty)
    #expect(result.errors.contains("lib/libinner.so, which is writable by all users"), "\(result.errors)")
    try setMode(0o644, of: library)
    #expect(try test.troupe("call", "needed").text == "7\n")
  }

  @Test("A directory that a plugin replaces by a link stays the granted one in the next process", arguments: users)
  func redirected(user: String) throws {
    let test = try Case()
    try test.plugin([])
    let (writable, granted) = (test.directory.file("writable"), test.directory.file("writable/data"))
    try FileManager.default.createDirectory(atPath: granted, withIntermediateDirectories: true)
    try test.directory.write("writable/data/own", "own".utf8)
    for path in [writable, granted] { try setMode(0o777, of: path) }
    func redirect(reading file: String) throws -> String {
      unlink(granted)
      rename(granted + ".old", granted)
      return try test.troupe(
        "call", "redirect", granted, test.secrets, file, as: user, policy: "all=write:\(writable),read:\(granted)"
      ).text
    }
    #expect(try redirect(reading: granted + "/secret") == Self.denied)
    #expect(try redirect(reading: test.secret) == Self.denied)
    #expect(try redirect(reading: granted + ".old/own") == "0\n")
  }

  @Test("The processes of a worker keep a granted directory that was renamed, and a new host opens the path again")
  func replaced() throws {
    let test = try Case()
    try test.plugin([])
    let granted = test.directory.file("granted")
    try FileManager.default.createDirectory(atPath: granted, withIntermediateDirectories: true)
    try test.directory.write("granted/file", "1".utf8)
    #expect(try test.troupe("call", "reads", granted + "/file", policy: "all=read:\(granted)").text == "0\n")
    #expect(rename(granted, granted + ".old") == 0 && symlink(test.secrets, granted) == 0)
    #expect(try test.troupe("call", "reads", test.secret, policy: "all=read:\(granted)").text == "0\n")
  }

  @Test("No granted descriptor reaches the plugin, and more grants than open files of the policy work")
  func manyGrants() throws {
    let test = try Case()
    try test.plugin([])
    let count = try test.troupe("call", "descriptors").text
    let paths = (0..<300).map { test.directory.file("granted-\($0)") }
    for path in paths { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false) }
    let policy = "all=descriptors:16," + paths.map { "read:\($0)" }.joined(separator: ",") + ",write:\(paths[7])"
    let many = try test.troupe("call", "descriptors", policy: policy, shell: "ulimit -n 512")
    #expect(many.text == count && !count.isEmpty, "\(many.errors)")
    #expect(try test.troupe("call", "reads", paths[299], policy: policy).text == "0\n")
    // Standard streams that are closed have no effect on the numbers.
    #expect(try test.troupe("call", "reads", paths[0], policy: policy, shell: "exec 0<&-").text == "0\n")
    let scarce = try test.troupe("call", "descriptors", policy: policy, shell: "ulimit -n 100")
    #expect(scarce.status != 0 && scarce.errors.contains("open files"), "\(scarce.errors)")
  }

  @Test("What lies beside libTroupe.so is not readable")
  func ownDirectory() throws {
    let test = try Case()
    try test.plugin([])
    let installation = test.directory.file("installation")
    try FileManager.default.createDirectory(atPath: installation, withIntermediateDirectories: false)
    for name in ["troupe", "troupe-probe", "libTroupe.so"] {
      try copyFile(Repo.products + "/" + name, to: installation + "/" + name)
      try setMode(0o755, of: installation + "/" + name)
    }
    try test.directory.write("installation/secret", "secret".utf8)
    let result = try run([
      installation + "/troupe", "call", "reads", installation + "/secret", "--plugins", test.plugins, "--isolate", "all",
    ])
    #expect(result.text == Self.denied, "\(result.errors)")
  }
}
