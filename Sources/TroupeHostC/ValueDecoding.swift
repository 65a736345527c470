internal import CTroupeHost
internal import Synchronization
internal import TroupeCall
internal import TroupeHost

// The conversion of a program's `troupe_call_value` to a `Value`. `ValueEncoding.swift` has the other direction.

/// An argument that is malformed or does not fit its parameter.
struct ArgumentError: Error {
  let problem: String
  let remedy: String

  /// - Parameter index: From 0.
  func diagnosis(_ subject: String, _ index: Int, _ name: String?) -> Diagnosis {
    let argument = "argument \(index + 1)" + (name.map { " \"\($0)\"" } ?? "")
    return Diagnosis(.invalidData, subject, problem: "\(argument): \(problem)", remedy: remedy)
  }
}

extension Value {
  /// Decodes an argument. Buffers and structs in memory are not copied.
  ///
  /// - Parameters:
  ///   - type: The type of the parameter's value or of the elements of its buffer; nil if it is unknown.
  ///   - references: The program knows references.
  /// - Throws: An `ArgumentError`, or a `CallError` for a callback.
  init(_ argument: troupe_call_value, type: CType?, isBuffer: Bool = false, references: Bool = false) throws {
    let content = argument.as
    switch Int(argument.kind) {
    case TROUPE_VALUE_BOOL: self = .bool(content.int64 != 0)
    case TROUPE_VALUE_INT64: self = .integer(Int128(content.int64))
    case TROUPE_VALUE_UINT64: self = .integer(Int128(content.uint64))
    case TROUPE_VALUE_DOUBLE: self = .double(content.float64)
    case TROUPE_VALUE_STRING: self = .string(try Self.text(content.string))
    case TROUPE_VALUE_POINTER: self = .pointer(Pointer(content.pointer))
    case TROUPE_VALUE_MEMORY: self = try Self.memory(content.memory, argument.count, type, isBuffer)
    case TROUPE_VALUE_ARRAY:
      let element = isBuffer ? type : type?.element
      self = .array(try Self.elements(argument).map { try Value($0, type: element, references: references) })
    case TROUPE_VALUE_STRUCT:
      self = .structure(
        try Self.elements(argument).map { member in
          guard let name = try Self.text(member.name) else {
            throw ArgumentError(problem: "a member has no name", remedy: "set the name of each member")
          }
          return Field(name, try Value(member, type: type?.member(name), references: references))
        })
    case TROUPE_VALUE_CALLBACK:
      guard case .function(let signature)? = type else {
        throw ArgumentError(
          problem: "expected \(type.map { "\($0)" } ?? "an argument of a factory"), got a callback",
          remedy: "give a value of the parameter's type")
      }
      self = .callback(try Callback(content.callback, signature, references: references))
    case TROUPE_VALUE_OBJECT, TROUPE_VALUE_REFERENCE: self = content.object.map { ObjectHandle.borrow($0).value } ?? .null
    default:
      throw ArgumentError(
        problem: "kind is \(argument.kind)", remedy: "set it to one of TROUPE_VALUE_BOOL to TROUPE_VALUE_REFERENCE")
    }
  }

  private static func text(_ text: UnsafePointer<CChar>?) throws(ArgumentError) -> String? {
    guard let text else { return nil }
    guard let copy = String(validatingCString: text) else {
      throw ArgumentError(problem: "a text is not UTF-8", remedy: "encode it as UTF-8")
    }
    return copy
  }

  private static func elements(_ argument: troupe_call_value) throws(ArgumentError) -> UnsafeBufferPointer<troupe_call_value> {
    guard argument.count == 0 || argument.as.values != nil, argument.count >= 0 else { throw noMemory(argument.count) }
    return UnsafeBufferPointer(start: argument.as.values, count: argument.count)
  }

  private static func noMemory(_ count: Int) -> ArgumentError {
    ArgumentError(
      problem: "\(UInt(bitPattern: count)) elements at NULL, or more than fit into memory",
      remedy: "pass the address of the elements")
  }

