// Replaces type-only imports.
export {}
