// Diagnoses are of the base module, manifests of their own: `import TroupeFiles` brings both.
@_exported public import TroupeBase
@_exported public import TroupeManifest
