internal import CFFI

/// A function as libffi calls it. This is the only place that calls libffi.
///
/// `@unchecked Sendable` because nothing is written after the initializer, and libffi only reads an interface when it calls.
struct CallInterface: ~Copyable, @unchecked Sendable {
  private let interface: UnsafeMutablePointer<ffi_cif>
  /// The types of the parameters; the interface points to them.
  private let types: UnsafeMutableBufferPointer<UnsafeMutablePointer<ffi_type>?>
  private let function: @convention(c) () -> Void

  /// `ffi_prep_cif` writes into the descriptions of structs that it is given, so that two of those must not be prepared at
  /// once; it does not write into those of scalars, which is all there is here. It returns another status than `FFI_OK` for a
  /// type or a calling convention that it does not know.
  init(_ signature: Signature, function: UnsafeRawPointer) throws(CallError) {
    let types = UnsafeMutableBufferPointer<UnsafeMutablePointer<ffi_type>?>.allocate(capacity: signature.parameters.count)
    _ = types.initialize(fromContentsOf: signature.parameters.map(\.type.foreign))
    let interface = UnsafeMutablePointer<ffi_cif>.allocate(capacity: 1)
    interface.initialize(to: ffi_cif())
    let status = ffi_prep_cif(
      interface, FFI_DEFAULT_ABI, UInt32(types.count), signature.result.foreign, types.baseAddress)
    guard status == FFI_OK else {
      interface.deallocate()
      types.deallocate()
      throw .unsupported(signature, status: "status \(status.rawValue)")
    }
    self.interface = interface
    self.types = types
    // A data pointer and a function pointer are the same on every system that has `dlsym`.
    self.function = unsafeBitCast(function, to: (@convention(c) () -> Void).self)
  }

  deinit {
    interface.deallocate()
    types.deallocate()
  }

  /// Calls the function with the arguments of `frame`, which fit the signature, and leaves the result there.
  ///
  /// `ffi_call` has no way to fail.
  func call(_ frame: borrowing CallFrame) {
    ffi_call(interface, function, frame.resultAddress, frame.argumentAddresses)
  }
}

extension CType {
  /// The type as libffi describes it; a constant that lives as long as the process.
  fileprivate var foreign: UnsafeMutablePointer<ffi_type> {
    switch self {
    case .void: troupe_ffi_void()
    case .bool: troupe_ffi_uint8()
    case .integer(let integer): integer.foreign
    case .float: troupe_ffi_float()
    case .double: troupe_ffi_double()
    case .string, .pointer, .resolver: troupe_ffi_pointer()
    }
  }
}

extension CType.Integer {
  fileprivate var foreign: UnsafeMutablePointer<ffi_type> {
    switch (width, isSigned) {
    case (8, true): troupe_ffi_sint8()
    case (8, false): troupe_ffi_uint8()
    case (16, true): troupe_ffi_sint16()
    case (16, false): troupe_ffi_uint16()
    case (32, true): troupe_ffi_sint32()
    case (32, false): troupe_ffi_uint32()
    case (_, true): troupe_ffi_sint64()
    case (_, false): troupe_ffi_uint64()
    }
  }
}
