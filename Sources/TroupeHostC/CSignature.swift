internal import CTroupeHost
internal import TroupeCall

/// A `Signature` as a tree of C structs, which live as long as this object.
final class CSignature {
  let pointer: UnsafePointer<troupe_signature>
  private let arena: CArena

  init(_ signature: Signature) {
    arena = CArena()
    var types = CTypeBuilder(arena)
    pointer = types.signature(signature)
  }
}

/// Creates the C structs of a signature. Types that occur several times share one struct.
private struct CTypeBuilder {
  private let arena: CArena
  private var made: [CType: UnsafePointer<troupe_type>] = [:]

  init(_ arena: CArena) { self.arena = arena }

  mutating func signature(_ signature: Signature) -> UnsafePointer<troupe_signature> {
    let result = type(signature.result)
    var parameters: [UnsafePointer<troupe_parameter>] = []
    for (parameter, takesArgument) in zip(signature.parameters, signature.takesArgument) {
      parameters.append(self.parameter(parameter, takesArgument))
    }
    return UnsafePointer(
      arena.new(
        troupe_signature(
          struct_size: UInt32(MemoryLayout<troupe_signature>.size), can_fail: signature.failureRule == nil ? 0 : 1,
          is_variadic: signature.isOpenEnded ? 1 : 0, reserved: 0, text: arena.text("\(signature)"), result: result,
          parameter_count: parameters.count, parameters: arena.array(parameters))))
  }

  private mutating func parameter(_ parameter: Signature.Parameter, _ takesArgument: Bool) -> UnsafePointer<troupe_parameter> {
    let (passing, direction, length) = parameter.constants
    return UnsafePointer(
      arena.new(
        troupe_parameter(
          struct_size: UInt32(MemoryLayout<troupe_parameter>.size), passing: troupe_passing(passing),
          direction: troupe_direction(direction), takes_argument: takesArgument ? 1 : 0,
          name: arena.optionalText(parameter.name),
          type: type(parameter.type), length_parameter: length)))
  }

  private mutating func type(_ type: CType) -> UnsafePointer<troupe_type> {
    if let known = made[type] { return known }
    let element = type.target.map { self.type($0) }
    var members: [troupe_member] = []
    if case .record(let record) = type {
      for member in record.members {
        members.append(troupe_member(name: arena.text(member.name), type: self.type(member.type), offset: member.offset))
      }
    }
    var enumerators: [troupe_enumerator] = []
    if case .enumeration(let enumeration) = type {
      enumerators = enumeration.cases.map {
        troupe_enumerator(name: arena.text($0.name), value: Int64(truncatingIfNeeded: $0.value))
      }
    }
    let signature: UnsafePointer<troupe_signature>? =
      if case .function(let function) = type { self.signature(function) } else { nil }
    let count = if case .array(_, let count) = type { count } else { members.count + enumerators.count }
    let new = UnsafePointer(
      arena.new(
        troupe_type(
          struct_size: UInt32(MemoryLayout<troupe_type>.size), kind: troupe_type_kind(type.kind),
          name: arena.text(type.shortDescription), size: type.size, alignment: type.alignment, element: element, count: count,
          members: arena.array(members), enumerators: arena.array(enumerators), signature: signature)))
    made[type] = new
    return new
  }
}

extension Signature.Parameter {
  /// `length` is the index of the length's parameter, or -1.
  fileprivate var constants: (passing: Int, direction: Int, length: Int) {
    switch passing {
    case .value: (TROUPE_PASSING_VALUE, TROUPE_DIRECTION_IN, -1)
    case .reference(let direction): (TROUPE_PASSING_REFERENCE, direction.constant, -1)
    case .buffer(let direction, let length, _):
      (TROUPE_PASSING_BUFFER, direction.constant, length.isInBytes ? -1 : length.parameter ?? -1)
    }
  }
}

extension Signature.Parameter.Direction {
  fileprivate var constant: Int {
    switch self {
    case .input: TROUPE_DIRECTION_IN
    case .output: TROUPE_DIRECTION_OUT
    case .inputOutput: TROUPE_DIRECTION_INOUT
    }
  }
}

extension CType {
  /// The member `element` of `troupe_type`: what the type points to or consists of.
  fileprivate var target: CType? {
    switch self {
    case .enumeration(let enumeration): .integer(enumeration.underlying)
    case .wideString(let integer): .integer(integer)
    case .handle(let handle) where handle.isConstant: handle.record.map(CType.record)
    default: element
    }
  }

  fileprivate var kind: Int {
    switch self {
    case .void: TROUPE_TYPE_VOID
    case .bool: TROUPE_TYPE_BOOL
    case .integer(let integer): TROUPE_TYPE_INT8 + (integer.isSigned ? 0 : 4) + integer.width.trailingZeroBitCount - 3
    case .enumeration: TROUPE_TYPE_ENUM
    case .float: TROUPE_TYPE_FLOAT
    case .double: TROUPE_TYPE_DOUBLE
    case .longDouble: TROUPE_TYPE_LONG_DOUBLE
    case .complex: TROUPE_TYPE_COMPLEX
    case .string: TROUPE_TYPE_STRING
    case .wideString: TROUPE_TYPE_WIDE_STRING
    case .pointer: TROUPE_TYPE_POINTER
    case .handle(let handle): handle.record == nil ? TROUPE_TYPE_HANDLE : TROUPE_TYPE_POINTER
    case .sequence: TROUPE_TYPE_SEQUENCE
    case .array, .flexible: TROUPE_TYPE_ARRAY
    case .record(let record): record.kind == .union ? TROUPE_TYPE_UNION : TROUPE_TYPE_STRUCT
    case .function: TROUPE_TYPE_CALLBACK
    case .resolver: TROUPE_TYPE_RESOLVER
    }
  }
}
