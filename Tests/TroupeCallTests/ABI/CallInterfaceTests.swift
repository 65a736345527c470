import TestSupport
import Testing
import TroupeCall

@Suite("Calls with every number of arguments")
struct CallInterfaceTests {
  /// The signature of one of the fixture's functions for `count` parameters.
  private func signature(_ result: String, _ count: Int, _ type: (Int) -> String) -> String {
    "\(result) (\((0..<count).map(type).joined(separator: ", ")))"
  }

  @Test("Any number of integers arrives in order", arguments: Fixture.counts)
  func integers(count: Int) throws {
    let call = try Fixture.call("sum_\(count)", signature("uint64_t", count) { _ in "uint64_t" })
    var generator = SplitMix64(seed: UInt64(count))
    let values = (0..<count).map { _ in generator.next() }
    let sum = values.enumerated().reduce(UInt64(0)) { $0 &+ $1.element &* UInt64($1.offset + 1) }
    #expect(try call.call(values.map { .integer(Int128($0)) }) == .integer(Int128(sum)))
  }

  @Test("Any number of doubles arrives in order", arguments: Fixture.counts)
  func doubles(count: Int) throws {
    let call = try Fixture.call("weigh_\(count)", signature("double", count) { _ in "double" })
    let values = (0..<count).map { Double($0) / 4 - 3 }
    let sum = values.enumerated().reduce(0.0) { $0 + $1.element * Double($1.offset + 1) }
    #expect(try call.call(values.map { .double($0) }) == .double(sum))
  }

  @Test("Integers, doubles, floats and bools can be mixed", arguments: Fixture.counts)
  func mixed(count: Int) throws {
    let call = try Fixture.call("mix_\(count)", signature("double", count, Fixture.mixedType))
    let values = (0..<count).map { $0 % 7 == 6 ? 1 : $0 % 100 }
    let sum = values.enumerated().reduce(0.0) { $0 + Double($1.element) * Double($1.offset + 1) }
    let arguments = values.enumerated().map { index, value in
      index % 7 == 6 ? Value.bool(true) : index % 7 == 0 ? .double(Double(value)) : .integer(Int128(value))
    }
    #expect(try call.call(arguments) == .double(sum))
  }
}
