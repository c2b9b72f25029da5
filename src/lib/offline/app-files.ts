/** Whether the app's files are stored on this device: the service worker controls pages only after storing them. */
export const hasAppFiles = (): boolean => navigator.serviceWorker?.controller != null

const MISSING = 'fetch failed: this device does not have this part of the app yet. '

/** Keeps the page if a chunk can't be loaded offline. The router would reload it and lose everything. */
export function keepPageOffline(): void {
  addEventListener('vite:preloadError', ({ payload }) => {
    if (!navigator.onLine) payload.message = MISSING + payload.message
  })
}

/** Whether a chunk is missing on this device. Only a reload helps, because React remembers the failure. */
export const isMissingPart = (error: unknown): boolean => error instanceof Error && error.message.startsWith(MISSING)
