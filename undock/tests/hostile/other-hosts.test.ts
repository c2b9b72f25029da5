// Requests that name another machine, as a page does whose name was pointed at this one (DNS rebinding): in the Host header, in the
// request line, or in both.
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startStack, type TestStack } from '../../src/test-kit/start-stack.ts'
import { makeProject, type TestProject } from '../support/project.ts'

let project: TestProject
let stack: TestStack
beforeAll(async () => {
  project = await makeProject({ 'config.toml': 'project_id = "other-hosts"\n' })
  stack = await startStack({ workdir: project.folder, console: true })
})
afterAll(async () => {
  await stack?.stop()
  await project.remove()
})

/** Sends a request as it is. @returns the status */
async function ask(url: string, line: string, headers: readonly string[]): Promise<number> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port) })
  socket.end(`${[line, ...headers, 'Connection: close'].join('\r\n')}\r\n\r\n`)
  return Number((await text(socket)).split(' ')[1])
}

const EVIL = 'evil.test'
const FORMS: readonly [form: string, target: (own: string) => string, hosts: (own: string) => string[]][] = [
  ['Host', () => '', () => [EVIL]],
  ['Host in capitals with a dot', () => '', () => ['EVIL.TEST.']],
  ['Host that begins like this machine', () => '', (own) => [`${own.split(':')[0]}.${EVIL}`]],
  ['first of two Hosts', () => '', (own) => [EVIL, own]],
  ['request line', () => `http://${EVIL}`, (own) => [own]],
  ['request line with TLS', () => `https://${EVIL}`, (own) => [own]],
  ['Host beside a request line that names this machine', (own) => `http://${own}`, () => [EVIL]],
]

test.each(FORMS)('no service answers a request whose %s names another machine', async (_, target, hosts) => {
  const key = `apikey: ${stack.keys.secret}`
  const places = [
    ...['/rest/v1/', '/auth/v1/admin/users', '/storage/v1/bucket'].map((path) => [stack.url, path, key]),
    ...['/storage/v1/s3/', '/mcp', '/undock/v1/requests'].map((path) => [stack.url, path, 'X: y']),
    ...['/', '/api/project', '/open/x'].map((path) => [stack.consoleUrl, path, 'X: y']),
    ...['/', '/api/v1/messages', '/events'].map((path) => [stack.mailUrl, path, 'X: y']),
  ]
  for (const version of ['1.1', '1.0'])
    for (const [url, path, header] of places) {
      const own = new URL(url ?? '').host
      const line = `GET ${target(own)}${path} HTTP/${version}`
      const sent = [...hosts(own).map((name) => `Host: ${name}`), String(header)]
      expect([path, await ask(url ?? '', line, sent)], `${line} ${sent}`).toEqual([path, 403])
    }
})
