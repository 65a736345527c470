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

    /// How many elements a buffer has.
    public enum Length: Sendable, Hashable {
      /// As many as the integer in the parameter with this index says. For a buffer that the caller gives, the host fills it in.
      case parameter(Int)
      /// Always as many.
      case constant(Int)
    }

    /// How a value gets to the function.
    public enum Passing: Sendable, Hashable {
      /// As it is.
      case value
      /// Behind a pointer: `out double *area`, `inout int *count`. Memory for it is there during the call. What an output holds
      /// before is zero.
      case reference(Direction)
      /// A pointer to the first of several: `const double values[count]` is read, `double values[count]` is read and written,
      /// `out double values[count]` is written. For an output the caller gives the number that there is room for, unless
      /// a buffer of the same length is given; if its length is an `inout` parameter, the function says there how many it wrote.
      case buffer(Direction, Length)
    }

    /// The type, never `void`: of the value itself, also if it is behind a pointer; of an element of a buffer.
    public let type: CType
    /// The name, if the author gave one; a C identifier.
    public let name: String?
    /// How a value gets to the function.
    public let passing: Passing
    /// The function that frees what an output points to, once it has been copied; nil if it stays the function's own.
    public let owner: String?

    init(type: CType, name: String?, passing: Passing = .value, owner: String? = nil) {
      self.type = type
      self.name = name
      self.passing = passing
      self.owner = owner
    }

    /// The same parameter, passed in another way.
    func with(_ passing: Passing) -> Parameter {
      Parameter(type: type, name: name, passing: passing, owner: owner)
    }

    /// Whether the caller gets something back through it.
    var givesBack: Bool {
      switch passing {
      case .value, .reference(.input), .buffer(.input, _): false
      case .reference, .buffer: true
      }
    }

    /// The type that C sees: the value's own, or a pointer.
    var isPointerInC: Bool { passing != .value }

    /// The canonical text, such as `int32_t count`, `const char *name` or `out double *area`. The length of a buffer is shown as
    /// the position of its parameter, counted from 1; a whole signature shows its name.
    public var description: String {
      var printer = SignaturePrinter()
      return printer.parameter(self) { "#\($0 + 1)" }
    }
  }
}
