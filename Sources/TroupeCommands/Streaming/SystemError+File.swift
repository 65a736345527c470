internal import Glibc
internal import TroupeHost

extension SystemError {
  /// The code of a failed access to a file that the user named.
  ///
  /// - Parameter code: The code of other errors than a missing permission or resource.
  func fileCode(else code: Diagnosis.Code) -> Diagnosis.Code {
    switch self.code {
    case EACCES, EPERM, EROFS: .notPermitted
    case EMFILE, ENFILE, ENOMEM: .missingResource
    default: code
    }
  }

  /// The remedy of a missing resource; nil for other errors.
  var fileRemedy: String? {
    switch code {
    case EMFILE: "raise the limit of open files with ulimit -n, or give fewer jobs"
    case ENFILE: "close files, or raise the limit of open files of the system (fs.file-max)"
    case ENOMEM: "make memory available"
    case ENOSPC, EDQUOT: "make room on the disk, and repeat the command"
    default: nil
    }
  }
}
