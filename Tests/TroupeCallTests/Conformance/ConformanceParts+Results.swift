import TestSupport
@testable import TroupeCall

/// Results of random functions, and how they fail.
extension ConformanceParts {
  typealias Result = ConformanceResult

  /// Chooses a result, and for some of them a backend to fail.
  mutating func result() throws -> (Result, ConformanceError?) {
    if !hasUsedResult, types.chance(1, of: 5) { return status() }
    let result = hasUsedResult ? Self.used : try types.pick(Self.results)(&self)
    guard types.chance(1, of: 3) else { return (result, nil) }
    let errno = Int32(types.number(1...30))
    var failures = [ConformanceError(rule: "errno(any)", code: .system(errno), errno: errno)]
    if let failed = result.failure {
      let condition = failed == "NULL" ? "null" : "negative"
      let number: Int128 = failed == "NULL" ? 0 : -1
      failures += [
        .init(rule: "errno", code: .system(errno), result: failed, errno: errno),
        .init(rule: "error(\(condition))", code: .failure(number), result: failed),
        .init(rule: "error(\(condition): last_failure())", code: .failure(number), text: "last failure", result: failed),
      ]
    }
    return (result, types.pick(failures))
  }

  private static let used = Result(
    signature: "long (@)", c: "long",
    part: ConformancePart(
      body: "result = used;",
      follow: { call in
        let long = CType.integer(CType.Integer.all.first { $0.name == "long" }.unsafelyUnwrapped)
        call.result = .init(type: long, bytes: ConformanceCall.bytes(.integer(Int128(call.used)), long))
        return []
      }), failure: "-1")

  private static let results: [@Sendable (inout ConformanceParts) throws -> Result] = [
    { _ in Result(signature: "void (@)", c: "void", part: ConformancePart()) },
    { try $0.value() }, { try $0.constant() }, { try $0.elements() }, { try $0.text() }, { $0.reference() }, { $0.function() },
  ]

  // MARK: Kinds

  private mutating func value() throws -> Result {
    let spelled = argument()
    let type = try definitions.type(spelled)
    return Result(
      signature: "\(spelled.text) (@)", c: spelled.text,
      part: ConformancePart(
        body: ConformanceStatements.fill.value(type, "result"), uses: [spelled],
        follow: { call in
          call.result = .init(type: type, bytes: call.fill(type))
          return []
        }))
  }

  /// A struct behind a constant pointer.
  private mutating func constant() throws -> Result {
    let record = types.pick(types.linked + types.records)
    let type = try definitions.type(record.spelled)
    let isOwned = types.chance(1, of: 2)
    let name = record.spelled.text
    return Result(
      signature: "\(isOwned ? "owned(release) " : "")const \(name) *(@)", c: "const \(name) *",
      part: ConformancePart(
        body: "{ \(name) *p = \(isOwned ? "own" : "borrow")(sizeof *p + 512); "
          + ConformanceStatements.fill.value(type, "(*p)") + " result = p; }",
        uses: [record.spelled],
        follow: { call in
          call.result = .init(type: type, bytes: call.fill(type))
          return []
        }), failure: "NULL")
  }

  /// Several elements: `double[rows * cols]`.
  private mutating func elements() throws -> Result {
    let isTerminated = types.chance(1, of: 4)
    let spelled = isTerminated ? types.pick(ConformanceTypes.terminable) : argument()
    let type = try definitions.type(spelled)
    let extent = resultExtent(spelled, isTerminated: isTerminated)
    let isOwned = types.chance(1, of: 2)
    return Result(
      signature: "\(isOwned ? "owned(release) " : "")\(spelled.text)[\(extent.text)] (@)", c: "\(spelled.text) *",
      part: ConformancePart(
        parameters: extent.parameters,
        body: extent.body
          + ConformanceStatements.allocate(type, "result", count: extent.c, by: isOwned ? "own" : "borrow"),
        uses: [spelled],
        follow: { call in
          let (count, lengths) = extent.follow(&call)
          call.result = call.elements(type, count, areNonzero: isTerminated)
          return lengths
        }), failure: "NULL")
  }

