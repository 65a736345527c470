import Testing
import TroupeSignature

@Suite("C integer types")
struct CTypeIntegerTests {
  @Test(
    "An integer type has the width and the range of the platform's C type",
    arguments: [
      ("signed char", 8, true), ("unsigned char", 8, false), ("short", 16, true), ("unsigned short", 16, false),
      ("int", 32, true), ("unsigned int", 32, false), ("long", Int.bitWidth, true), ("unsigned long", Int.bitWidth, false),
      ("long long", 64, true), ("unsigned long long", 64, false), ("int8_t", 8, true), ("int16_t", 16, true),
      ("int32_t", 32, true), ("int64_t", 64, true), ("uint8_t", 8, false), ("uint16_t", 16, false), ("uint32_t", 32, false),
      ("uint64_t", 64, false), ("size_t", Int.bitWidth, false), ("ssize_t", Int.bitWidth, true),
      ("ptrdiff_t", Int.bitWidth, true), ("intptr_t", Int.bitWidth, true), ("uintptr_t", Int.bitWidth, false),
      ("intmax_t", 64, true), ("uintmax_t", 64, false),
    ] as [(String, Int, Bool)])
  func width(name: String, width: Int, isSigned: Bool) throws {
    guard case .integer(let type) = try Signature(parsing: "\(name) (void)").result else {
      throw TestFailure("\(name) is no integer type")
    }
    #expect(type.name == name)
    #expect(type.width == width)
    #expect(type.isSigned == isSigned)
    #expect(type.range.upperBound - type.range.lowerBound == (Int128(1) << width) - 1)
    #expect((type.range.lowerBound < 0) == isSigned)
  }

  @Test("The range of a 64-bit type includes its last value")
  func widestRanges() throws {
    let ranges = CType.Integer.all.filter { $0.width == 64 }.map(\.range)
    #expect(ranges.allSatisfy { $0 == Int128(Int64.min)...Int128(Int64.max) || $0 == 0...Int128(UInt64.max) })
  }

  @Test("Every integer type parses to itself", arguments: CType.Integer.all)
  func parses(type: CType.Integer) throws {
    #expect(try Signature(parsing: "\(type.name) (\(type.name) x)").result == .integer(type))
  }
}
