@testable import TroupeCall

/// Lengths of buffers.
extension ConformanceParts {
  static let terminated = ConformanceExtent(text: "", c: nil) { call in (call.random(0...5), []) }

  /// A length that the caller knows.
  ///
  /// - Parameter isGiven: Whether the call computes it from a buffer.
  mutating func extent(_ element: Spelled, isGiven: Bool, rowCount: Int = 1) -> ConformanceExtent {
    let (a, b) = (name(), name())
    let integer = types.pick(["size_t", "int", "unsigned short", "long", "uint32_t"])
    let size = (try? type(element).size).map { $0 * rowCount } ?? 1
    @Sendable func number(_ count: Int) -> [Value] { [.integer(Int128(count))] }
    let (one, two) = (Parameter("\(integer) \(a)"), Parameter("size_t \(b)"))
    switch types.number(0...6) {
    case 0:
      let count = types.number(1...5)
      return ConformanceExtent(text: "\(count)", c: "\(count)") { _ in (count, []) }
    case 1:
      return ConformanceExtent(text: "\(a) * \(b)", c: "\(a) * \(b)", parameters: [one, two]) { call in
        let (rows, columns) = (call.random(0...3), call.random(0...3))
        return (rows * columns, [number(rows), number(columns)])
      }
    case 2:
      return ConformanceExtent(text: "\(a) + 2 * \(b) + 1", c: "\(a) + 2 * \(b) + 1", parameters: [one, two]) { call in
        let (first, second) = (call.random(0...2), call.random(0...2))
        return (first + 2 * second + 1, [number(first), number(second)])
      }
    case 3:
      return ConformanceExtent(text: "\(a) bytes", c: "\(a) / \(size)", parameters: [one]) { call in
        let count = call.random(0...5)
        return (count, [isGiven ? [] : number(count * size)])
      }
    case 4:
      return ConformanceExtent(text: "\(a) * \(size) bytes", c: a, parameters: [one]) { call in
        let count = call.random(0...5)
        return (count, [number(count)])
      }
    case 5 where isGiven:
      return ConformanceExtent(
        text: a, c: "*\(a)", parameters: [Parameter("inout size_t *\(a)", c: "size_t *\(a)")]
      ) { call in
        let count = call.random(0...5)
        call.expect(a, .init(type: .integer(.size), bytes: ConformanceCall.bytes(number(count)[0], .integer(.size))))
        return (count, [[]])
      }
    default:
      return ConformanceExtent(text: a, c: a, parameters: [one]) { call in
        let count = call.random(0...5)
        return (count, [isGiven ? [] : number(count)])
      }
    }
  }

  /// A length that the caller gives or the function reports.
  mutating func resultExtent(_ element: Spelled, isTerminated: Bool) -> ConformanceExtent {
    if isTerminated { return ConformanceExtent(text: "", c: nil) { ($0.count(below: 4), []) } }
    guard types.chance(1, of: 2) else { return extent(element, isGiven: false) }
    let name = name()
    return ConformanceExtent(
      text: name, c: "*\(name)", parameters: [Parameter("out size_t *\(name)", c: "size_t *\(name)")],
      body: "*\(name) = fill_count(state, 4);"
    ) { call in
      let count = call.count(below: 4)
      call.expect(
        name, .init(type: .integer(.size), bytes: ConformanceCall.bytes(.integer(Int128(count)), .integer(.size))))
      return (count, [[]])
    }
  }
}
