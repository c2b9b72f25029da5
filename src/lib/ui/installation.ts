import { useSyncExternalStore } from 'react'

/** Chromium's offer to install a page as an app. Other browsers have it in a menu of their own and never make one. */
type InstallOffer = Event & { prompt(): Promise<unknown> }

let offer: InstallOffer | undefined
const listeners = new Set<() => void>()

function setOffer(next: InstallOffer | undefined): void {
  offer = next
  for (const listener of listeners) listener()
}

addEventListener('beforeinstallprompt', (event) => {
  // The app offers it in its own menu instead of the browser's bar.
  event.preventDefault()
  setOffer(event as InstallOffer)
})
addEventListener('appinstalled', () => setOffer(undefined))

/** @returns what asks the person whether to install the app; undefined where this browser cannot, or has done so. */
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
    // An offer can be made once.
    setOffer(undefined)
    void current.prompt()
  }
}
