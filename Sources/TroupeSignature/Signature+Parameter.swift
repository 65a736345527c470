extension Signature {
  /// A parameter of a function: the type of a value, and how the value gets to the function and back.
  public struct Parameter: Sendable, Hashable, CustomStringConvertible {
    /// The direction in which a value behind a pointer goes.
    public enum Direction: Sendable, Hashable {
      /// The function reads the value of the caller.
      case input
      /// The function writes a value for the caller.
      case output
      /// The function changes the value of the caller.
      case inputOutput
    }

    /// How C passes a value.
    public enum Passing: Sendable, Hashable {
      /// In registers or on the stack.
      case value
      /// A pointer to the value: `out double *area`, `inout int *count`. The call provides the memory, which is zero for an output.
      case pointer(Direction)
      /// A pointer to the first of several elements: the function reads `const double values[count]`, reads and writes
      /// `double values[count]`, and writes `out double values[count]`.
      ///
      /// The call computes a length that is a single parameter from the buffer. For an output the caller gives the length, unless another
      /// buffer has the same length. `used` is the number of elements that the function has written, as in
      /// `out void bytes[size, result]`. Without it, that is the length after the call.
      case buffer(Direction, LengthExpression, used: LengthExpression? = nil)
    }

    /// The type of the value, also if C passes a pointer to it, or of an element of a buffer. Never `void`.
    public let type: CType
    /// A C identifier.
    public let name: String?
    /// How C passes the value.
    public let passing: Passing
    /// Who frees the object that the parameter points to.
    public let ownership: Ownership
    /// NULL is refused: the declaration has `_Nonnull` behind the star.
    public let isNonnull: Bool

    package init(
      type: CType, name: String?, passing: Passing = .value, ownership: Ownership = Ownership(), isNonnull: Bool = false
    ) {
      self.type = type
      self.name = name
      self.passing = passing
      self.ownership = ownership
      self.isNonnull = isNonnull
    }

    @inlinable package var isBuffer: Bool { if case .buffer = passing { true } else { false } }

    /// The caller gets a value back through it.
    @inlinable package var givesBack: Bool {
      switch passing {
      case .value, .pointer(.input), .buffer(.input, _, _): false
      case .pointer, .buffer: true
      }
    }

    /// C sees a pointer instead of the value.
    @inlinable package var isPointerInC: Bool { if case .value = passing { false } else { true } }

    package var typeInC: CType { isPointerInC ? .pointer(.toVoid) : type }

    /// The canonical text, such as `int32_t count` or `out double *area`. A length shows the position of its parameter from 1 in place of the
    /// name.
    public var description: String {
      var printer = SignaturePrinter()
      return printer.parameter(self) { "#\($0 + 1)" }
    }
  }
}
