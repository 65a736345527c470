internal import Glibc
internal import TroupeFiles
internal import TroupeHost

/// The symbols of the plugin's library and the libraries that it links.
extension Checks {
  static let libraries: [Check] = [
    Check("file-entry", level: 1, "The library exports the entry troupe_plugin_main.") { subject in
      let links = try Linkage(subject)
      return .expect(
        links.symbols.contains { $0.isDefined && $0.name == entry }, "exports no function \(entry)",
        remedy: "define it and mark it TROUPE_EXPORT, or build with @Plugin in Swift")
    },
    Check("file-exported-symbols", level: 1, severity: .warning, "The library exports the entry alone.") { subject in
      let links = try Linkage(subject)
      if links.isSwift { throw NotApplicable("it is in Swift, whose compiler exports public types") }
      let names = links.symbols.filter { $0.isDefined && $0.binding == .global && $0.name != entry }.map(\.name)
        .filter { !linkerNames.contains($0) && !$0.hasPrefix("_Z") }
      return .expect(
        names.isEmpty, "exports \(names.listed(atMost: 3)), which another library of the process may replace",
        remedy: "build it with -fvisibility=hidden, and mark the entry TROUPE_EXPORT")
    },
    Check("file-missing-libraries", level: 1, "The loader finds each library that the plugin links.") { subject in
      let links = try Linkage(subject)
      let missing = links.needed.filter { links.file(of: $0) == nil }
      return .expect(
        missing.isEmpty, "needs \(missing.listed(atMost: 5)), which the loader does not find",
        remedy: "install it, or \(ownDirectory)")
    },
    Check(
      "file-undefined-symbols", level: 1, needs: ["file-missing-libraries"],
      "A linked library defines each symbol that the plugin uses."
    ) { subject in
      let links = try Linkage(subject)
      do throws(Diagnosis) {
        try LinkCheck(of: subject.libraryPath, directory: Path.directory(of: subject.libraryPath)).run()
      } catch {
        return .problem(error.problem, remedy: error.remedy)
      }
      let defined = links.definedNames()
      let missing = links.symbols.filter { !$0.isDefined && $0.binding == .global && !defined.contains($0.name) }.map(\.name)
      return .expect(
        missing.isEmpty, "uses \(missing.listed(atMost: 3)), which no library that it links defines",
        remedy: "link the library that defines it, with -l")
    },
    Check("file-unneeded-libraries", level: 1, severity: .warning, "The plugin uses each library that it links.") { subject in
      let links = try Linkage(subject)
      if links.isSwift { throw NotApplicable("it is in Swift, whose compiler links its libraries itself") }
      let wanted = Set(links.symbols.filter { !$0.isDefined }.map(\.name))
      let unused = links.needed.filter { name in
        guard !runtimes.contains(where: { name.utf8.starts(with: $0.utf8) }), let file = links.file(of: name) else {
          return false
        }
        return Linkage.definedNames(inFile: file).isDisjoint(with: wanted)
      }
      return .expect(
        unused.isEmpty, "links \(unused.listed(atMost: 5)) and uses no symbol of it",
        remedy: "leave out its -l option, or link with -Wl,--as-needed")
    },
    Check(
      "file-run-path", level: 1,
      "The run path leads to absolute directories, or ones relative to the plugin, that only the user and root can change."
    ) { subject in
      let links = try Linkage(subject)
      let problems = links.runPath.compactMap { entry -> String? in
        if entry.isEmpty { return "an empty entry in its run path, which is the current directory" }
        guard entry.hasPrefix("/") || entry.hasPrefix("$ORIGIN") || entry.hasPrefix("${ORIGIN}") else {
          return "the relative directory \(entry.shortened()) in its run path"
        }
        let isOpen = (try? Path.status(links.expanded(entry))).map { $0.st_mode & S_IWOTH != 0 } ?? false
        return isOpen ? "\(entry.shortened()) in its run path, which every user can write to" : nil
      }
      guard let problem = problems.first else { return .passed }
      return .problem("has \(problem)", remedy: ownDirectory)
    },
    Check("file-absolute-run-path", level: 1, severity: .warning, "The run path works on other machines.") { subject in
      let entries = try Linkage(subject).runPath.filter { entry in
        // The run path of the Swift compiler, which the machine of a plugin in Swift has as well.
        entry.hasPrefix("/") && access(entry + "/libswiftCore.so", F_OK) != 0
      }
      return .expect(
        entries.isEmpty, "has \(entries.listed(atMost: 3)) in its run path, which another machine may lack",
        remedy: ownDirectory)
    },
    Check("file-old-run-path", level: 1, severity: .warning, "The run path has the form that LD_LIBRARY_PATH can override.") {
      subject in
      .expect(
        try Linkage(subject).dynamic?.rpath == nil, "has its run path in the old form DT_RPATH",
        remedy: "link with -Wl,--enable-new-dtags")
    },
    Check("file-soname", level: 1, severity: .warning, "The library has no SONAME, or that of its file or id.") { subject in
      let soname = try Linkage(subject).dynamic?.soname
      guard let soname, soname != Path.lastComponent(of: subject.path) else { return .passed }
      // Zig sets a SONAME that its build files cannot leave out. No library but the plugin has one with the plugin's id.
      let id = subject.manifest.map { String($0.id.map { $0.isLetter || $0.isNumber ? $0 : "_" }) }
      if let id, soname == "lib\(id).so" { return .passed }
      return .problem(
        "has the SONAME \(soname.shortened()), and the loader takes any two libraries with one SONAME for the same",
        remedy: "link it without -Wl,-soname; in CMake, add it as a MODULE")
    },
  ]

  private static let entry = "troupe_plugin_main"
  /// The symbols that linkers define in every library.
  private static let linkerNames: Set = ["_init", "_fini", "__bss_start", "_edata", "_end", "__end__", "end", "edata", "etext"]
  /// The libraries that compilers link without being asked.
  private static let runtimes = ["libc.so", "ld-linux", "libgcc_s.so", "libstdc++.so", "libc++.so", "libTroupe.so"]
  /// The remedy for a library that another machine may lack. The plugin directory holds plugins alone; see the guide SharedInterfaces.
  private static let ownDirectory =
    "put its libraries outside the plugin directory, such as into ../lib, and link with -Wl,-rpath,'$ORIGIN/../lib'"
}
