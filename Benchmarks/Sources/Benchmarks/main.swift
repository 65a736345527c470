import Foundation

var report = try Report()
try ContainerBenchmark.run(&report)
exit(report.finish() ? 0 : 1)
