@testable import TroupeCall

/// Callbacks.
extension ConformanceParts {
  /// A callback that gets values, texts and buffers, and whose result the function hashes.
  mutating func callback() throws -> Part {
    struct Item {
      let text: String
      let declaration: String
      let type: CType
      var isCounted = false
    }
    let name = name()
    let plain = types.records.map(\.spelled).filter(\.isPlain) + ConformanceTypes.scalars.filter(\.isPlain)
    let result: Spelled? = types.chance(1, of: 4) ? nil : types.pick(plain)
    var (items, uses): ([Item], [Spelled]) = ([], [result].compactMap { $0 })
    for index in 0..<types.number(0...8) {
      let item = "p\(name)_\(index)"
      let spelled = types.pick(plain + ConformanceTypes.strings + ConformanceTypes.wideTexts)
      let type = try type(spelled)
      uses.append(spelled)
      if types.chance(1, of: 3), spelled.isPlain {
        let count = types.chance(1, of: 2) ? "n\(index)" : nil
        items.append(
          Item(
            text: "\(spelled.text) const p\(index)[\(count ?? "3")]" + (count.map { ", int \($0)" } ?? ""),
            declaration: "\(spelled.text) \(item)[3]; int \(item)n = \(count == nil ? "3" : "fill_count(state, 4)"); "
              + ConformanceStatements.fill.elements(type, item, count: "\(item)n"),
            type: .array(type, count: 3), isCounted: count != nil))
      } else {
        items.append(
          Item(
            text: "\(spelled.text) p\(index)",
            declaration: "\(spelled.text) \(item); \(ConformanceStatements.fill.value(type, item))", type: type))
      }
    }
    let list = items.isEmpty ? "void" : items.map(\.text).joined(separator: ", ")
    let cList = items.isEmpty ? "void" : items.map { $0.text.replacing(#/\[\w+\]/#, with: "[]") }.joined(separator: ", ")
    let given = items.indices.map { "p\(name)_\($0)" + (items[$0].isCounted ? ", p\(name)_\($0)n" : "") }.joined(
      separator: ", ")
    let resultType = try result.map { try type($0) } ?? .void
    let signature = try definitions.signature("\(result?.text ?? "void") (@)", [list], using: uses)
    let declarations = items.map { $0.declaration + " " }.joined()
    let call =
      result.map { "\($0.text) r = \(name)(\(given)); \(ConformanceStatements.hash.value(resultType, "r"))" }
      ?? "\(name)(\(given));"
    return Part(
      parameters: [
        Parameter("\(result?.text ?? "void") (*\(name))(\(list))", c: "\(result?.text ?? "void") (*\(name))(\(cList))")
      ],
      body: "{ \(declarations)\(call) }", uses: uses,
      follow: { [items] call in
        var expected: [ConformanceCall.Expected] = []
        for item in items {
          guard case .array(let element, let full) = item.type else {
            expected.append(.init(type: item.type, bytes: call.fill(item.type)))
            continue
          }
          let count = item.isCounted ? call.count(below: 4) : full
          expected.append(call.elements(element, count, areNonzero: false))
          guard item.isCounted else { continue }
          expected.append(.init(type: .integer(.int), bytes: ConformanceCall.bytes(.integer(Int128(count)), .integer(.int))))
        }
        let result = resultType == .void ? Value.void : call.input(resultType)
        let callback = try Callback(signature: signature) { [expected] (values: [Value]) in
          for (value, expected) in zip(values, expected) where ConformanceCall.bytes(value, expected.type) != expected.bytes {
            throw CLibrary.TestError("the callback \(name) got \(values)")
          }
          return result
        }
        return [[.callback(callback)]]
      })
  }
}