  /// Text that the caller releases, which may be null.
  private mutating func text() throws -> Result {
    let spelled = types.pick(ConformanceTypes.wideTexts + ConformanceTypes.strings)
    let type = try definitions.type(spelled)
    let plain = spelled.text.replacing("const ", with: "")
    return Result(
      signature: "owned(release) \(plain)(@)", c: plain,
      part: ConformancePart(
        body: type == .string ? "result = own_text(state);" : "result = own_wide(state, sizeof *result);",
        follow: { call in
          call.result = .init(type: type, bytes: call.fill(type))
          return []
        }))
  }

  private mutating func reference() -> Result {
    let type = types.pick(ConformanceTypes.references)
    let lender = types.chance(1, of: 2) ? name() : nil
    let isOwned = types.chance(2, of: 3)
    let words = (isOwned ? "owned(release_handle) " : "") + (lender.map { "borrows(\($0)) " } ?? "")
    return Result(
      signature: "\(words)\(type) *(@)", c: "\(type) *",
      part: ConformancePart(
        parameters: lender.map { [.init("const \(type) *\($0)")] } ?? [],
        body: (lender.map { "hash_handle(state, \($0));" } ?? "")
          + "result = fill_handle(state, \(isOwned ? "own" : "borrow"));",
        follow: { call in
          let arguments = try lender.map { _ in [[Value.reference(try call.reference(type))]] } ?? []
          let reference = CType.reference(.init(name: type))
          call.result = .init(type: reference, bytes: call.fill(reference))
          return arguments
        }), failure: "NULL")
  }

  private mutating func function() -> Result {
    Result(
      signature: "int (*(@))(int)", c: "target",
      part: ConformancePart(
        body: "result = fill_target(state);",
        follow: { call in
          let target = try call.library.function("target\(call.count(below: 2))")
          let type = CType.pointer(.toVoid)
          call.result = .init(type: type, bytes: ConformanceCall.bytes(.pointer(Value.Pointer(target)), type))
          return []
        }), failure: "NULL")
  }

  // MARK: Failures

  /// A result that says whether the function has failed.
  private mutating func status() -> (Result, ConformanceError) {
    let number = types.number(1...30)
    let (errno, code) = (Int32(number), CallError.Code.failure(Int128(number)))
    let integers = ["int", "long", "int8_t", "short", "wchar_t"], status = types.pick(integers)
    let rules: [(type: String, successes: [Int], failure: ConformanceError)] = [
      (status, [0, 1, 77], .init(rule: "errno", code: .system(errno), result: "-1", errno: errno)),
      ("size_t", [0, 1, 77], .init(rule: "errno", code: .system(errno), result: "-1", errno: errno)),
      ("bool", [1], .init(rule: "errno", code: .system(errno), result: "0", errno: errno)),
      (status, [0], .init(rule: "errno(result)", code: .system(errno), result: "\(number)")),
      ("bool", [1], .init(rule: "error(zero)", code: .failure(0), result: "0")),
      (status, [1, -5], .init(rule: "error(zero)", code: .failure(0), result: "0")),
      (status, [0, 100, -101], .init(rule: "error(nonzero except 100, -101)", code: code, result: "\(number)")),
      ("int", [0], .init(rule: "error(nonzero: failure_text)", code: code, text: "failure \(number)", result: "\(number)")),
      (status, [0], .init(rule: "error(nonzero: failure_text(failing))", code: code, text: "failure 1", result: "\(number)")),
      (
        "enum negative", [0, 3],
        .init(rule: "error(negative: last_failure())", code: .failure(-5), text: "last failure", result: "-5")
      ),
    ]
    let (type, successes, failure) = types.pick(rules)
    let spelled = Spelled(text: type, size: 8, alignment: 8)
    let numbers = successes.map { "\($0)" }.joined(separator: ", ")
    let part = ConformancePart(
      body: "result = (\(type)[]){ \(numbers) }[fill_count(state, \(successes.count))];", uses: [spelled],
      follow: { [definitions] call in
        let type = try definitions.type(spelled)
        let number = Value.integer(Int128(successes[call.count(below: successes.count)]))
        call.result = .init(type: type, bytes: ConformanceCall.bytes(try number.converted(to: type), type))
        return []
      })
    return (Result(signature: "\(type) (@)", c: type, part: part), failure)
  }
}
