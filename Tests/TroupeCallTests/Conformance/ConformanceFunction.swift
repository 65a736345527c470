import TestSupport
@testable import TroupeCall

/// A random function in C with its signature.
struct ConformanceFunction: Sendable {
  let name: String
  /// The text in C.
  let source: String
  let signature: Signature
  private let parts: [ConformancePart]
  /// The parameters in the order of the signature, by their parts.
  private let order: [(part: Int, parameter: Int)]
  private let failure: ConformanceError?

  init(_ name: String, _ make: inout ConformanceParts) throws {
    make.reset()
    var parts = try make.parts()
    let tail = make.types.chance(1, of: 5) ? try make.tail() : nil
    let (result, failure) = try make.result()
    if failure != nil {
      parts.append(
        ConformancePart(parameters: [.init("int failing")], follow: { [[.integer($0.isFailing ? 1 : 0)]] }))
    }
    let fixedCount = parts.count
    parts += [tail, result.part].compactMap { $0 }

    func places(_ indices: some Sequence<Int>) -> [(part: Int, parameter: Int)] {
      indices.flatMap { part in parts[part].parameters.indices.map { (part, $0) } }
    }
    var order = places(Array(0..<fixedCount) + [parts.count - 1]).shuffled(using: &make.types.generator)
    if tail != nil { order += places([fixedCount]) }
    let parameters = order.map { parts[$0.part].parameters[$0.parameter] }

    signature = try make.definitions.signature(
      result.signature + (failure.map { " " + $0.rule } ?? ""), parameters.map(\.signature), using: parts.flatMap(\.uses))
    let list = parameters.isEmpty ? "void" : parameters.map(\.c).joined(separator: ", ")
    let isVoid = result.c == "void"
    let statements =
      ["BEGIN long used = 0;", failure == nil ? "int failing = 0;" : ""]
      + parts.dropLast().map { "{ \($0.body) }" }
      + [
        failure.flatMap { failure in
          failure.result.map { "if (failing) { errno = \(failure.errno); return \($0); }" }
        } ?? "",
        isVoid ? "" : "\(result.c) result;", result.part.body,
        // Means nothing if the result is not the one of a failure.
        failure?.rule == "errno" ? "errno = EDOM;" : "",
        failure?.rule == "errno(any)" ? "if (failing) errno = \(failure?.errno ?? 0);" : "",
        isVoid ? "" : "return result;",
      ]
    source = "\(result.c) \(name)(\(list)) { \(statements.filter { !$0.isEmpty }.joined(separator: " ")) }"
    (self.name, self.parts, self.order, self.failure) = (name, parts, order, failure)
  }

  /// Calls the function several times and returns the faults.
  func faults(_ library: CLibrary, seed: UInt64) throws -> [String] {
    var generator = SplitMix64(seed: seed)
    var faults: [String] = []
    for backend in [PreparedCall.Backend.automatic, .libffi] where backend == .automatic || !signature.isWrongInLibFFI {
      let prepared = try PreparedCall(
        signature: signature, function: library.function(name), symbols: { try? library.function($0) }, backend: backend)
      for isFailing in failure == nil ? [false, false] : [false, true] {
        let call = ConformanceCall(SplitMix64(seed: generator.next()), library, isFailing: isFailing)
        faults += try self.faults(prepared, call).map { "\(backend): \($0)" }
        for count in ["remaining", "mistakes"] {
          let place = UnsafeMutablePointer(mutating: try library.function(count).assumingMemoryBound(to: Int.self))
          if place.pointee != 0 { faults.append("\(backend): \(place.pointee) \(count)") }
          place.pointee = 0
        }
      }
    }
    return faults
  }

  private func faults(_ prepared: PreparedCall, _ call: ConformanceCall) throws -> [String] {
    var call = call
    let arguments = try parts.map { try $0.follow(&call) }
    // What the function keeps lives as long as one of the references.
    defer { withExtendedLifetime(arguments) {} }
    do {
      let outcome = try prepared.call(order.flatMap { arguments[$0.part][$0.parameter] })
      return call.isFailing ? ["does not fail"] : call.faults(of: outcome) + call.checks.compactMap { $0(outcome) }
    } catch {
      guard call.isFailing, error.code == failure?.code, error.problem.contains(failure?.text ?? "") else {
        return ["\(error)"]
      }
      return call.checks.compactMap { $0(nil) }
    }
  }
}
