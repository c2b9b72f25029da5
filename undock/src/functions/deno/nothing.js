// Stands for imports that only carry types.
export {}
