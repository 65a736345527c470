import Foundation
import TestSupport
import Testing
import TroupeSignature

/// The signatures in Tests/Fixtures/signatures. `valid/NAME.txt` has a signature and its canonical form, a line each;
/// `invalid/NAME.txt`, named after the fault, has the signature, the column, the problem and the expected token.
@Suite("The corpus of signatures")
struct SignatureCorpusTests {
  /// The lines of the files in a directory, by file name.
  private static func files(_ directory: String) throws -> [(name: String, lines: [String])] {
    let path = Repo.fixture("signatures/\(directory)")
    return try FileManager.default.contentsOfDirectory(atPath: path).sorted().map { name in
      let text = try String(contentsOfFile: "\(path)/\(name)", encoding: .utf8)
      // Not by characters: white space of a signature and the line end may form one character.
      return (name, text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { String($0) ?? "" })
    }
  }

  @Test("Each invalid signature is refused with its column, its problem and the expected token")
  func invalid() throws {
    let files = try Self.files("invalid")
    #expect(files.count >= 200)
    for (name, lines) in files {
      try #require(lines.count == 5 && lines[4].isEmpty, "\(name)")
      let error = try SignatureErrorTests.fault(lines[0])
      #expect("\(error.position + 1)" == lines[1], "\(name): \(error)")
      #expect(error.problem == lines[2], "\(name): \(error)")
      #expect(error.expected == lines[3], "\(name): \(error)")
    }
  }

  @Test("Each valid signature has its canonical form, which parses to an equal signature and prints the same")
  func valid() throws {
    let files = try Self.files("valid")
    #expect(files.count >= 100)
    for (name, lines) in files {
      try #require(lines.count == 3 && lines[2].isEmpty, "\(name)")
      let signature = try Signature(parsing: lines[0])
      #expect(signature.description == lines[1], "\(name)")
      let again = try Signature(parsing: lines[1])
      #expect(again == signature, "\(name)")
      #expect(again.hashValue == signature.hashValue, "\(name)")
      #expect(again.description == lines[1], "\(name)")
    }
  }

  @Test("Every text of the header's macros parses, except for the ownership of an argument, which has no output")
  func macros() throws {
    let directory = try TemporaryDirectory()
    let program = directory.file("accepted")
    for compiler in [["cc", "-std=c11"], ["c++", "-std=c++17", "-x", "c++"]] {
      try succeed(compiler + ["-I", Repo.root + "/include", Repo.fixture("signatures/accepted.c"), "-o", program])
      let texts = try succeed([program, "print"]).text.split(separator: "\n").map(String.init)
      #expect(texts.count >= 28)
      var refused: [String] = []
      for text in texts {
        do {
          let signature = try Signature(parsing: text)
          #expect(try Signature(parsing: signature.description) == signature)
        } catch {
          refused.append(text)
        }
      }
      #expect(refused == ["int (owned(free) char *text)"])
    }
  }

  @Test("The time to parse a signature grows linearly with its length")
  func time() throws {
    /// The processor time of this thread, which excludes other work on the machine.
    var processorSeconds: Int {
      var time = timespec()
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
      return time.tv_sec
    }
    func repeated(_ head: String, _ piece: (Int) -> String, _ tail: String, _ limit: Int = 65000) -> String {
      var text = head
      var index = 0
      while text.utf8.count + tail.utf8.count < limit {
        text += piece(index)
        index += 1
      }
      return text + tail
    }
    let texts = [
      repeated("int (", { _ in "enum : " }, "int { A } e)"),
      repeated("int ", { _ in "const " }, "(void)"),
      repeated("int (struct { int x", { ", y\($0)" }, "; } p)"),
      repeated("int (enum { A", { ", B\($0)" }, " } e)"),
      repeated("struct a0 { int x; }; ", { "struct a\($0 + 1) { struct a\($0) x; }; " }, "int (void)"),
      repeated("union a0 { int x; }; ", { "union a\($0 + 1) { union a\($0) x, y; }; " }, "int (void)"),
      repeated(
        "struct a0 { int x; }; ", { "struct a\($0 + 1) { struct a\($0) (*f)(struct a\($0) x, struct a\($0) y); }; " },
        "int (void)"),
      repeated(
        repeated("struct a { int x", { ", y\($0)" }, "; }; int (int x", 6000), { ", struct { struct a x; } *y\($0)" }, ")"),
      repeated(
        repeated("struct a { int x", { ", y\($0)" }, "; }; int (int x", 6000), { ", struct { struct a x; } y\($0)" }, ")"),
      repeated("int (int n", { ", const int x\($0)[n]" }, ")", 16000),
      repeated("int (int n", { ", const string x\($0)[n]" }, ")", 16000),
      String(repeating: "(", count: 65000), String(repeating: "int (*f)(", count: 7000),
      String(repeating: "struct {", count: 8000), "int (struct { int x" + String(repeating: "[1]", count: 20000),
    ]
    for text in texts {
      let start = processorSeconds
      if let signature = try? Signature(parsing: text) {
        #expect((try? Signature(parsing: signature.description)) == signature)
        _ = signature.callerParameters
      }
      // A linear parse takes some milliseconds.
      #expect(processorSeconds - start < 5, "\(text.prefix(60))")
    }
  }
}
