/** Whether this device has every file of the app. The service worker answers a page only after it has stored all of them. */
export const hasAppFiles = (): boolean => navigator.serviceWorker?.controller != null

const MISSING = 'fetch failed: this device does not have this part of the app yet. '

/** Keeps the page when a part of the app cannot be loaded without network. The router would reload it, as after a new release, and
 *  without network nothing would be left. */
export function keepPageOffline(): void {
  addEventListener('vite:preloadError', ({ payload }) => {
    if (!navigator.onLine) payload.message = MISSING + payload.message
  })
}

/** Whether a part of the app is missing on this device. Only a reload loads it again: React remembers the failure. */
export const isMissingPart = (error: unknown): boolean => error instanceof Error && error.message.startsWith(MISSING)
