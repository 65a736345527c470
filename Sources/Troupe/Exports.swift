// A plugin writes `import Troupe` and has the container with it, and the builder and its scopes.
@_exported public import TroupeContainer
@_exported public import TroupeScopes
