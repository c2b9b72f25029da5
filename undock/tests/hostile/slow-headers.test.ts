// Clients that open sockets and send their headers one byte at a time: each of the stack's HTTP servers disconnects them.
import { connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startStack, type TestStack } from '../../src/test-kit/start-stack.ts'
import { makeProject, type TestProject } from '../support/project.ts'

const SOCKETS = 1_000
const BYTE_INTERVAL = 2_000

let project: TestProject
let stack: TestStack
beforeAll(async () => {
  project = await makeProject({ 'config.toml': 'project_id = "slow-headers"\n' })
  stack = await startStack({ workdir: project.folder, console: true })
})
afterAll(async () => {
  await stack?.stop()
  await project.remove()
})

/** @returns the first line of the response once the server has closed the socket */
function drip(url: string): Promise<string> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port) })
  return new Promise((resolve, reject) => {
    let answer = ''
    const timer = setInterval(() => socket.write('a'), BYTE_INTERVAL)
    socket.on('connect', () => socket.write(`GET / HTTP/1.1\r\nHost: ${hostname}:${port}\r\nX-Slow: `))
    socket.on('data', (bytes) => {
      answer += bytes
    })
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') reject(error)
    })
    socket.on('close', () => {
      clearInterval(timer)
      resolve(answer.split('\r\n')[0] ?? '')
    })
  })
}

test('the API, the console and the inbox time out slow headers', { timeout: 120_000 }, async () => {
  const urls = [stack.url, stack.consoleUrl, stack.mailUrl].flatMap((url) => url ?? [])
  expect(urls).toHaveLength(3)
  const answers = await Promise.all(urls.flatMap((url) => Array.from({ length: SOCKETS }, () => drip(url))))
  expect(new Set(answers)).toEqual(new Set(['HTTP/1.1 408 Request Timeout']))
  expect((await fetch(`${stack.url}/undock/v1/health`)).status).toBe(200)
})
