internal import TroupeHost

/// The conversion of objects to the opaque pointers of `troupe-host.h`. A pointer that a program has holds one reference.
enum Handle<Object: AnyObject> {
  /// Returns a pointer with a reference of its own.
  static func new(_ object: Object) -> OpaquePointer { OpaquePointer(Unmanaged.passRetained(object).toOpaque()) }

  /// Returns the object of a pointer, without a change of its references.
  static func borrow(_ pointer: OpaquePointer) -> Object {
    Unmanaged<Object>.fromOpaque(UnsafeRawPointer(pointer)).takeUnretainedValue()
  }

  /// Returns the object of a pointer.
  ///
  /// - Throws: A `Diagnosis` with the code `invalidArgument` if the pointer is nil.
  static func borrow(_ pointer: OpaquePointer?, as name: String) throws(Diagnosis) -> Object {
    guard let pointer else { throw .missing(name) }
    return borrow(pointer)
  }

  /// Releases the reference of a pointer; ignores nil.
  static func release(_ pointer: OpaquePointer?) {
    if let pointer { Unmanaged<Object>.fromOpaque(UnsafeRawPointer(pointer)).release() }
  }
}
