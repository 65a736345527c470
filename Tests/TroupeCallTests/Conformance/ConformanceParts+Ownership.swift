@testable import TroupeCall

/// Texts and references that the caller releases, or the function.
extension ConformanceParts {
  /// `out owned(release) char **x`, or `inout`, when the function replaces the text or not.
  mutating func ownedText() throws -> Part {
    let name = name()
    let isInput = types.chance(1, of: 2)
    let body = isInput ? "hash_text(state, *\(name)); if (fill_bool(state)) " : ""
    return Part(
      parameters: [Parameter("\(isInput ? "inout" : "out") owned(release) char **\(name)", c: "char **\(name)")],
      body: "\(body)*\(name) = own_text(state);",
      follow: { call in
        guard isInput else {
          call.expect(name, .string)
          return [[]]
        }
        let value = call.input(.string)
        if call.fill(.bool) == [1] {
          call.expect(name, .string)
        } else {
          call.expect(name, .init(type: .string, bytes: ConformanceCall.bytes(value, .string)))
        }
        return [[value]]
      })
  }

  /// `out owned(release) char *xs[…]`.
  mutating func ownedTexts() throws -> Part {
    let name = name()
    let extent = extent(Spelled(text: "const char *", size: 8, alignment: 8), isGiven: false)
    return Part(
      parameters: [Parameter("out owned(release) char *\(name)[\(extent.text)]", c: "char **\(name)")] + extent.parameters,
      body: "for (size_t i = 0; i < (size_t)(\(extent.c ?? "0")); i++) \(name)[i] = own_text(state);",
      follow: { call in
        let (count, lengths) = extent.follow(&call)
        call.expect(name, call.elements(.string, count, areNonzero: false))
        return [[]] + lengths
      })
  }

  // MARK: References

  /// A reference that the function reads or, if it succeeds, releases.
  mutating func reference() -> Part {
    let (name, type) = (name(), types.pick(ConformanceTypes.references))
    let isConsumed = types.chance(1, of: 3)
    let isNullable = !isConsumed && types.chance(1, of: 2)
    let constant = types.chance(1, of: 2) ? "const " : ""
    return Part(
      parameters: [
        Parameter(
          "\(isConsumed ? "consumed " : "")\(constant)\(type) *\(isNullable ? "_Nullable " : "")\(name)",
          c: "\(constant)\(type) *\(name)")
      ],
      body: "hash_handle(state, \(name));" + (isConsumed ? " if (!failing) release_handle((void *)\(name));" : ""),
      follow: { call in
        if isNullable, call.chance(1, of: 3) {
          call.hash([0xff])
          return [[.null]]
        }
        let reference = try call.reference(type)
        let isReleased = isConsumed && !call.isFailing
        call.checks.append { _ in reference.isReleased == isReleased ? nil : "\(name) is released: \(reference.isReleased)" }
        return [[.reference(reference)]]
      })
  }

  /// `out owned(release_handle) struct handle1 **x`, which may borrow from another reference.
  mutating func newReference() -> Part {
    let (name, type) = (name(), types.pick(ConformanceTypes.references))
    let lender = types.chance(1, of: 2) ? self.name() : nil
    let isNull = types.chance(1, of: 6)
    let ctype = CType.reference(.init(name: type))
    let making = isNull ? "*\(name) = NULL;" : "*\(name) = fill_handle(state, own);"
    return Part(
      parameters: [
        Parameter(
          "out owned(release_handle) \(lender.map { "borrows(\($0)) " } ?? "")\(type) **\(name)", c: "\(type) **\(name)")
      ] + (lender.map { [Parameter("\(type) *\($0)")] } ?? []),
      body: (lender.map { "hash_handle(state, \($0));" } ?? "") + making,
      follow: { call in
        var arguments: [[Value]] = [[]]
        if lender != nil {
          let reference = try call.reference(type)
          arguments.append([.reference(reference)])
          call.checks.append { outcome in
            guard outcome?[name]?.reference != nil else { return nil }
            return (try? reference.close()) == nil ? nil : "\(name)'s lender can be closed"
          }
        }
        if isNull { call.expect(name, .init(type: ctype, bytes: [0xff])) } else { call.expect(name, ctype) }
        return arguments
      })
  }
}
