// The process of postgres-meta: it answers the requests that its parent sends, and opens no port. Plain JavaScript, because
// the package is loaded by its path and has no types there.
import { pathToFileURL } from 'node:url'

const [file] = process.argv.slice(2)
const { build } = await import(pathToFileURL(file).href)
const app = build()

process.on('message', async ({ id, request }) => {
  const { statusCode: status, headers, rawPayload: body } = await app.inject(request)
  process.send({ id, status, contentType: headers['content-type'] ?? null, body })
})
process.on('disconnect', () => process.exit())
