import type { Captured } from './capture.ts'

/** The address of Carrel, without a slash at its end: as somebody has entered it, or as it was packed. Undefined without one, or when the
 *  browser's permission for it was taken back. */
export async function connectedAddress(): Promise<string | undefined> {
  const packed = chrome.runtime.getManifest().host_permissions?.[0]?.replace('/*', '')
  const { address = packed } = await chrome.storage.sync.get<{ address?: string }>('address')
  if (address === undefined) return undefined
  return (await chrome.permissions.contains({ origins: [`${address}/*`] })) ? address : undefined
}

/** Runs in a window of Carrel: puts what was captured where the app finds what is shared with it
 *  (src/features/uploads/shared-in.ts), and opens the page that asks where it belongs. What it refers to must be inside it. */
export async function handOver({ title, url, quote, html }: Captured): Promise<void> {
  // Without TLS a browser keeps nothing: the app gets what an address can hold, and fetches the page itself.
  const keeps = 'caches' in globalThis
  if (keeps) await caches.delete('shared-in')
  if (!keeps || html === '') {
    location.replace(`/share?${new URLSearchParams({ title, url, ...(quote && { quote: quote.slice(0, 4000) }) })}`)
    return
  }
  const cache = await caches.open('shared-in')
  await cache.put('/shared-in/page', new Response(html, { headers: { 'content-type': 'text/html' } }))
  await cache.put('/shared-in/texts', Response.json({ title, url, text: '', quote }))
  location.replace('/share')
}
