internal import CFFI

/// Where everything of a call lies in its memory, which is one piece:
///
///     | registers and stack, or arguments | addresses of the arguments | what outputs point to | result |
struct CallLayout {
  /// How a function is called.
  enum Path {
    /// Through registers.
    case registers(RegisterPlan)
    /// Through libffi.
    case foreign(CallInterface)
  }

  /// How the function is called.
  let path: Path
  /// Where each argument is, in the order of the parameters.
  let arguments: [Int]
  /// Where the addresses of the arguments begin.
  let addresses: Int
  /// Where the memory begins that an `out` or `inout` parameter points to, by the parameter's index; 0 for the others.
  let targets: [Int]
  /// Where the result is.
  let result: Int
  /// The size of the whole.
  let size: Int

  /// Lays out a call.
  ///
  /// - Parameter extra: The types of arguments behind those of the parameters.
  init(_ signature: Signature, path: Path, types: [CType]) {
    self.path = path
    var end: Int
    switch path {
    case .registers(let plan):
      arguments = plan.offsets
      end = plan.size
      addresses = 0
    case .foreign:
      end = 0
      var offsets: [Int] = []
      for type in types {
        offsets.append(end)
        // Scalars are written as whole words.
        end += max(8, type.size).roundedUp(to: 16)
      }
      arguments = offsets
      addresses = end
      end += types.count * MemoryLayout<UnsafeRawPointer>.size
    }
    end = end.roundedUp(to: 16)
    var targets: [Int] = []
    for parameter in signature.parameters {
      guard case .reference = parameter.passing else {
        targets.append(0)
        continue
      }
      targets.append(end)
      end += max(8, parameter.type.size).roundedUp(to: 16)
    }
    self.targets = targets
    result = end
    size = end + max(16, signature.result.size.roundedUp(to: 16))
  }
}
