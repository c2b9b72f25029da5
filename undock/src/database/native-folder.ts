/** Beside the embedded engine's data: neither can read the other's. */
export const nativeFolder = (dataFolder: string): string => `${dataFolder}-native`
