import Foundation

// "register N" is a child of the benchmark.
if CommandLine.arguments.count == 3, CommandLine.arguments[1] == "register", let count = Int(CommandLine.arguments[2]) {
  print(ContainerBenchmark.registering(count))
  exit(0)
}

var report = try Report()
try ContainerBenchmark.run(&report)
try CallBenchmark.run(&report)
try ForeignBenchmark.run(&report)
exit(report.finish() ? 0 : 1)
