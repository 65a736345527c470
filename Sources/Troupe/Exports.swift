// A plugin writes `import Troupe` and has the container with it.
@_exported public import TroupeContainer
