// Both have ffi.h, and which of the two the compiler takes its structs from is not settled.
internal import CCallbacks
internal import CFFI

/// The type of a function as libffi knows it.
///
/// `@unchecked Sendable` because nothing is written after the initializer, and libffi only reads an interface when it calls.
final class CallInterface: @unchecked Sendable {
  /// What libffi calls by; valid for as long as this object.
  let interface: UnsafeMutablePointer<ffi_cif>
  /// The types of the parameters; the interface points to them, and they to `foreign`.
  private let types: UnsafeMutableBufferPointer<UnsafeMutablePointer<ffi_type>?>
  private let foreign: FFITypes

  /// Prepares calls.
  ///
  /// - Parameters:
  ///   - parameters: The types that C sees; behind the fixed ones they are promoted.
  ///   - fixedCount: How many there are before `...`; nil for a function that takes a fixed number.
  /// - Throws: The reason that libffi cannot do it.
  init(result: CType, parameters: [CType], fixedCount: Int?) throws(FFITypes.Unsupported) {
    var foreign = FFITypes()
    let resultType = try types.describe(result, isResult: true)
    var list: [UnsafeMutablePointer<ffi_type>?] = []
    for parameter in parameters { list.append(try types.describe(parameter)) }
    let types = UnsafeMutableBufferPointer<UnsafeMutablePointer<ffi_type>?>.allocate(capacity: list.count)
    _ = types.initialize(fromContentsOf: list)
    let interface = UnsafeMutablePointer<ffi_cif>.allocate(capacity: 1)
    interface.initialize(to: ffi_cif())
    let count = UInt32(list.count)
    let status =
      if let fixedCount {
        ffi_prep_cif_var(interface, FFI_DEFAULT_ABI, UInt32(fixedCount), count, resultType, types.baseAddress)
      } else {
        ffi_prep_cif(interface, FFI_DEFAULT_ABI, count, resultType, types.baseAddress)
      }
    self.interface = interface
    self.types = types
    self.ffiType = foreign
    guard status == FFI_OK else { throw FFITypes.Unsupported(problem: "status \(status.rawValue)") }
  }

  deinit {
    interface.deallocate()
    types.deallocate()
  }

  /// Calls a function with the arguments at some addresses, and leaves the result. `ffi_call` has no way to fail.
  func call(
    _ function: UnsafeRawPointer, _ arguments: UnsafeMutablePointer<UnsafeMutableRawPointer?>, _ result: UnsafeMutableRawPointer
  ) {
    // A data pointer and a function pointer are the same on every system that has `dlsym`.
    ffi_call(interface, unsafeBitCast(function, to: (@convention(c) () -> Void).self), result, arguments)
  }
}
