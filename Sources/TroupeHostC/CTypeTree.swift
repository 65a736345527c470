internal import CTroupeHost
internal import TroupeCall

/// A type as a graph of C structs, which live as long as this object. The type of a function has its signature.
final class CTypeTree {
  let type: UnsafePointer<troupe_type>
  private let arena: CArena

  /// - Parameter hasReferences: The program knows `TROUPE_TYPE_REFERENCE`.
  init(_ type: CType, hasReferences: Bool) {
    arena = CArena()
    var types = CTypeBuilder(arena, hasReferences)
    self.type = types.type(type)
  }

  /// The type of a struct that only its library knows.
  init(opaque name: String) {
    arena = CArena()
    var void = troupe_type(.void, arena)
    void.name = arena.text(name)
    type = UnsafePointer(arena.new(void))
  }
}

/// Creates the C structs of a type. Types that occur several times share one struct, so that a struct may point to itself.
private struct CTypeBuilder {
  private let arena: CArena
  private let hasReferences: Bool
  private var made: [CType: UnsafePointer<troupe_type>] = [:]

  init(_ arena: CArena, _ hasReferences: Bool) { (self.arena, self.hasReferences) = (arena, hasReferences) }

  private mutating func signature(_ signature: Signature) -> UnsafePointer<troupe_signature> {
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

  mutating func type(_ type: CType) -> UnsafePointer<troupe_type> {
    if let known = made[type] { return known }
    let new = arena.new(troupe_type(type, arena))
    made[type] = UnsafePointer(new)
    if hasReferences, case .reference(let reference) = type, reference.record != nil {
      new.pointee.kind = troupe_type_kind(TROUPE_TYPE_REFERENCE)
    }
    new.pointee.element = type.target(hasReferences: hasReferences).map { self.type($0) }
    switch type {
    case .record(let record):
      var members: [troupe_member] = []
      for member in record.members {
        members.append(troupe_member(name: arena.text(member.name), type: self.type(member.type), offset: member.offset))
      }
      (new.pointee.members, new.pointee.count) = (arena.array(members), members.count)
    case .enumeration(let enumeration):
      let enumerators = enumeration.cases.map {
        troupe_enumerator(name: arena.text($0.name), value: Int64(truncatingIfNeeded: $0.value))
      }
      (new.pointee.enumerators, new.pointee.count) = (arena.array(enumerators), enumerators.count)
    case .array(_, let count): new.pointee.count = count
    case .function(let function): new.pointee.signature = signature(function)
    default: break
    }
    return UnsafePointer(new)
  }
}

extension troupe_type {
  /// A type without the types that it refers to.
  fileprivate init(_ type: CType, _ arena: CArena) {
    self.init(
      struct_size: UInt32(MemoryLayout<troupe_type>.size), kind: troupe_type_kind(type.kind),
      name: arena.text(type.shortDescription), size: type.size, alignment: type.alignment, element: nil, count: 0, members: nil,
      enumerators: nil, signature: nil, is_constant: type.isConstantPointer ? 1 : 0, reserved: 0)
  }
}

extension Signature.Parameter {
  /// `length` is the index of the length's parameter, or -1.
  fileprivate var constants: (passing: Int, direction: Int, length: Int) {
    switch passing {
    case .value: (TROUPE_PASSING_VALUE, TROUPE_DIRECTION_IN, -1)
    case .pointer(let direction): (TROUPE_PASSING_REFERENCE, direction.constant, -1)
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
  fileprivate func target(hasReferences: Bool) -> CType? {
    switch self {
    case .enumeration(let enumeration): .integer(enumeration.underlying)
    case .wideString(let integer): .integer(integer)
    case .reference(let reference): hasReferences || reference.isConstant ? reference.record.map(CType.record) : nil
    case .pointer(let pointer): hasReferences ? pointer.target : nil
    default: element
    }
  }

  fileprivate var isConstantPointer: Bool {
    switch self {
    case .string, .wideString: true
    case .pointer(let pointer): pointer.isConstant
    case .reference(let reference): reference.isConstant
    default: false
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
    case .reference(let reference): reference.record == nil ? TROUPE_TYPE_HANDLE : TROUPE_TYPE_POINTER
    case .sequence: TROUPE_TYPE_SEQUENCE
    case .array, .flexible: TROUPE_TYPE_ARRAY
    case .record(let record): record.kind == .union ? TROUPE_TYPE_UNION : TROUPE_TYPE_STRUCT
    case .function: TROUPE_TYPE_CALLBACK
    case .resolver: TROUPE_TYPE_RESOLVER
    }
  }
}
