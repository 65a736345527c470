// A program that calls C names its types, so that the import of this module is enough.
@_exported public import TroupeSignature
