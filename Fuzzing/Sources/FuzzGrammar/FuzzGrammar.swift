import TroupeCall

/// Any bytes as a signature. Nothing may trap; what parses has a layout as C's, prints, parses again to an equal one, and can be
/// prepared for calls or is refused.
@_cdecl("LLVMFuzzerTestOneInput")
public func test(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let text = String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  let signature: Signature
  do {
    signature = try Signature(parsing: text)
  } catch {
    precondition((0...text.utf8.count).contains(error.position), "the fault lies in the text")
    precondition(!error.problem.isEmpty && !error.expected.isEmpty, "the fault says what it is")
    precondition(!error.description.utf8.contains(UInt8(ascii: "\n")), "the fault is one line")
    return 0
  }
  check(signature)
  let printed = signature.description
  do {
    let again = try Signature(parsing: printed)
    precondition(
      again == signature && again.hashValue == signature.hashValue, "\(printed) is equal to what it was printed from")
    precondition(again.description == printed, "\(printed) is canonical")
  } catch {
    preconditionFailure("the canonical text does not parse: \(error)")
  }
  // Nothing calls it, so that it need not be a function.
  _ = try? PreparedCall(signature: signature, function: UnsafeRawPointer(bitPattern: 16)!) { _ in
    UnsafeRawPointer(bitPattern: 16)
  }
  return 0
}

/// The arithmetic of types and parameters.
private func check(_ signature: Signature) {
  precondition(signature.parameters.count <= Signature.maximumParameterCount)
  precondition(signature.callerParameters.count <= signature.parameters.count)
  let names = signature.parameters.compactMap(\.name)
  precondition(Set(names).count == names.count, "no two parameters have the same name")
  check(signature.result)
  for parameter in signature.parameters {
    check(parameter.type)
    precondition(!parameter.description.isEmpty)
    if case .buffer(_, .parameter(let index)) = parameter.passing {
      precondition(signature.parameters.indices.contains(index), "a length is a parameter")
    }
  }
  for parameter in signature.outputs { precondition(parameter.name != nil, "an output has a name") }
}

private func check(_ type: CType) {
  switch type {
  case .record(let record):
    precondition((1...CType.Record.maximumSize).contains(record.size) && !record.members.isEmpty)
    precondition([1, 2, 4, 8, 16].contains(record.alignment) && record.size % record.alignment == 0)
    var end = 0
    for member in record.members {
      check(member.type)
      switch record.kind {
      case .structure: precondition(member.offset >= end, "members do not overlap")
      case .union: precondition(member.offset == 0, "members of a union begin where it does")
      }
      // A member is followed by another one or by the end, and none is empty.
      end = member.offset + 1
      precondition(end <= record.size, "a member lies within the record")
    }
  case .array(let element, let count):
    precondition((1...CType.Record.maximumSize).contains(count))
    check(element)
  case .enumeration(let enumeration):
    precondition(!enumeration.cases.isEmpty)
    for item in enumeration.cases { precondition(enumeration.underlying.range.contains(item.value), "\(item) fits") }
  case .function(let signature): check(signature)
  default: break
  }
}
