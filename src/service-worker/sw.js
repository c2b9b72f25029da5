// Lets the app itself open without network. The app stores the backend's answers (src/lib/offline/): none of them passes through
// here. The build defines `FILES` and `VERSION` (vite.config.ts).
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
  // Their names contain a hash of their content, or they change with the app, so a cached file never becomes stale.
  else if (/^\/(?:assets|pdfjs|tesseract)\//.test(pathname)) event.respondWith(asset(request))
})

/** The newest page or, without network, the cached one. */
async function page(request) {
  const cache = await caches.open(CACHE)
  try {
    const response = await fetch(request)
    if (response.ok && response.headers.get('content-type')?.includes('text/html')) {
      await cache.put(PAGE, response.clone())
    }
    return response
  } catch (error) {
    const cached = await cache.match(PAGE, { ignoreVary: true })
    if (cached) return cached
    throw error
  }
}

async function asset(request) {
  const cache = await caches.open(CACHE)
  // Some servers vary by Origin, which module scripts send and this worker does not. The bytes are the same.
  const cached = await cache.match(request, { ignoreVary: true })
  if (cached) return cached
  const response = await fetch(request)
  if (response.ok) await cache.put(request, response.clone())
  return response
}
