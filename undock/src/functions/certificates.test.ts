import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { testCertificate } from '../testing/certificate.ts'
import { startFunctionsServer } from '../testing/functions-server.ts'

test("functions trust the machine's certificates", async () => {
  const { cert, key } = await testCertificate()
  const site = createServer({ cert, key }, (_request, response) => response.end('from inside')).listen(0, '127.0.0.1')
  await once(site, 'listening')
  const folder = await mkdtemp(join(tmpdir(), 'undock-trusted-'))
  onTestFinished(async () => {
    site.close()
    await rm(folder, { recursive: true, force: true })
  })
  const trusted = join(folder, 'trusted.pem')
  await writeFile(trusted, cert)
  const { port } = site.address() as AddressInfo
  const files = {
    'functions/ask/index.ts': `Deno.serve(async () => new Response(await fetch('https://127.0.0.1:${port}').then((one) => one.text(), String)))`,
  }
  const { DENO_TLS_CA_STORE, DENO_CERT, NODE_EXTRA_CA_CERTS, SSL_CERT_DIR, ...env } = process.env
  // The machine's certificate list, from where system libraries read it.
  for (const [list, answer] of [
    [trusted, 'from inside'],
    [undefined, 'TypeError: fetch failed'],
  ] as const) {
    const server = await startFunctionsServer(files, { env: { ...env, SSL_CERT_FILE: list } })
    expect(await (await server.call('ask')).text()).toEqual(answer)
    await server.close()
  }
})
