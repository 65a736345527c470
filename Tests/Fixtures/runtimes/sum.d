/// The sum of 1 to n, in memory of the collector.
import core.runtime;
import core.thread;

/// Starts the runtime when the library is loaded, since the program is not in D.
extern (C) pragma(crt_constructor) void start() { Runtime.initialize(); }

extern (C) long runtime_sum(long n) {
  if (!Thread.getThis()) thread_attachThis();
  auto terms = new long[cast(size_t) n];
  long total = 0;
  foreach (i, ref term; terms) {
    term = i + 1;
    total += term;
  }
  return total;
}
