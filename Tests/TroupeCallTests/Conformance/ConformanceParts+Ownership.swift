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

  // MARK: Kept arguments

  /// `kept const struct r1 *x` or `kept const char *x` with an object that keeps the pointer, which may be null.
  mutating func keptValue() throws -> Part {
    let record = types.pick(types.records + types.linked.filter { !$0.isFlexible })
    let isText = types.chance(1, of: 3)
    let spelled =
      isText
      ? Spelled(text: "const char *", size: 8, alignment: 8)
      : Spelled(text: "const \(record.spelled.text) *", size: 8, alignment: 8)
    let (name, type) = (name(), try type(spelled))
    let hasher = isText ? "hash_text" : "hash_\(record.spelled.text.split(separator: " ")[1])"
    return kept(
      [Parameter("kept \(spelled.text) \(name)", c: "\(spelled.text) \(name)")], "\(name), 0, (hasher)\(hasher)",
      uses: isText ? [] : [record.spelled]
    ) { call in
      let value = ConformanceValues.random(type, &call.generator)
      return ([[value]], ConformanceCall.bytes(value, type))
    }
  }

  /// `kept const T x[count]` or `kept const T *x`, whose elements an object keeps.
  mutating func keptElements() throws -> Part {
    // A constant pointer to a character is text.
    let characters = ["char", "wchar_t", "char16_t", "char32_t"]
    let numbers = (ConformanceTypes.integers + ConformanceTypes.floats)
      .filter { !$0.text.contains("*") && !characters.contains($0.text) }
    let (spelled, name, count) = (types.pick(numbers), name(), types.number(1...40))
    let element = try type(spelled)
    let length = types.chance(1, of: 2) ? self.name() : nil
    let declarator = length.map { "\(name)[\($0)]" } ?? "*\(name)"
    return kept(
      [Parameter("kept const \(spelled.text) \(declarator)", c: "const \(spelled.text) *\(name)")]
        + (length.map { [Parameter("int \($0)")] } ?? []),
      "\(name), \(length ?? "\(count)") * sizeof *\(name), NULL", uses: [spelled]
    ) { call in
      let value = Value.array((0..<count).map { _ in ConformanceValues.random(element, &call.generator) })
      return ([[value]] + (length == nil ? [] : [[]]), ConformanceCall.bytes(value, .array(element, count: count)))
    }
  }

  /// Returns a part with an object that keeps an argument, which a later call reads.
  ///
  /// - Parameters:
  ///   - keeping: The further arguments of `keep` in C.
  ///   - values: Returns the arguments for the parameters, and the bytes that the later call hashes.
  private mutating func kept(
    _ parameters: [Parameter], _ keeping: String, uses: [Spelled],
    values: @escaping @Sendable (inout ConformanceCall) -> ([[Value]], [UInt8])
  ) -> Part {
    let (name, type) = (name(), types.pick(ConformanceTypes.references))
    return Part(
      parameters: [Parameter("\(type) *\(name)")] + parameters, body: "hash_handle(state, \(name)); keep(\(name), \(keeping));",
      uses: uses,
      follow: { call in
        let holder = try call.reference(type)
        let (arguments, bytes) = values(&call)
        let read = try PreparedCall(
          signature: Signature(parsing: "\(type); uint64_t (const \(type) *holder)"),
          function: call.library.function("hash_kept"))
        call.checks.append { outcome in
          // What a failed call was given ends with it.
          guard outcome != nil else { return nil }
          let hash = try? read.call([.reference(holder)])
          return hash == .integer(Int128(ConformanceValues.hash(bytes))) ? nil : "what \(name) keeps has changed"
        }
        return [[.reference(holder)]] + arguments
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
