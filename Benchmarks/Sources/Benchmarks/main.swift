import Foundation

// "register N", "discover DIRECTORY" and the like are children of the benchmark.
if CommandLine.arguments.count == 3, CommandLine.arguments[1] == "register", let count = Int(CommandLine.arguments[2]) {
  print(ContainerBenchmark.registering(count))
  exit(0)
}

if CommandLine.arguments.count == 3, let work = PluginBenchmark.Work(rawValue: CommandLine.arguments[1]) {
  print(try await work.run(CommandLine.arguments[2]))
  exit(0)
}

var report = try Report()
// "resolve" measures the ways to resolve alone.
if CommandLine.arguments.dropFirst().first == "resolve" {
  for row in try await ResolveBenchmark.rows() { report.add(row.name, nanoseconds: row.time, row.value) }
  exit(report.finish() ? 0 : 1)
}
// "call" measures the calls of C alone.
if CommandLine.arguments.dropFirst().first == "call" {
  try CallBenchmark.run(&report)
  try ColumnBenchmark.run(&report)
  try HostAPIBenchmark.run(&report)
  exit(report.finish() ? 0 : 1)
}

// "compile" measures the compiler with clients of the container alone.
if CommandLine.arguments.dropFirst().first == "compile" {
  try CompileBenchmark.run(&report)
  exit(report.finish() ? 0 : 1)
}

// "isolation" measures workers alone.
if CommandLine.arguments.dropFirst().first == "isolation" {
  for row in try await IsolationBenchmark.rows() { report.add(row.name, nanoseconds: row.time, row.value) }
  exit(report.finish() ? 0 : 1)
}

// "files" measures many files alone.
if CommandLine.arguments.dropFirst().first == "files" {
  try FileBenchmark.run(&report)
  exit(report.finish() ? 0 : 1)
}

try ContainerBenchmark.run(&report)
for row in try await ResolveBenchmark.rows() { report.add(row.name, nanoseconds: row.time, row.value) }
try CompileBenchmark.run(&report)
try ScopeBenchmark.run(&report)
try CallBenchmark.run(&report)
try ColumnBenchmark.run(&report)
try HostAPIBenchmark.run(&report)
try ForeignBenchmark.run(&report)
try PluginBenchmark.run(&report)
try FileBenchmark.run(&report)
for row in try await IsolationBenchmark.rows() { report.add(row.name, nanoseconds: row.time, row.value) }
exit(report.finish() ? 0 : 1)
