import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openDeployedProject } from '../../src/cli/hosted/project.ts'
import { startStack } from '../../src/runtime/stack/stack.ts'
import { makeProject } from '../support/project.ts'

test("a function deployed to `undock hosted` can't read the token of its Management API", async () => {
  const project = await makeProject({ 'config.toml': 'project_id = "hosted-token"\n' })
  onTestFinished(() => project.remove())
  const folder = join(project.folder, 'supabase/.undock/hosted')
  const source = join(folder, 'supabase/functions/reader/index.ts')
  await mkdir(dirname(source), { recursive: true })
  await writeFile(join(folder, 'env.sh'), 'export TOKEN=sbp_1')
  await writeFile(
    source,
    `Deno.serve(async () => Response.json(await Promise.all(['deployed.json', 'env.sh', 'supabase/config.json'].map(
      (name) => Deno.readTextFile(${JSON.stringify(`${folder}/`)} + name).then(() => 'read', (error) => error.name)))))`,
  )
  const exclude = ['rest', 'auth', 'storage', 'realtime', 'mail', 'mcp', 'pg'] as const
  const hosted = await openDeployedProject(folder, undefined, (workdir) =>
    startStack({ workdir, env: {}, ports: 'free', exclude }),
  )
  onTestFinished(() => hosted.stop())
  const headers = { apikey: hosted.stack.identity.keys.publishable }
  const response = await fetch(`${hosted.stack.url}/functions/v1/reader`, { headers })
  expect(await response.json()).toEqual(['NotFound', 'NotFound', 'read'])
})
