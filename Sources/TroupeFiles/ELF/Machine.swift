/// A processor architecture by its ELF number.
package struct Machine: Equatable, CustomStringConvertible {
  let number: UInt16

  /// The machine that this process runs on.
  package static var current: Machine {
    #if arch(x86_64)
      Machine(number: 62)
    #elseif arch(arm64)
      Machine(number: 183)
    #elseif arch(riscv64)
      Machine(number: 243)
    #else
      #error("add the ELF number of this machine")
    #endif
  }

  /// The name that compilers use. An unknown machine has its number.
  package var description: String {
    switch number {
    case 3: "i386"
    case 21: "powerpc64"
    case 22: "s390x"
    case 40: "arm"
    case 62: "x86_64"
    case 183: "aarch64"
    case 243: "riscv64"
    case 258: "loongarch64"
    default: "machine number \(number)"
    }
  }
}
