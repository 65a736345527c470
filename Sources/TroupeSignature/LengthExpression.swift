/// The number of elements behind a pointer, as a signature states it.
///
/// It is a sum of products of numbers and parameters, or members in a struct:
///
///     const double cells[rows * columns + 1]     [[.parameter(1), .parameter(2)], [.number(1)]]
///     const void data[size bytes]                [[.parameter(1)]], in bytes
///     char *const argv[]                         [], the elements end at the first that is zero
public struct LengthExpression: Sendable, Hashable {
  /// A factor of a product.
  public enum Factor: Sendable, Hashable {
    /// At least 1.
    case number(Int)
    /// The value of the parameter with this index; in a struct, of the member.
    case parameter(Int)
    /// The result of the function.
    case result
  }

  /// The terms of the sum. Empty if the elements end at a zero.
  public let products: [[Factor]]
  /// The length counts bytes instead of elements.
  public let isInBytes: Bool

  package init(_ products: [[Factor]], isInBytes: Bool = false) { (self.products, self.isInBytes) = (products, isInBytes) }

  package static let terminated = LengthExpression([])
  static func number(_ count: Int) -> LengthExpression { LengthExpression([[.number(count)]]) }
  static func parameter(_ index: Int) -> LengthExpression { LengthExpression([[.parameter(index)]]) }

  /// The elements end at the first that is zero.
  @inlinable public var isTerminated: Bool { products.isEmpty }

  /// The number of elements if that is a number in the signature.
  @inlinable public var constant: Int? {
    if products.count == 1, products[0].count == 1, case .number(let count) = products[0][0], !isInBytes { count } else { nil }
  }

  /// The index of the parameter if the length is one parameter. A call computes its value from the buffer.
  @inlinable public var parameter: Int? {
    if products.count == 1, products[0].count == 1, case .parameter(let index) = products[0][0] { index } else { nil }
  }

  package var parameters: Set<Int> {
    Set(products.joined().compactMap { if case .parameter(let index) = $0 { index } else { nil } })
  }

  var usesResult: Bool { products.joined().contains(.result) }

  /// Maps the indices of parameters.
  func replacing(_ indices: [Int]) -> LengthExpression {
    LengthExpression(
      products.map { $0.map { if case .parameter(let index) = $0 { .parameter(indices[index]) } else { $0 } } },
      isInBytes: isInBytes)
  }

  /// Computes the number of elements. Returns nil if it exceeds 127 bits, is a number of bytes that no number of elements has, or contains
  /// a factor without a value.
  @inlinable package func count(elementSize: Int, _ value: (Factor) -> Int128?) -> Int128? {
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

  /// - Parameter name: Returns the name of the parameter with an index.
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
