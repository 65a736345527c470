/// Objects that wait until no reader announces their epoch or an earlier one, in the order of their epochs.
struct EpochQueue<Subject> {
  private var waiting: [(subject: Subject, epoch: UInt)] = []
  /// The index of the first waiting object. The objects before it are removed once they are half of the array.
  private var first = 0

  var isEmpty: Bool { first == waiting.count }

  /// Appends objects that were unlinked in the present epoch or an earlier one.
  mutating func append(_ subjects: some Sequence<Subject>, epoch: UInt) {
    for subject in subjects { waiting.append((subject, epoch)) }
  }

  /// Removes and returns the objects of earlier epochs than the oldest that a reader announces.
  ///
  /// Cost: proportional to their number, on average.
  mutating func removeAll(before oldest: UInt) -> [Subject] {
    var removed: [Subject] = []
    while first < waiting.count, waiting[first].epoch < oldest {
      removed.append(waiting[first].subject)
      first += 1
    }
    if first * 2 > waiting.count {
      waiting.removeFirst(first)
      first = 0
    }
    return removed
  }
}
