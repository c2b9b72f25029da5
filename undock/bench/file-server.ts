// A plain Node file server as a baseline for storage: PUT writes a file, GET returns it, and it does nothing else.
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { pipeline } from 'node:stream/promises'

const folder = await mkdtemp(join(tmpdir(), 'file-server-'))
const server = createServer(async (request, response) => {
  const path = join(folder, basename(request.url ?? ''))
  if (request.method === 'PUT') {
    await pipeline(request, createWriteStream(path))
    response.end()
    return
  }
  response.setHeader('content-length', (await stat(path)).size)
  await pipeline(createReadStream(path), response)
})
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }))
process.once('SIGTERM', async () => {
  await rm(folder, { recursive: true, force: true })
  process.exit()
})
