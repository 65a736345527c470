internal import TroupeHost

/// An object that a program in C holds as an opaque pointer of `troupe-host.h`.
///
/// Each pointer that a `_new` function or a lookup returns owns one reference, which the `_free` function of the handle releases:
///
///     troupe_host_function  retainedPointer()  +1
///     troupe_function_call  borrow(_:)          0
///     troupe_function_free  release(_:)        -1
///
/// An object retains everything that it needs, such as a function its host, so that a program may release handles in any order.
protocol Handle: AnyObject {}

extension Handle {
  /// Returns a pointer that owns a new reference.
  func retainedPointer() -> OpaquePointer { OpaquePointer(Unmanaged.passRetained(self).toOpaque()) }

  static func borrow(_ pointer: OpaquePointer) -> Self {
    Unmanaged<Self>.fromOpaque(UnsafeRawPointer(pointer)).takeUnretainedValue()
  }

  /// - Throws: A `Diagnosis` with the code `invalidArgument` if the pointer of the argument `name` is NULL.
  static func borrow(_ pointer: OpaquePointer?, as name: String) throws(Diagnosis) -> Self {
    guard let pointer else { throw .missing(name) }
    return borrow(pointer)
  }

  /// Releases the reference of a pointer; ignores NULL.
  static func release(_ pointer: OpaquePointer?) {
    if let pointer { Unmanaged<Self>.fromOpaque(UnsafeRawPointer(pointer)).release() }
  }
}
