import Foundation
import TestSupport

@testable import TroupeCall

/// A program in C that makes the calls and prints a line for each.
struct CProgram {
  private let calls: [SystemCall]

  init(_ calls: [SystemCall]) { self.calls = calls }

  /// Compiles and runs the program; returns the lines of its output.
  func run() throws -> [String] {
    let functions = try calls.map(CFunction.init)
    let variables = Set(calls.flatMap { $0.signature.outputs.compactMap(\.name) + [$0.variable].compactMap { $0 } })
    var source = try String(contentsOfFile: Repo.root + "/Tests/Fixtures/calls/system-calls.c", encoding: .utf8)
    for variable in variables.sorted() { source += "static void *handle_\(variable);\n" }
    for definition in Set(functions.flatMap(\.definitions)).sorted() { source += definition + ";\n" }
    for (index, function) in functions.enumerated() { source += "static void call\(index)(void) {\n\(function.body)}\n" }
    source += "int main(void) {\n" + calls.indices.map { "  call\($0)();\n" }.joined() + "}\n"
    let directory = try TemporaryDirectory()
    try Data(source.utf8).write(to: URL(filePath: directory.file("calls.c")))
    try succeed(["cc", "-std=gnu11", "-w", "-o", directory.file("calls"), directory.file("calls.c"), "-ldl"])
    let output = try TestSupport.run([directory.file("calls")])
    return output.text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
  }
}
