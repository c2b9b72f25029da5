import { createStore, useStore } from '../store.ts'

/** Chromium's install prompt. Other browsers offer installing in their own menu. */
type InstallOffer = Event & { prompt(): Promise<unknown> }

const offer = createStore<InstallOffer | undefined>(undefined)

addEventListener('beforeinstallprompt', (event) => {
  // Offered in the app's menu instead of the browser's bar.
  event.preventDefault()
  offer.set(event as InstallOffer)
})
addEventListener('appinstalled', () => offer.set(undefined))

/** @returns a function that offers to install the app; undefined if unsupported or installed. */
export function useInstallation(): (() => void) | undefined {
  const current = useStore(offer)
  if (!current) return undefined
  return () => {
    // A prompt can be used only once.
    offer.set(undefined)
    void current.prompt()
  }
}
