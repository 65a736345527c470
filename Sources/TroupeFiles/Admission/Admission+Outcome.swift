internal import TroupeBase
internal import TroupeManifest

extension Admission {
  /// The result of the examination of a file.
  package struct Outcome {
    /// The manifest, if it could be read.
    package var manifest: Manifest?
    /// Whether the image contains Swift code; such an image stays mapped once it has been opened. Nil if unknown: the answer is at the
    /// end of the file, and for a plugin in another language it is read only if the plugin is opened soon.
    package var holdsSwift: Bool?
    /// The examined library, the plugin's own or the adopted one: its path without links, and its stamp.
    package var library: (path: String, stamp: FileStamp)?
    /// For a file that adopts a library, the path of the library before links are followed. If no directory of the loader contains the
    /// name, the path beside the file. Nil if the file does not name a library.
    package var adoptedLibrary: String?
    /// The stamp of a file that adopts a library; nil for a library.
    var adoptionFile: FileStamp?
    /// The functions of the adopted library that the file registers; nil for a plugin's own library.
    package var adopted: AdoptedFunctions?
    /// Whether the file is a valid library without a manifest.
    var isBareLibrary = false
    /// The reason why the plugin is rejected; nil if it is admitted.
    package var fault: Diagnosis?
    /// Whether the reason is that the content is in quarantine.
    package var isQuarantined = false

    /// The plugin's file and, if it adopts one, the library, in their state when they were examined.
    package func files(_ path: String) -> [FileState] {
      var files = library.map { [FileState(path: $0.path, stamp: $0.stamp)] } ?? []
      if let adoptionFile { files.insert(FileState(path: path, stamp: adoptionFile), at: 0) }
      return files
    }
  }
}
