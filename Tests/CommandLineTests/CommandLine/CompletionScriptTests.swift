import Foundation
import TestSupport
import Testing

/// Completes command lines in the shells as a user does with the tabulator.
@Suite("The completion scripts")
struct CompletionScriptTests {
  /// Runs a script of a shell with the built command on the path and the example plugins in `$plugins`.
  private func complete(_ shell: [String], _ script: String) throws -> [String] {
    let directory = try TemporaryDirectory()
    let path =
      URL(filePath: Repo.troupe).deletingLastPathComponent().path + ":"
      + (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")
    let result = try run(
      unset(except: ["HOME", "TROUPE_PLUGIN_PATH"]) + ["timeout", "60"] + shell + [script],
      environment: [
        "PATH": path, "HOME": directory.path, "TROUPE_PLUGIN_PATH": try Examples.directory(),
        "scripts": Repo.root + "/packaging/completions",
        "TERM": "dumb",
      ], directory: Repo.fixture("healthy"))
    #expect(result.status == 0, "\(result.errors)")
    return result.text.split(separator: "\n").map(String.init)
  }

  private static let lines: [([String], [String])] = [
    (["li"], ["list"]), (["quarantine", ""], ["list", "clear"]), (["call", "--log", "de"], ["debug"]),
    (["call", "strle"], ["strlen"]), (["inspect", "org.example.ge"], ["org.example.geometry"]),
    (["inspect", "settings.c"], ["settings.c"]), (["list", "--js"], ["--json"]),
    (["call", "--isolate", "org.example.ge"], ["org.example.geometry"]), (["call", "--isolate", "al"], ["all"]),
    (["call", "--set", "org.example.geo"], ["org.example.geometry:"]), (["resolve", "--tag", "chec"], ["checksum"]),
    (["resolve", "--tag", "libc", "--tag", "so"], ["sort"]), (["resolve", "--tag", "libc", "--tag", "mat"], []),
  ]

  @Test("bash completes commands, options, choices, ids, functions and files", arguments: lines)
  func bash(words: [String], expected: [String]) throws {
    let found = try complete(
      ["bash", "-c"],
      """
      source "$scripts/troupe.bash"
      compopt() { :; }
      COMP_WORDS=(troupe \(words.map { "'\($0)'" }.joined(separator: " "))); COMP_CWORD=\(words.count)
      _troupe; printf '%s\\n' "${COMPREPLY[@]}"
      """)
    #expect(found == expected)
  }

  @Test("bash completes the part behind an equals sign or a colon, at which it breaks words")
  func bashBreaks() throws {
    for (words, expected) in [
      ("call --log = de", "debug"), ("call --log =", "debug"), ("run --set org.example.grep : pat", "pattern="),
      ("run --set org.example.grep :", "pattern="),
    ] {
      let count = words.split(separator: " ").count
      let found = try complete(
        ["bash", "-c"],
        """
        source "$scripts/troupe.bash"
        compopt() { :; }
        COMP_WORDS=(troupe \(words)); COMP_CWORD=\(count)
        _troupe; printf '%s\\n' "${COMPREPLY[@]}"
        """)
      #expect(found.first == expected, "\(words)")
    }
  }

  @Test("fish completes the same", arguments: lines)
  func fish(words: [String], expected: [String]) throws {
    let found = try complete(
      ["fish", "--no-config", "-c"], "source $scripts/troupe.fish; complete -C 'troupe \(words.joined(separator: " "))'")
    #expect(Set(found.map { $0.split(separator: "\t")[0] }) == Set(expected.map { $0[...] }))
  }

  @Test("zsh completes the same", arguments: lines)
  func zsh(words: [String], expected: [String]) throws {
    // The functions of its completion system print their arguments.
    let found = try complete(
      ["zsh", "-f", "-c"],
      """
      _files() { print -rl -- ${words[CURRENT]}*(N) }
      compset() { : }
      _describe() { print -rl -- "${(@P)4}" }
      compadd() { print -rl -- "${(@P)argv[-1]}" }
      words=(troupe \(words.map { "'\($0)'" }.joined(separator: " "))); CURRENT=\(words.count + 1)
      source $scripts/_troupe || true
      """)
    #expect(Set(found.map { $0.split(separator: ":")[0] }) == Set(expected.map { $0.split(separator: ":")[0] }))
  }

  @Test("run completes the tags of transforms alone")
  func transforms() throws {
    let cache = try TemporaryDirectory()
    let environment = ["XDG_CACHE_HOME": cache.path, "TROUPE_PLUGIN_PATH": try Examples.directory()]
    func command(_ words: String...) throws -> Run {
      try run(unset(except: environment.keys) + [Repo.troupe] + words, environment: environment)
    }
    // Tags of plugins in C are known after a probe.
    _ = try command("inspect", "org.example.base64")
    let tags = try output(of: command("--complete", "run", "--tag", "base64", "--tag", ""))
    #expect(Set(tags.split(separator: "\n")) == ["base64-encode\t", "base64-decode\t", "encoding\t"])
    #expect(try output(of: command("--complete", "run", "--tag", "chec")).isEmpty)
  }
}
