// Both have ffi.h, and which of the two the compiler takes its structs from is not settled.
internal import CCallbacks
internal import CFFI

/// A function type that libffi has prepared for calls and callbacks: its `ffi_cif`, and the types to which that points.
final class CallInterface: @unchecked Sendable {
  // Sendable because nothing writes after the initializer, and libffi only reads an interface when it calls.

  /// Valid for as long as this object.
  let interface: UnsafeMutablePointer<ffi_cif>
  /// The array of parameter types that `interface` points to.
  private let parameters: UnsafeMutableBufferPointer<UnsafeMutablePointer<ffi_type>?>
  /// The descriptions of structs that `parameters` points to.
  private let types: FFITypes

  /// - Parameters:
  ///   - parameters: The types that C sees. Those behind `...` are promoted.
  ///   - fixedCount: The number of parameters before `...`; nil without `...`.
  init(result: CType, parameters: [CType], fixedCount: Int?) throws(FFITypes.Unsupported) {
    var types = FFITypes()
    let resultType = try types.describe(result, isResult: true)
    var list: [UnsafeMutablePointer<ffi_type>?] = []
    for parameter in parameters { list.append(try types.describe(parameter)) }
    let parameters = UnsafeMutableBufferPointer<UnsafeMutablePointer<ffi_type>?>.allocate(capacity: list.count)
    _ = parameters.initialize(fromContentsOf: list)
    let interface = UnsafeMutablePointer<ffi_cif>.allocate(capacity: 1)
    interface.initialize(to: ffi_cif())
    let count = UInt32(list.count)
    let status =
      if let fixedCount {
        ffi_prep_cif_var(interface, FFI_DEFAULT_ABI, UInt32(fixedCount), count, resultType, parameters.baseAddress)
      } else {
        ffi_prep_cif(interface, FFI_DEFAULT_ABI, count, resultType, parameters.baseAddress)
      }
    self.interface = interface
    self.parameters = parameters
    self.types = types
    guard status == FFI_OK else { throw FFITypes.Unsupported(problem: "status \(status.rawValue)") }
  }

  deinit {
    interface.deallocate()
    parameters.deallocate()
  }

  /// Calls a function with the arguments at some addresses, and leaves the result. `ffi_call` has no way to fail.
  func call(
    _ function: UnsafeRawPointer, _ arguments: UnsafeMutablePointer<UnsafeMutableRawPointer?>, _ result: UnsafeMutableRawPointer
  ) {
    // A data pointer and a function pointer are the same on every system that has `dlsym`.
    ffi_call(interface, unsafeBitCast(function, to: (@convention(c) () -> Void).self), result, arguments)
  }
}
