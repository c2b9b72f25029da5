import { useSyncExternalStore } from 'react'

/** Chromium's install prompt. Other browsers offer installing in their own menu. */
type InstallOffer = Event & { prompt(): Promise<unknown> }

let offer: InstallOffer | undefined
const listeners = new Set<() => void>()

function setOffer(next: InstallOffer | undefined): void {
  offer = next
  for (const listener of listeners) listener()
}

addEventListener('beforeinstallprompt', (event) => {
  // Offered in the app's menu instead of the browser's bar.
  event.preventDefault()
  setOffer(event as InstallOffer)
})
addEventListener('appinstalled', () => setOffer(undefined))

/** @returns a function that offers to install the app; undefined if unsupported or installed. */
export function useInstallation(): (() => void) | undefined {
  const current = useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => offer,
  )
  if (!current) return undefined
  return () => {
    // A prompt can be used only once.
    setOffer(undefined)
    void current.prompt()
  }
}
