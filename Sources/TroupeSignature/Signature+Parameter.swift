extension Signature {
  /// One parameter of a function.
  public struct Parameter: Sendable, Hashable, CustomStringConvertible {
    /// Which way a value goes that C passes behind a pointer.
    public enum Direction: Sendable, Hashable {
      /// In: the caller gives it, the function reads it.
      case input
      /// Out: the function writes it, the caller gets it.
      case output
      /// In and out: the caller gives it and gets what the function made of it.
      case inputOutput
    }

    /// How a value gets to the function.
    public enum Passing: Sendable, Hashable {
      /// As it is.
      case value
      /// Behind a pointer: `out double *area`, `inout int *count`. Memory for it exists during the call. The memory of an
      /// output is zero before the call.
      case reference(Direction)
      /// A pointer to the first of several: `const double values[count]` is read, `double values[count]` is read and written,
      /// `out double values[count]` is written. The call computes a length that is a single parameter from the buffer. For an
      /// output the caller gives the length, unless a buffer of the same length is given. `used` says how many elements the
      /// function has written, as in `out void bytes[size, result]`; without it, it is the length after the call.
      case buffer(Direction, LengthExpression, used: LengthExpression? = nil)
    }

    /// The type, never `void`: of the value itself, also if it is behind a pointer; of an element of a buffer.
    public let type: CType
    /// The name, if the author gave one; a C identifier.
    public let name: String?
    /// How a value gets to the function.
    public let passing: Passing
    /// Who releases what the parameter points to.
    public let ownership: Ownership

    package init(type: CType, name: String?, passing: Passing = .value, ownership: Ownership = Ownership()) {
      self.type = type
      self.name = name
      self.passing = passing
      self.ownership = ownership
    }

    @inlinable package var isBuffer: Bool { if case .buffer = passing { true } else { false } }

    /// The caller gets a value back through it.
    @inlinable package var givesBack: Bool {
      switch passing {
      case .value, .reference(.input), .buffer(.input, _, _): false
      case .reference, .buffer: true
      }
    }

    /// C sees a pointer instead of the value.
    @inlinable package var isPointerInC: Bool { if case .value = passing { false } else { true } }

    /// The type that C sees.
    package var typeInC: CType { isPointerInC ? .pointer(.toVoid) : type }

    /// The canonical text, such as `int32_t count`, `const char *name` or `out double *area`. The length of a buffer is shown as
    /// the position of its parameter, counted from 1; a whole signature shows its name.
    public var description: String {
      var printer = SignaturePrinter()
      return printer.parameter(self) { "#\($0 + 1)" }
    }
  }
}
