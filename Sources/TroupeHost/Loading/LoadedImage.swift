internal import CLinux

/// A library in this process, as the loader lists it.
struct LoadedImage: Hashable {
  /// The path under which the loader opened it first; empty for the program.
  let path: String
  /// Whether it made the stack executable (`PF_X` of `PT_GNU_STACK`).
  let needsExecutableStack: Bool

  /// The libraries in this process, in the order in which the loader opened them.
  static var all: [LoadedImage] {
    var images: [LoadedImage] = []
    withUnsafeMutablePointer(to: &images) { images in
      linux_for_each_image(
        { image, images in
          images.assumingMemoryBound(to: [LoadedImage].self).pointee.append(LoadedImage(image.pointee))
          return true
        }, images)
    }
    return images
  }

  /// The number of libraries that the loader has ever opened. It is unchanged after an opening that found the library open.
  static var additions: UInt64 {
    var additions: UInt64 = 0
    linux_for_each_image(
      { image, additions in
        additions.assumingMemoryBound(to: UInt64.self).pointee = image.pointee.additions
        return false
      }, &additions)
    return additions
  }

  private init(_ image: linux_image) {
    path = String(cString: image.path)
    needsExecutableStack = image.has_executable_stack
  }
}
