internal import TroupeHost

/// The type of a parameter, as far as it decides how an argument is written in a shell, C, Swift and Python.
indirect enum SampleType: Sendable {
  case boolean
  case integer
  case number
  case text
  /// A buffer of bytes.
  case bytes
  /// The name of one of several values, such as this one.
  case choice(String)
  /// Only null can be written.
  case null
  case array(SampleType, count: Int)
  case object([(name: String, type: SampleType)])

  init(_ parameter: Signature.Parameter) {
    switch parameter.passing {
    case .buffer(_, let length, _):
      self = parameter.takesBytes ? .bytes : .array(SampleType(parameter.type), count: length.constant ?? 3)
    case .value, .pointer: self = SampleType(parameter.type)
    }
  }

  init(_ type: CType) {
    switch type {
    case .bool: self = .boolean
    case .integer: self = .integer
    case .float, .double, .longDouble: self = .number
    case .string, .wideString: self = .text
    case .enumeration(let enumeration): self = enumeration.cases.first.map { .choice($0.name) } ?? .integer
    case .complex: self = .array(.number, count: 2)
    case .array(let element, let count): self = .array(SampleType(element), count: count)
    case .sequence(let element, let length), .flexible(let element, let length):
      self = .array(SampleType(element), count: length.constant ?? 3)
    case .record(let record): self = Self.object(record)
    case .reference(let reference): self = reference.isConstant ? reference.record.map(Self.object) ?? .null : .null
    case .void, .pointer, .function, .resolver: self = .null
    }
  }

  private static func object(_ record: CType.Record) -> SampleType {
    // The members of a union share their memory.
    let members = record.kind == .union ? Array(record.members.prefix(1)) : record.members
    return .object(
      members.flatMap { member -> [(name: String, type: SampleType)] in
        if member.name.isEmpty, case .record(let inner) = member.type, case .object(let members) = object(inner) {
          return members
        }
        // A struct may refer to itself.
        return [(member.name, member.type.isReference ? .null : SampleType(member.type))]
      })
  }

  /// Nil for a type without elements.
  func element(_ index: Int) -> SampleType? {
    switch self {
    case .array(let element, _): element
    case .object(let members): members.indices.contains(index) ? members[index].type : nil
    default: nil
    }
  }

  /// Nil for a type without the member.
  func member(_ name: String) -> SampleType? {
    if case .object(let members) = self { members.first { $0.name == name }?.type } else { nil }
  }

  /// A value of the type, for a parameter without an example.
  var sample: SampleValue {
    switch self {
    case .boolean: .boolean(true)
    case .integer: .number("1")
    case .number: .number("1.5")
    case .text, .bytes: .text("text")
    case .choice(let name): .text(name)
    case .null: .null
    // A large array would hide the call.
    case .array(let type, let count): .array(Array(repeating: type.sample, count: min(count, 64)))
    case .object(let members): .object(members.map { ($0.name, $0.type.sample) })
    }
  }
}
