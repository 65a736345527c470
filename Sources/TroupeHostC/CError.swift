// The header documents the public functions.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import CTroupeHost
internal import TroupeHost

/// The object behind a `troupe_error`: a diagnosis and its texts in C, which live as long as the object.
final class CError: Sendable {
  let diagnosis: Diagnosis
  let code: CText
  let message: CText
  let subject: CText
  let remedy: CText

  init(_ diagnosis: Diagnosis) {
    self.diagnosis = diagnosis
    code = CText(diagnosis.code.rawValue)
    message = CText(diagnosis.description)
    subject = CText(diagnosis.subject)
    remedy = CText(diagnosis.remedy)
  }

  /// The address at which a function of the header stores an error; nil if the program does not want it.
  typealias Slot = UnsafeMutablePointer<OpaquePointer?>?

  /// Runs the body of a function that returns a status. Stores the error that the body throws.
  ///
  /// - Parameter subject: The thing that has the problem, for errors that do not name it.
  static func status(_ slot: Slot, of subject: @autoclosure () -> String = "", _ body: () throws -> Void) -> troupe_status {
    do {
      try body()
      return troupe_status(TROUPE_OK)
    } catch {
      return store(error, of: subject(), in: slot)
    }
  }

  /// Runs the body of a function that returns a pointer. Returns nil and stores the error that the body throws.
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

  /// Stores an error as a new `troupe_error`. Returns its status, which is not TROUPE_OK.
  static func store(_ error: any Error, of subject: String, in slot: Slot) -> troupe_status {
    let diagnosis = Diagnosis(error, of: subject)
    slot?.pointee = Handle.new(CError(diagnosis))
    return diagnosis.code.status
  }
}

extension Diagnosis {
  /// Creates the diagnosis of any error.
  ///
  /// - Parameter subject: The thing that has the problem, for errors that do not name it.
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
    case let failure as ResolutionFailure:
      if let cause = failure.cause as? Diagnosis {
        self = cause.subject.isEmpty ? cause.of(failure.registration.name) : cause
      } else {
        let cause = Diagnosis(failure.cause, of: failure.registration.name)
        self.init(Code(of: failure), failure.registration.name, problem: cause.problem, remedy: cause.remedy)
      }
    default: self.init(Code(of: error), subject, problem: "\(error)")
    }
  }
}

@c @implementation
public func troupe_error_code(_ error: OpaquePointer) -> UnsafePointer<CChar> { Handle<CError>.borrow(error).code.pointer }

@c @implementation
public func troupe_error_status(_ error: OpaquePointer) -> troupe_status { Handle<CError>.borrow(error).diagnosis.code.status }

@c @implementation
public func troupe_error_message(_ error: OpaquePointer) -> UnsafePointer<CChar> {
  Handle<CError>.borrow(error).message.pointer
}

@c @implementation
public func troupe_error_subject(_ error: OpaquePointer) -> UnsafePointer<CChar> {
  Handle<CError>.borrow(error).subject.pointer
}

@c @implementation
public func troupe_error_remedy(_ error: OpaquePointer) -> UnsafePointer<CChar> { Handle<CError>.borrow(error).remedy.pointer }

@c @implementation
public func troupe_error_free(_ error: OpaquePointer?) { Handle<CError>.release(error) }
