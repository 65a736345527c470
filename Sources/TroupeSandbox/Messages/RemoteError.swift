package import TroupeCall
package import TroupeFiles

/// The error of a function or factory in a worker, as its message carries it to the host.
package enum RemoteError: Sendable {
  /// The call could not be made, or the function says that it failed.
  case call(CallError)
  /// The factory returned NULL, with the reason that it gave.
  case factory(plugin: String, name: String, reason: String?)
  /// A transform failed: with a text, or with a status only.
  case transform(text: String, status: Int32?)
  case diagnosis(Diagnosis)
  case cancelled
  /// Any other error, by its text.
  case other(String)
}

extension RemoteError: Recordable {
  package func write(to writer: inout RecordWriter) {
    switch self {
    case .call(let error): writer.write(UInt8(0), error)
    case .factory(let plugin, let name, let reason): writer.write(UInt8(1), plugin, name, reason)
    case .transform(let text, let status): writer.write(UInt8(2), text, status)
    case .diagnosis(let diagnosis): writer.write(UInt8(3), diagnosis)
    case .other(let text): writer.write(UInt8(4), text)
    case .cancelled: writer.write(UInt8(5))
    }
  }

  package init(from reader: inout RecordReader) throws(ReadError) {
    switch try reader.number() as UInt8 {
    case 0: self = .call(try CallError(from: &reader))
    case 1:
      self = .factory(plugin: try String(from: &reader), name: try String(from: &reader), reason: try String?(from: &reader))
    case 2: self = .transform(text: try String(from: &reader), status: try Int32?(from: &reader))
    case 3: self = .diagnosis(try Diagnosis(from: &reader))
    case 4: self = .other(try String(from: &reader))
    case 5: self = .cancelled
    case let other: throw ReadError("\(other) is no kind of error")
    }
  }
}

extension CallError: Recordable {
  package func write(to writer: inout RecordWriter) {
    writer.write(number: code.number)
    switch code {
    case .system(let code): writer.write(number: Int128(code))
    case .failure(let result): writer.write(number: result)
    default: writer.write(number: Int128(0))
    }
    writer.write(
      problem, remedy, argument.map { UInt32(clamping: $0.index) }, argument?.name, row.map { Int64($0) })
  }

  package init(from reader: inout RecordReader) throws(ReadError) {
    let (number, detail): (UInt8, Int128) = (try reader.number(), try reader.number())
    guard let code = Code(number: number, detail: detail) else { throw ReadError("\(number) is no code of an error") }
    let (problem, remedy, index, name, row): (String, String, UInt32?, String?, Int64?) = try reader.values()
    self.init(
      code, problem: problem, remedy: remedy, argument: index.map { Argument(index: Int($0), name: name) },
      row: row.map { Int($0) })
  }
}

extension CallError.Code {
  /// The number in a message.
  fileprivate var number: UInt8 {
    switch self {
    case .system: 100
    case .failure: 101
    default: UInt8(Self.plain.firstIndex(of: self) ?? 0)
    }
  }

  fileprivate init?(number: UInt8, detail: Int128) {
    switch number {
    case 100:
      guard let code = Int32(exactly: detail) else { return nil }
      self = .system(code)
    case 101: self = .failure(detail)
    default:
      guard Self.plain.indices.contains(Int(number)) else { return nil }
      self = Self.plain[Int(number)]
    }
  }

  /// The codes without a detail. Their order is part of the messages.
  private static let plain: [CallError.Code] = [
    .argumentCount, .argumentType, .argumentRange, .missingResolver, .resultText, .unsupportedSignature, .missingFunction,
    .handle,
    .callback, .noExecutableMemory, .smallStack, .bufferSize, .resultLength, .noMemory, .cancelled,
  ]
}
