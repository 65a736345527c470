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
    require((0...text.utf8.count).contains(error.position), "the fault lies in the text")
    require(!error.problem.isEmpty && !error.expected.isEmpty, "the fault says what it is")
    require(!error.description.utf8.contains(UInt8(ascii: "\n")), "the fault is one line")
    return 0
  }
  check(signature)
  let printed = signature.description
  do {
    let again = try Signature(parsing: printed)
    require(
      again == signature && again.hashValue == signature.hashValue, "\(printed) is equal to what it was printed from")
    require(again.description == printed, "\(printed) is canonical")
  } catch {
    fatalError("the canonical text does not parse: \(error)")
  }
  // Nothing calls it, so that it need not be a function.
  if let address = UnsafeRawPointer(bitPattern: 16) {
    _ = try? PreparedCall(signature: signature, function: address) { _ in address }
  }
  return 0
}

/// The arithmetic of types and parameters.
private func check(_ signature: Signature) {
  require(signature.parameters.count <= Signature.maximumParameterCount, "there are few parameters")
  require(signature.callerParameters.count <= signature.parameters.count, "the caller's parameters are parameters")
  let names = signature.parameters.compactMap(\.name)
  require(Set(names).count == names.count, "no two parameters have the same name")
  check(signature.result)
  for parameter in signature.parameters {
    check(parameter.type)
    require(!parameter.description.isEmpty, "a parameter shows itself")
    guard case .buffer(_, let length, let used) = parameter.passing else { continue }
    for factor in (length.products + (used?.products ?? [])).joined() {
      guard case .parameter(let index) = factor else { continue }
      require(signature.parameters.indices.contains(index), "a length is a parameter")
      let length = signature.parameters[index]
      switch (length.type, length.passing) {
      case (.integer, .value), (.integer, .pointer): break
      default: fatalError("the length \(length) is no integer")
      }
    }
  }
  for parameter in signature.outputs { require(parameter.name != nil, "an output has a name") }
}

private func check(_ type: CType) {
  switch type {
  case .record(let record):
    require((1...CType.Record.maximumSize).contains(record.size) && !record.members.isEmpty, "a record has a size")
    require(
      [1, 2, 4, 8, 16].contains(record.alignment) && record.size % record.alignment == 0, "the size is aligned")
    var end = 0
    for member in record.members {
      check(member.type)
      switch record.kind {
      case .structure: require(member.offset >= end, "members do not overlap")
      case .union: require(member.offset == 0, "members of a union begin where it does")
      }
      // A member is followed by another one or by the end. Only a flexible array member is empty.
      if case .flexible = member.type { end = member.offset } else { end = member.offset + 1 }
      require(end <= record.size, "a member lies within the record")
    }
  case .flexible(let element, _): check(element)
  case .array(let element, let count):
    require((1...CType.Record.maximumSize).contains(count), "an array has elements")
    check(element)
  case .enumeration(let enumeration):
    require(!enumeration.cases.isEmpty, "an enumeration has values")
    for item in enumeration.cases { require(enumeration.underlying.range.contains(item.value), "\(item) fits") }
  case .function(let signature): check(signature)
  default: break
  }
}

/// Ends the process with a message, also in a release build.
private func require(_ condition: Bool, _ message: @autoclosure () -> String) {
  guard condition else { fatalError(message()) }
}
