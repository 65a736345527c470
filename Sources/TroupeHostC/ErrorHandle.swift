// include/troupe-host.h documents the public functions.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import CTroupeHost
internal import TroupeHost

/// The object behind a `troupe_error`: a `Diagnosis` with its strings for C.
///
/// Every function of the header that can fail runs its body in `status` or `pointer`, which convert any Swift error to a diagnosis, store
/// it in the program's `troupe_error **`, and return its status or NULL:
///
///     return ErrorHandle.status(error) { try HostHandle.borrow(host, as: "host").host.retire(id) }
final class ErrorHandle: Handle, Sendable {
  let diagnosis: Diagnosis
  let code: OwnedCString
  let message: OwnedCString
  let subject: OwnedCString
  let remedy: OwnedCString

  init(_ diagnosis: Diagnosis) {
    self.diagnosis = diagnosis
    code = OwnedCString(diagnosis.code.rawValue)
    message = OwnedCString(diagnosis.description)
    subject = OwnedCString(diagnosis.subject)
    remedy = OwnedCString(diagnosis.remedy)
  }

  /// The parameter `troupe_error **error`, NULL if the program ignores errors.
  typealias Slot = UnsafeMutablePointer<OpaquePointer?>?

  /// - Parameter subject: The subject of the diagnosis of an error that names none.
  static func status(_ slot: Slot, of subject: @autoclosure () -> String = "", _ body: () throws -> Void) -> troupe_status {
    do {
      try body()
      return troupe_status(TROUPE_OK)
    } catch {
      return store(error, of: subject(), in: slot)
    }
  }

  static func pointer<Pointer>(
    _ slot: Slot, of subject: @autoclosure () -> String = "", _ body: () throws -> Pointer
  ) -> Pointer? {
    do {
      return try body()
    } catch {
      _ = store(error, of: subject(), in: slot)
      return nil
    }
  }

  /// Returns the status of the error, which is not TROUPE_OK.
  static func store(_ error: any Error, of subject: String, in slot: Slot) -> troupe_status {
    let diagnosis = Diagnosis(error, of: subject)
    slot?.pointee = ErrorHandle(diagnosis).retainedPointer()
    return diagnosis.code.status
  }
}

extension Diagnosis {
  /// Converts any error of the library.
  ///
  /// - Parameter subject: The subject for an error that names none.
  init(_ error: any Error, of subject: String) {
    switch error {
    case let diagnosis as Diagnosis: self = diagnosis
    case let error as CallError:
      let row = error.row.map { "row \($0): " } ?? ""
      let argument = error.argument.map { "\($0): " } ?? ""
      self.init(Code(of: error), subject, problem: row + argument + error.problem, remedy: error.remedy)
    case let error as SignatureError:
      self.init(
        .invalidSignature, subject, problem: "signature \(error.text.quoted(around: error.position)): \(error.problem)",
        remedy: "write \(error.expected) in column \(error.position + 1)")
    case let error as WorkerError: self.init(Code(of: error), subject, problem: error.problem, remedy: error.remedy)
    case let failure as RegistrationError:
      if let cause = failure.cause as? Diagnosis {
        self = cause.subject.isEmpty ? cause.about(failure.registration.name) : cause
      } else {
        let cause = Diagnosis(failure.cause, of: failure.registration.name)
        self.init(Code(of: failure), failure.registration.name, problem: cause.problem, remedy: cause.remedy)
      }
    default: self.init(Code(of: error), subject, problem: "\(error)")
    }
  }
}

@c @implementation
public func troupe_error_code(_ error: OpaquePointer) -> UnsafePointer<CChar> { ErrorHandle.borrow(error).code.pointer }

@c @implementation
public func troupe_error_status(_ error: OpaquePointer) -> troupe_status { ErrorHandle.borrow(error).diagnosis.code.status }

@c @implementation
public func troupe_error_message(_ error: OpaquePointer) -> UnsafePointer<CChar> {
  ErrorHandle.borrow(error).message.pointer
}

@c @implementation
public func troupe_error_subject(_ error: OpaquePointer) -> UnsafePointer<CChar> {
  ErrorHandle.borrow(error).subject.pointer
}

@c @implementation
public func troupe_error_remedy(_ error: OpaquePointer) -> UnsafePointer<CChar> { ErrorHandle.borrow(error).remedy.pointer }

@c @implementation
public func troupe_error_free(_ error: OpaquePointer?) { ErrorHandle.release(error) }
