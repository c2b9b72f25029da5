// The protocol's conformance tests for servers that only offer tools; the others use tools, prompts and resources of an example
// server by name.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Stack, startStack } from '../../src/runtime/stack/stack.ts'
import type { TestProject } from '../support/project.ts'
import { foreignTool, makeLibrary, runIn } from './tools.ts'

let project: TestProject
let stack: Stack
beforeAll(async () => {
  project = await makeLibrary()
  stack = await startStack({ workdir: project.folder, ports: 'free', state: 'memory' })
}, 300_000)
afterAll(async () => {
  await stack?.stop()
  await project?.remove()
})

test.each(['server-initialize', 'ping', 'tools-list', 'dns-rebinding-protection'])('%s', async (scenario) => {
  const args = ['server', '--url', `${stack.url}/mcp`, '--scenario', scenario]
  const { code, output } = await runIn(project.folder, foreignTool('conformance'), args)
  expect(output).toMatch(/Passed: [1-9].*, 0 failed/)
  expect(code, output).toBe(0)
})

test('the server offers nothing that other conformance tests cover', async () => {
  const client = new Client({ name: 'test', version: '1.0.0' })
  await client.connect(new StreamableHTTPClientTransport(new URL(`${stack.url}/mcp`)))
  expect(Object.keys(client.getServerCapabilities() ?? {})).toEqual(['tools'])
  await client.close()
})
