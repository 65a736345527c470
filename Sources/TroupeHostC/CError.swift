public import CTroupeHost
internal import TroupeHost

/// The object behind a `troupe_error`: a diagnosis and its texts in C, which live as long as the object.
final class CError {
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
}

@c @implementation
public func troupe_error_code(_ error: OpaquePointer) -> UnsafePointer<CChar> { Handle<CError>.borrow(error).code.pointer }

@c @implementation
public func troupe_error_status(_ error: OpaquePointer) -> troupe_status { Handle<CError>.borrow(error).diagnosis.code.status }

@c @implementation
public func troupe_error_message(_ error: OpaquePointer) -> UnsafePointer<CChar> { Handle<CError>.borrow(error).message.pointer }

@c @implementation
public func troupe_error_subject(_ error: OpaquePointer) -> UnsafePointer<CChar> { Handle<CError>.borrow(error).subject.pointer }

@c @implementation
public func troupe_error_remedy(_ error: OpaquePointer) -> UnsafePointer<CChar> { Handle<CError>.borrow(error).remedy.pointer }

@c @implementation
public func troupe_error_free(_ error: OpaquePointer?) { Handle<CError>.release(error) }
