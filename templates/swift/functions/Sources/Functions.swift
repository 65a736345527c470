import CTypes
import Glibc

// Functions that the host calls with the values of its user. Each is a C function, which @NAME@.troupe.json declares
// with its type: the host converts arguments and results by it. The functions keep no state, so that the host may
// call them on several threads at once.

/// Numbers.
@c(fahrenheit)
public func fahrenheit(_ celsius: Double) -> Double { celsius * 9 / 5 + 32 }

/// Text. The host releases the result with `free`. A caller may pass nil for a string.
@c(greeting)
public func greeting(_ name: UnsafePointer<CChar>?) -> UnsafeMutablePointer<CChar>? {
  strdup("Hello, \(name.map { String(cString: $0) } ?? "world")!")
}

/// A buffer with its length. The caller passes an array, and the host the length.
@c(mean)
public func mean(_ numbers: UnsafePointer<Double>?, _ count: Int) -> Double {
  let numbers = UnsafeBufferPointer(start: numbers, count: count)
  return numbers.isEmpty ? 0 : numbers.reduce(0, +) / Double(count)
}

/// A struct of C.
@c(midpoint)
public func midpoint(_ a: point, _ b: point) -> point { point(x: (a.x + b.x) / 2, y: (a.y + b.y) / 2) }

/// Results behind pointers, and an error: the host reports `errno` if the result is -1.
@c(divide)
public func divide(
  _ dividend: CInt, _ divisor: CInt, _ quotient: UnsafeMutablePointer<CInt>, _ remainder: UnsafeMutablePointer<CInt>
) -> CInt {
  guard divisor != 0, !(dividend == .min && divisor == -1) else {
    errno = EDOM
    return -1
  }
  (quotient.pointee, remainder.pointee) = dividend.quotientAndRemainder(dividingBy: divisor)
  return 0
}

/// A callback: the caller passes a function of this type, such as `descending`. The host returns the changed buffer.
@c(sort)
public func sort(_ numbers: UnsafeMutablePointer<CInt>?, _ count: Int, _ precedes: (@convention(c) (CInt, CInt) -> CInt)?) {
  guard let precedes else { return }
  var numbers = UnsafeMutableBufferPointer(start: numbers, count: count)
  numbers.sort { precedes($0, $1) != 0 }
}

/// Returns true if the first integer is larger.
@c(descending)
public func descending(_ a: CInt, _ b: CInt) -> CInt { a > b ? 1 : 0 }
