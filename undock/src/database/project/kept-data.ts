/** A file in a data directory that is complete; its time says when it was last opened. */
export const dataMark = 'undock.complete'

/** Beside the embedded engine's data: neither engine can read the other's. */
export const nativeFolder = (dataFolder: string): string => `${dataFolder}-native`
