// Makes the app available offline. The backend's responses are stored by the app (src/lib/offline/) and don't pass
// through here. The build defines `FILES` and `VERSION` (vite.config.ts).
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
  if (request.method === 'POST' && origin === self.location.origin && pathname === '/share') {
    event.respondWith(receive(request))
    return
  }
  if (request.method !== 'GET' || origin !== self.location.origin) return
  if (request.mode === 'navigate') event.respondWith(page(request))
  // Their names contain a hash or change with the app, so they never become stale.
  else if (/^\/(?:assets|pdfjs|tesseract)\//.test(pathname)) event.respondWith(asset(request))
})

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
  // Some servers vary by Origin, which module scripts send and this worker doesn't. The bytes are the same.
  const cached = await cache.match(request, { ignoreVary: true })
  if (cached) return cached
  const response = await fetch(request)
  if (response.ok) await cache.put(request, response.clone())
  return response
}

/** Shared content waits in a cache until /share has asked where it belongs (src/features/uploads/shared-in.ts). */
async function receive(request) {
  const form = await request.formData()
  await caches.delete('shared-in')
  const cache = await caches.open('shared-in')
  const files = form.getAll('files').filter((file) => typeof file !== 'string')
  await Promise.all(
    files.map((file, index) =>
      cache.put(
        `/shared-in/files/${index}`,
        new Response(file, { headers: { 'content-type': file.type, 'x-file-name': encodeURIComponent(file.name) } }),
      ),
    ),
  )
  const text = (name) => (typeof form.get(name) === 'string' ? form.get(name) : '')
  const texts = { title: text('title'), text: text('text'), url: text('url') }
  await cache.put('/shared-in/texts', Response.json(texts))
  return Response.redirect('/share', 303)
}
