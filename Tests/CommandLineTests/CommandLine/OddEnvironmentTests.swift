import Foundation
import TestSupport
import Testing

@Suite("Odd environments") struct OddEnvironmentTests {
  /// Whether the tests may mount file systems in a namespace.
  private static let canMount = (try? run(["unshare", "-m", "mount", "-t", "tmpfs", "none", "/dev"]).status) == 0

  @Test("The command ends normally with a plugin that links Foundation")
  func foundation() throws {
    let directory = try TemporaryDirectory()
    let sources = try TemporaryDirectory()
    let source = """
      import Foundation
      import Troupe

      @Plugin(id: "org.example.dates", version: "1.0.0")
      struct Dates: Assembly {
        func register(in registrar: any Registrar) {
          registrar.register(String.self, id: "0b0e7c70-6f0a-4e53-9a51-5e2e6a3d0d01", name: "date", tags: "date") { _ in
            Date(timeIntervalSince1970: 0).formatted(.iso8601)
          }
        }
      }
      """
    try Repo.compile([try sources.write("Dates.swift", source.utf8)], to: directory.file("dates.so"))
    let result = try run(["timeout", "20", Repo.troupe, "resolve", "--tag", "date", "--plugins", directory.path])
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.text.contains("1970-01-01T00:00:00Z"))
  }

  @Test(
    "With too few resources a command ends with 71 and names the missing one; with a few more it works",
    arguments: [("-n 4", "-n 32"), ("-n 6", "-n 32"), ("-v 100000", "-v 500000"), ("-d 15000", "-d 100000")])
  func resources(tooFew: String, enough: String) throws {
    func call(_ limit: String) throws -> Run {
      try shell(#"ulimit \#(limit); exec timeout 30 "$troupe" call crc32_text hello --plugins "$plugins""#)
    }
    expectFailure(try call(tooFew), 71, "raise", "ulimit \(tooFew.prefix(2))")
    #expect(try call(enough).status == 0)
  }

  @Test("Without /dev/null a command ends with 71 and names it", .enabled(if: canMount))
  func withoutNull() throws {
    // Mounts an empty file system over /dev in a new namespace.
    let run = try shell(#"unshare -m sh -c 'mount -t tmpfs none /dev && exec "$troupe" list --plugins "$plugins"' </dev/null"#)
    expectFailure(run, 71, "/dev/null cannot be opened", "mknod")
  }

  @Test(
    "With the /proc of another PID namespace nothing is probed or isolated, and the remedy is named", .enabled(if: canMount),
    arguments: [
      ("", "could not be probed: "), ("--isolate org.example.geometry", "cannot be loaded in a worker: "),
    ])
  func foreignProc(option: String, start: String) throws {
    let (plugins, cache) = (try Examples.copies("geometry"), try TemporaryDirectory())
    let result = try shell(
      #"unshare --pid --fork --kill-child "$troupe" resolve --tag geometry --plugins "$plugins" "# + option,
      environment: ["plugins": plugins.path, "XDG_CACHE_HOME": cache.path])
    #expect(result.status != 0)
    #expect(
      result.errors.contains(
        start + "/proc shows the processes of another PID namespace; mount that of this PID namespace with "
          + "mount -t proc proc /proc, and try again"), "\(result.errors)")
  }

  @Test("The command waits for streams that another program has made non-blocking")
  func nonBlocking() throws {
    let directory = try TemporaryDirectory()
    let input = try directory.write("input", (0..<3_000_000).lazy.map { UInt8(truncatingIfNeeded: $0 &* 7) })
    let tool = directory.file("nonblocking")
    try succeed(["cc", "-O1", "-o", tool, Repo.fixture("tools/nonblocking.c")])
    let line =
      #"cat "$input" | "$tool" "$troupe" run --tag base64 --plugins "$plugins" | cmp - "$input""#
    let result = try shell(line, environment: ["input": input, "tool": tool, "plugins": try Examples.directory()])
    #expect(result.status == 0, "\(result.errors)\(result.text)")
    #expect(result.errors == "")
  }

  @Test("An argument that is not UTF-8 is refused unchanged")
  func notUTF8() throws {
    let result = try shell(
      #""$troupe" call crc32_text "$(printf '\377')" --plugins "$plugins""#, environment: ["plugins": try Examples.directory()])
    expectFailure(result, 64, "argument 3 of the command line is not UTF-8")
  }

  @Test("A file whose name is not UTF-8 is rejected with the remedy, and the others are admitted")
  func nameNotUTF8() throws {
    let directory = try Examples.copies("geometry")
    let result = try shell(
      #"cp "$plugins/geometry.so" "$plugins/$(printf '\377').so"; "$troupe" list --plugins "$plugins""#,
      environment: ["plugins": directory.path])
    #expect(result.status == 0)
    #expect(result.text.contains("has a name that is not UTF-8; give it another name"))
    #expect(result.text.contains("org.example.geometry"))
  }

  @Test(
    "A probe variable in the environment without a probing host is reported by its name",
    arguments: ["TROUPE_PROBE=0", "TROUPE_PROBE=2", "TROUPE_PROBE=99"])
  func strayProbe(_ variable: String) throws {
    let result = try run(["env", variable, Repo.troupe, "list", "--plugins", Examples.directory()])
    #expect(result.status == 70)
    #expect(result.text == "")
    #expect(result.errors.contains("the environment requests a probe of a plugin, and no host sends a request on descriptor"))
    #expect(result.errors.contains("unset TROUPE_PROBE"))
  }

  @Test(
    "A role that the command does not have ends it: as a child it would start children of its own without end",
    arguments: ["other:3", "garbage", "3x", "-1", "99999999999", "3:3", "fork:", "fork:3:4", "answer:x", "worker:x:8"])
  func strayRole(_ role: String) throws {
    let result = try run(["env", "TROUPE_PROBE=\(role)", Repo.troupe, "list", "--plugins", Examples.directory()])
    #expect(result.status == 70)
    #expect(result.text == "")
    #expect(result.errors.contains("a role that this program does not have: TROUPE_PROBE=\(role); unset it"))
  }

  @Test("A worker without a host, or with another shape, ends with a message", arguments: ["3", "3:x", "3:8 64 4096 7", "0:"])
  func strayWorker(_ start: String) throws {
    let result = try run(["env", "TROUPE_PROBE=worker:\(start)", Repo.troupe, "list", "--plugins", Examples.directory()])
    #expect(result.status == 70)
    #expect(result.text == "")
    #expect(
      result.errors
        == "the environment requests a worker, and no host shares memory on descriptor \(start.prefix(1)); unset TROUPE_PROBE\n"
    )
  }

  @Test(
    "A probe variable without a value changes nothing, in the process of the host and in a worker", arguments: [false, true])
  func emptyRole(isIsolated: Bool) throws {
    let directory = try Examples.copies("geometry")
    let cache = try TemporaryDirectory()
    let result = try run(
      [Repo.troupe, "resolve", "--tag", "geometry", "--plugins", directory.path]
        + (isIsolated ? ["--isolate", "org.example.geometry"] : []),
      environment: ["TROUPE_PROBE": "", "XDG_CACHE_HOME": cache.path])
    #expect(result.status == 0 && !result.errors.contains("rejected"), "\(result.errors)")
  }

  @Test("With too few threads for the user the command names the limit", .enabled(if: geteuid() == 0), arguments: [1, 2, 3])
  func threads(limit: Int) throws {
    let result = try shell(
      #"exec prlimit --nproc="$limit" setpriv --reuid 54321 --regid 54321 --clear-groups "$troupe" version"#,
      environment: ["limit": "\(limit)"])
    expectFailure(result, 71, "ulimit -u")
  }

  @Test("A file of another user is rejected in a user namespace that maps both users to one id", .enabled(if: canUnshareUser))
  func unmappedUser() throws {
    let directory = try Examples.copies("geometry")
    let result = try shell(
      #"chmod -R a+rX "$directory" && chown -R 2000 "$directory" && setpriv --reuid 1000 --regid 1000 --clear-groups unshare -U "$troupe" list --json --plugins "$directory""#,
      environment: ["directory": directory.path])
    #expect(result.text.contains("user namespace"), "\(result.errors)")
    #expect(!result.text.contains("\"admitted\""))
  }

  /// A shell function that runs the command as user 1000 in a user namespace that maps this user alone, as bubblewrap and Flatpak do.
  private static let asMappedUser =
    #"confined() { setpriv --reuid 1000 --regid 1000 --clear-groups unshare --map-current-user "$@"; }; "#

  @Test(
    "In a user namespace that maps one user, this user's plugins work below directories of unknown owners",
    .enabled(if: canUnshareUser, "only the superuser may become another one"))
  func mappedUser() throws {
    let directory = try Examples.copies("geometry")
    let result = try shell(
      Self.asMappedUser
        + #"chown -R 1000:1000 "$directory"; confined env HOME="$directory" "$troupe" list --json --plugins "$directory""#,
      environment: ["directory": directory.path])
    #expect(result.text.contains("\"admitted\""), "\(result.text)\(result.errors)")
  }

  @Test(
    "There a plugin of an unknown owner is rejected, also through a link, and pins are enough", .enabled(if: canUnshareUser),
    arguments: ["geometry.so", "link.so"])
  func unknownOwner(name: String) throws {
    let directory = try Examples.copies("geometry")
    let home = try TemporaryDirectory()
    let script =
      Self.asMappedUser + #"""
        chown -R 2000:2000 "$directory"; chown 1000:1000 "$home"; cd "$home"
        ln -s "$directory/geometry.so" link.so; chown -h 1000:1000 link.so
        if [ "$name" = link.so ]; then file=$home/link.so; else file=$directory/geometry.so; fi
        confined env HOME="$home" "$troupe" inspect "$file" 2>&1 | grep -o 'belongs to user .*'
        confined env HOME="$home" "$troupe" pin "$file" --pins pins > /dev/null || exit 1
        confined env HOME="$home" "$troupe" inspect "$file" --pins pins | grep '^state'
        confined env HOME="$home" "$troupe" doctor "$file" --pins pins | grep permissions
        chmod o+w "$directory/geometry.so"
        confined env HOME="$home" "$troupe" inspect "$file" --pins pins 2>&1 | grep -o 'is writable by all users'
        """#
    let result = try shell(script, environment: ["directory": directory.path, "home": home.path, "name": name])
    let lines = result.text.split(separator: "\n")
    #expect(lines.count == 4, "\(result.text)\(result.errors)")
    #expect(
      lines.first?.hasPrefix(
        "belongs to user 65534, the id of all users outside of the user namespace; if you trust it, pin it with troupe pin ")
        == true,
      "\(lines)")
    #expect(lines.dropFirst().first == "state     loaded" || lines.dropFirst().first == "state     admitted", "\(lines)")
    #expect(lines.dropFirst(2).first?.hasPrefix("ok") == true, "\(lines)")
  }

  @Test("There the files of the installation are trusted, unless others can write on their path", .enabled(if: canUnshareUser))
  func installationOfUnknownOwner() throws {
    // Not below /tmp, in which every user may write.
    let prefix = "/opt/troupe-test-" + UUID().uuidString
    defer { try? FileManager.default.removeItem(atPath: prefix) }
    let directory = try Examples.copies("geometry")
    let script =
      Self.asMappedUser + #"""
        mkdir -p "$prefix/bin" "$prefix/lib/troupe/plugins" "$prefix/lib/shared/plugins"
        cp "$troupe" "$prefix/bin"; cp "$(dirname "$troupe")/libTroupe.so" "$prefix/lib"
        cp "$directory/geometry.so" "$prefix/lib/troupe/plugins"; cp "$directory/geometry.so" "$prefix/lib/shared/plugins"
        chmod 1777 "$prefix/lib/shared"; chown -R 2000 "$prefix"
        export LD_LIBRARY_PATH=$prefix/lib
        for name in troupe shared; do confined "$prefix/bin/troupe" list --plugins "$prefix/lib/$name/plugins" | tail -1; done
        """#
    let result = try shell(script, environment: ["directory": directory.path, "prefix": prefix])
    let lines = result.text.split(separator: "\n")
    #expect(lines.first?.contains("  admitted  ") == true, "\(result.text)\(result.errors)")
    #expect(lines.last?.contains("belongs to user 65534") == true, "\(result.text)\(result.errors)")
  }

  @Test("The primary group of another user is not private", .enabled(if: canMount), arguments: [false, true])
  func sharedGroup(isListed: Bool) throws {
    let directory = try Examples.copies("geometry")
    let users = try directory.write(
      "passwd", "root:x:0:0::/:\nbob:x:1000:3000::/:\n\(isListed ? "" : "eve:x:1001:3000::/:\n")".utf8)
    let groups = try directory.write("group", "root:x:0:\nbob:x:3000:\n\(isListed ? "too:x:3000:eve\n" : "")".utf8)
    let line = #"""
      chown -R 1000:3000 "$directory" && chmod -R u=rwX,g=rwX,o=rX "$directory" && unshare -m sh -c '
        mount --bind "$users" /etc/passwd && mount --bind "$groups" /etc/group &&
        exec setpriv --reuid 1000 --regid 3000 --clear-groups "$troupe" list --json --plugins "$directory"'
      """#
    let variables = ["directory": directory.path, "users": users, "groups": groups]
    #expect(try shell(line, environment: variables).text.contains("group 3000"))
    try writeFile(users, "root:x:0:0::/:\nbob:x:1000:3000::/:\n".utf8)
    try writeFile(groups, "root:x:0:\nbob:x:3000:bob\n".utf8)
    #expect(try shell(line, environment: variables).text.contains("\"admitted\""))
  }

  private static let canUnshareUser =
    geteuid() == 0
    && (try? shell("setpriv --reuid 1000 --regid 1000 --clear-groups unshare -U true").status) == 0
}
