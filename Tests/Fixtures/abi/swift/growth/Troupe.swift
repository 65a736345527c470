// What scripts/check-abi-growth adds to Troupe in its copy of the sources.

extension Transform {
  /// The default of a requirement.
  public var addedToTransform: Int { 4 }
}
