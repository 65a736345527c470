// A plugin writes `import Troupe` and gets the container, the builder and its scopes.
@_exported public import TroupeContainer
@_exported public import TroupeScopes
