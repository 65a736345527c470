// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "Greetings",
  products: [.library(name: "Greetings", type: .dynamic, targets: ["Greetings"])],
  targets: [
    .target(
      name: "Greetings", path: "Sources", swiftSettings: [.unsafeFlags(["-enable-library-evolution"])],
      linkerSettings: [
        .unsafeFlags([
          "-Xlinker", "-soname", "-Xlinker", "libGreetings.so", "-Xlinker", "--defsym=_troupe_resilient_Greetings=0",
        ])
      ])
  ]
)
