// Lets the app itself open without network. What people read is kept by the app (src/lib/offline.ts): nothing from the backend
// passes through here. `FILES` and `VERSION` are put in by the build (vite.config.ts).
/* global FILES, VERSION */
const CACHE = `carrel-${VERSION}`
const PAGE = '/'

self.addEventListener('install', (event) => {
  event.waitUntil(
    caches
      .open(CACHE)
      .then((cache) => cache.addAll([PAGE, ...FILES]))
      .then(() => self.skipWaiting()),
  )
})

self.addEventListener('activate', (event) => {
  event.waitUntil(
    caches
      .keys()
      .then((names) =>
        Promise.all(
          names.filter((name) => name.startsWith('carrel-') && name !== CACHE).map((name) => caches.delete(name)),
        ),
      )
      .then(() => self.clients.claim()),
  )
})

self.addEventListener('fetch', (event) => {
  const { request } = event
  const { origin, pathname } = new URL(request.url)
  if (request.method !== 'GET' || origin !== self.location.origin) return
  if (request.mode === 'navigate') event.respondWith(page(request))
  // Their names carry a hash of what is in them: what is kept never grows old.
  else if (pathname.startsWith('/assets/') || pathname.startsWith('/pdfjs/')) event.respondWith(asset(request))
})

/** The newest page where there is a network, the kept one where there is none. */
async function page(request) {
  const cache = await caches.open(CACHE)
  try {
    const response = await fetch(request)
    if (response.ok && response.headers.get('content-type')?.includes('text/html')) {
      await cache.put(PAGE, response.clone())
    }
    return response
  } catch (error) {
    const kept = await cache.match(PAGE, { ignoreVary: true })
    if (kept) return kept
    throw error
  }
}

async function asset(request) {
  const cache = await caches.open(CACHE)
  // Some servers vary by Origin, which module scripts send and this worker's own requests do not: the bytes are the same.
  const kept = await cache.match(request, { ignoreVary: true })
  if (kept) return kept
  const response = await fetch(request)
  if (response.ok) await cache.put(request, response.clone())
  return response
}
