/// The number of elements behind a pointer, as a signature states it: `count`, `rows * cols`, `n + 1`, `size bytes`.
///
/// The number is a sum of products of numbers and integer parameters, or, in a struct, integer members. Without a product the
/// elements end at the first that is zero, as those of `char *const argv[]` do.
public struct LengthExpression: Sendable, Hashable {
  /// A factor of a product.
  public enum Factor: Sendable, Hashable {
    /// A constant, at least 1.
    case number(Int)
    /// The value of the parameter with this index; in a struct, of the member.
    case parameter(Int)
    /// The result of the function.
    case result
  }

  /// The products, whose sum is the length; empty if the elements end at a zero.
  public let products: [[Factor]]
  /// Whether the length counts bytes instead of elements.
  public let isInBytes: Bool

  package init(_ products: [[Factor]], isInBytes: Bool = false) { (self.products, self.isInBytes) = (products, isInBytes) }

  package static let terminated = LengthExpression([])
  static func number(_ count: Int) -> LengthExpression { LengthExpression([[.number(count)]]) }
  static func parameter(_ index: Int) -> LengthExpression { LengthExpression([[.parameter(index)]]) }

  /// Whether the elements end at the first that is zero.
  public var isTerminated: Bool { products.isEmpty }

  /// The number of elements if it is always the same.
  public var constant: Int? {
    if products.count == 1, products[0].count == 1, case .number(let count) = products[0][0], !isInBytes { count } else { nil }
  }

  /// The index of the parameter that is the length by itself, which a call can compute from a buffer.
  public var parameter: Int? {
    if products.count == 1, products[0].count == 1, case .parameter(let index) = products[0][0] { index } else { nil }
  }

  /// The indices of all parameters in it.
  package var parameters: Set<Int> {
    Set(products.joined().compactMap { if case .parameter(let index) = $0 { index } else { nil } })
  }

  var usesResult: Bool { products.joined().contains(.result) }

  /// The same length with other indices of parameters.
  func replacing(_ indices: [Int]) -> LengthExpression {
    LengthExpression(
      products.map { $0.map { if case .parameter(let index) = $0 { .parameter(indices[index]) } else { $0 } } },
      isInBytes: isInBytes)
  }

  /// Returns the number of elements of a size; nil if it exceeds 127 bits, is not a multiple of the size, or `value` returns nil.
  ///
  /// - Parameter value: Returns the value of a parameter, of a member or of the result.
  package func count(elementSize: Int, _ value: (Factor) -> Int128?) -> Int128? {
    var sum: Int128 = 0
    for product in products {
      var factorProduct: Int128 = 1
      for factor in product {
        let number: Int128? = if case .number(let constant) = factor { Int128(constant) } else { value(factor) }
        guard let number else { return nil }
        let (next, overflow) = factorProduct.multipliedReportingOverflow(by: number)
        if overflow { return nil }
        factorProduct = next
      }
      let (next, overflow) = sum.addingReportingOverflow(factorProduct)
      if overflow { return nil }
      sum = next
    }
    guard isInBytes else { return sum }
    let (count, rest) = sum.quotientAndRemainder(dividingBy: Int128(max(1, elementSize)))
    return rest == 0 ? count : nil
  }

  /// The text between the brackets.
  package func text(_ name: (Int) -> String) -> String {
    let sum = products.map { product in
      product.map { factor in
        switch factor {
        case .number(let number): "\(number)"
        case .parameter(let index): name(index)
        case .result: "result"
        }
      }.joined(separator: " * ")
    }.joined(separator: " + ")
    return sum + (isInBytes ? " bytes" : "")
  }
}