  private static func memory(
    _ start: UnsafeMutableRawPointer?, _ count: Int, _ type: CType?, _ isBuffer: Bool
  ) throws -> Value {
    guard let start, count > 0 else {
      guard count == 0 else { throw noMemory(count) }
      return .null
    }
    func lent(_ element: CType) throws -> Value {
      if count.multipliedReportingOverflow(by: max(element.size, 1)).overflow { throw noMemory(count) }
      return .memory(ForeignMemory(element, at: start, count: count))
    }
    switch type {
    case let element? where isBuffer: return try lent(element)
    case .sequence(let element, _), .flexible(let element, _): return try lent(element)
    case .pointer: return .pointer(Pointer(start))
    case .reference(let reference): return try reference.record.map { try lent(.record($0)) } ?? .pointer(Pointer(start))
    case .string, .wideString, .function, .resolver, .void: break
    case let type? where count == 1: return try ForeignMemory(type, at: start).read()
    case nil: return .bytes([UInt8](UnsafeRawBufferPointer(start: start, count: count)))
    default: break
    }
    throw ArgumentError(
      problem: "\(count) element\(count == 1 ? "" : "s") in memory for \(type.map { "\($0)" } ?? "")",
      remedy: "give a value of the type")
  }
}

extension CType {
  /// The type of the elements of an array value.
  var element: CType? {
    switch self {
    case .pointer(let pointer): pointer.target
    case .array(let element, _), .sequence(let element, _), .flexible(let element, _): element
    case .complex(let real): real.type
    case .reference(let reference): reference.record.map(CType.record)
    default: nil
    }
  }

  /// The type that a path such as `marks[2].x` leads to, also through references; nil if it leads nowhere.
  func member(at path: String) -> CType? {
    path.replacing("[", with: ".[").split(separator: ".").reduce(self as CType?) { type, step in
      step.hasPrefix("[") ? type?.element : type?.member(String(step))
    }
  }

  /// Also finds the members of anonymous members.
  func member(_ name: String) -> CType? {
    switch self {
    case .record(let record):
      record.members.lazy.compactMap { $0.name.isEmpty ? $0.type.member(name) : $0.name == name ? $0.type : nil }.first
    case .reference(let reference): reference.record.map(CType.record)?.member(name)
    default: nil
    }
  }
}

extension Callback {
  /// Creates a C function that calls a program's closure.
  ///
  /// - Parameters:
  ///   - references: The program knows references.
  ///   - destroy: Called with the context when no call can begin or be under way.
  convenience init(
    _ source: UnsafePointer<troupe_callback>?, _ signature: Signature, references: Bool,
    destroy: (@convention(c) (UnsafeMutableRawPointer?) -> Void)? = nil
  ) throws {
    guard let source, let invoke = source.pointee.invoke else {
      throw ArgumentError(problem: "the callback is NULL", remedy: "set callback and its member invoke")
    }
    let context = CallbackContext(source.pointee.context)
    try self.init(signature: signature) { values in
      var arguments = zip(values, signature.parameters).map {
        troupe_call_value($0, $1.isBuffer ? .array($1.type, count: 0) : $1.type, references: references)
      }
      defer { for index in arguments.indices { arguments[index].clear() } }
      var result = troupe_call_value.void
      let status = invoke(context.pointer, arguments, arguments.count, &result)
      guard status == TROUPE_OK else { throw CallbackError(status: status) }
      return signature.result == .void ? .void : try Value(result, type: signature.result, references: references)
    }
    // Not before: a program whose callback was not made still has the context.
    context.destroy.store(unsafeBitCast(destroy, to: UInt.self), ordering: .relaxed)
  }
}

/// The context of a program's callback. The closure that C calls retains it, and ends when no thread is in it.
private final class CallbackContext: Sendable {
  // A number, since a closure that several threads call holds no pointer.
  private let address: UInt
  /// The address of the function that destroys it; 0 for none.
  let destroy = Atomic<UInt>(0)

  init(_ context: UnsafeMutableRawPointer?) { address = UInt(bitPattern: context) }

  var pointer: UnsafeMutableRawPointer? { UnsafeMutableRawPointer(bitPattern: address) }

  deinit {
    typealias Destroy = @convention(c) (UnsafeMutableRawPointer?) -> Void
    unsafeBitCast(destroy.load(ordering: .relaxed), to: Destroy?.self)?(pointer)
  }
}

private struct CallbackError: Error, CustomStringConvertible {
  let status: troupe_status
  var description: String { "it returned status \(status)" }
}
