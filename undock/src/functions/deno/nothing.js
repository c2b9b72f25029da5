// Replaces imports that contain only types.
export {}
