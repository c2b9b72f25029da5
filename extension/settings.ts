import type { Captured } from './capture.ts'

/** Returns Carrel's address without a trailing slash, as entered or built in. Undefined without one, or if its
 *  permission was revoked. */
export async function connectedAddress(): Promise<string | undefined> {
  const packed = chrome.runtime.getManifest().host_permissions?.[0]?.replace('/*', '')
  const { address = packed } = await chrome.storage.sync.get<{ address?: string }>('address')
  if (address === undefined) return undefined
  return (await chrome.permissions.contains({ origins: [`${address}/*`] })) ? address : undefined
}

/** Runs in a Carrel window: stores the captured page for the app (src/features/uploads/shared-in.ts) and opens the
 *  share page. Must be self-contained. */
export async function handOver({ title, url, quote, html }: Captured): Promise<void> {
  // Without TLS there is no cache: the app gets what fits in a URL, and fetches the page itself.
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
