import Glibc
import TroupeContainer

final class Service: Sendable {}
final class Shared: Sendable {}
final class Tagged: Sendable {}
final class Numbered: Sendable {
  let number: Int
  init(_ number: Int) { self.number = number }
}
final class Dependent: Sendable {
  let service: Service
  init(service: Service) { self.service = service }
}
protocol Stage: AnyObject, Sendable {}
final class Plain: Stage {}

func now() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
}
@inline(never)
func best(_ count: Int = 300_000, _ body: () throws -> Void) rethrows -> Double {
  var best = Double.infinity
  for _ in 0..<9 {
    let start = now()
    for _ in 0..<count { try body() }
    best = min(best, (now() - start) / Double(count))
  }
  return best
}

func resident() -> Int {
  guard let file = fopen("/proc/self/statm", "r") else { return 0 }
  defer { fclose(file) }
  var buffer = [CChar](repeating: 0, count: 200)
  fgets(&buffer, 200, file)
  let text = buffer.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
  return (Int(text.split(separator: " ")[1]) ?? 0) * 4096
}

let container = Container()
container.register { _ in Service() }
container.register(lifetime: .singleton) { _ in Shared() }
container.register(tags: "one", "two") { _ in Tagged() }
container.register { _, number in Numbered(number) }
container.register(factory: auto(Dependent.init))

nonisolated(unsafe) var factories: [ObjectIdentifier: @Sendable () -> AnyObject] = [:]
factories[ObjectIdentifier(Service.self)] = { Service() }
factories[ObjectIdentifier(Shared.self)] = { Service() }
for type in [Int.self, String.self, [Int].self, Double.self] as [Any.Type] { factories[ObjectIdentifier(type)] = { Service() } }
func floorOnce() { if let made = factories[ObjectIdentifier(Service.self)]?() { withExtendedLifetime(made) {} } }

func array(_ registrations: Int) throws -> Double {
  let container = Container()
  container.batch { registrar in
    for number in 0..<registrations {
      let tag = number % (registrations / 10) == 0 ? "wanted" : "other"
      registrar.register((any Stage).self, tags: tag, number, lifetime: .singleton) { _ in Plain() }
    }
  }
  let all: [any Stage] = try container.resolve(tags: "wanted")
  precondition(all.count == 10)
  return try best(20_000) { let stages: [any Stage] = try container.resolve(tags: "wanted"); withExtendedLifetime(stages) {} }
}

if CommandLine.arguments.count > 1 {
  for _ in 0..<3_000_000 {
    switch CommandLine.arguments[1] {
    case "auto": _ = try container.resolve(Dependent.self)
    case "tags": _ = try container.resolve(Tagged.self, tags: "one", "two")
    default: break
    }
  }
  if CommandLine.arguments[1] == "array" { print(try array(1000)) }
  exit(0)
}
let floor = best { floorOnce() }
func row(_ name: String, _ nanoseconds: Double, _ limit: Double) {
  let ratio = nanoseconds / floor
  print(name.padding(30), String(Int(nanoseconds * 10)).padding(8), "x", Double(Int(ratio * 100)) / 100, ratio <= limit ? "ok" : "OVER \(limit)")
}
extension String { func padding(_ n: Int) -> String { self + String(repeating: " ", count: max(0, n - count)) } }
row("floor", floor, 1)
row("transient", try best { _ = try container.resolve(Service.self) }, 1.3)
row("singleton", try best { _ = try container.resolve(Shared.self) }, 0.7)
row("two tags", try best { _ = try container.resolve(Tagged.self, tags: "one", "two") }, 2)
row("one argument", try best { _ = try container.resolve(Numbered.self, args: 7) }, 2)
row("auto", try best { _ = try container.resolve(Dependent.self) }, 2.5)
let small = try array(1000)
row("array of 10 in 1000", small, 20)
let large = try array(100_000)
row("array of 10 in 100000", large, 20)
print("ratio", large / small)

for count in [50_000, 100_000, 200_000] {
  let container = Container()
  let start = now()
  for number in 0..<count { container.register(Service.self, tags: number) { _ in Service() } }
  print("one at a time", count, (now() - start) / Double(count))
}
do {
  let container = Container()
  let before = resident()
  let start = now()
  container.batch { registrar in
    for number in 0..<100_000 { registrar.register(Service.self, tags: number, "category") { _ in Service() } }
  }
  print("batch", (now() - start) / 100_000, "ns each;", Double(resident() - before) / 100_000, "bytes each")
}
