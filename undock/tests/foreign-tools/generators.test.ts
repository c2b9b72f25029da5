// Type generators. TypeScript checks each result: it accepts correct code and rejects wrong code.
import { symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestProject } from '../support/project.ts'
import { endRunning, startUndock, undock } from '../support/undock.ts'
import { foreignTool, makeLibrary, PACKAGES, runIn } from './tools.ts'

const SECRET_KEY = 'sb_secret_N7UND0UgjKTVK-Uodkm0Hg_xSvEMPvz'

let project: TestProject
beforeAll(async () => {
  project = await makeLibrary()
  await symlink(PACKAGES, join(project.folder, 'node_modules'))
  await startUndock(project)
})
afterAll(async () => {
  await endRunning()
  await project?.remove()
})

const save = (name: string, text: string) => writeFile(join(project.folder, name), text)
const run = (tool: string, ...args: string[]) => runIn(project.folder, foreignTool(tool), args)

test('openapi-typescript rejects Swagger 2 and accepts the description converted by swagger2openapi', async () => {
  const root = `http://127.0.0.1:${project.ports.SUPABASE_API_PORT}/rest/v1/`
  await save('swagger.json', await (await fetch(root, { headers: { apikey: SECRET_KEY } })).text())
  expect((await run('openapi-typescript', 'swagger.json')).output).toContain('Unsupported Swagger version: 2.x')
  expect(await run('swagger2openapi', 'swagger.json', '-o', 'openapi.json')).toMatchObject({ code: 0 })
  expect(await run('openapi-typescript', 'openapi.json', '-o', 'api.ts')).toMatchObject({ code: 0 })
  await save(
    'use-api.ts',
    `import type { components, paths } from './api.ts'
    export const book: components['schemas']['books'] = { id: 1, title: 'Orlando', genre: 'novel', tags: ['a'] }
    export const wrong: components['schemas']['books'] = {
      id: 1, title: 'Orlando',
      genre: 'poem',
    }
    type Get = paths['/books']['get']['responses'][200]['content']['application/json']
    export const title = (answer: Get): string | undefined => answer[0]?.title
    export type Call = paths['/rpc/books_by']['post']`,
  )
  const checked = await run('tsc', '--noEmit', '--strict', '--allowImportingTsExtensions', 'use-api.ts')
  expect(checked.output.trim()).toMatch(/^use-api\.ts\(5,7\): error TS2322.*"poem"[^\n]*$/)
})

test("supabase-to-zod creates schemas from the CLI's types", async () => {
  const types = await undock(project, 'supabase', 'gen', 'types', '--local', '--schema', 'public')
  expect(types.code).toBe(0)
  await save('types.ts', types.stdout)
  // The CLI's types aren't formatted, and the tool can't read them unformatted.
  expect(await run('prettier', '--write', 'types.ts')).toMatchObject({ code: 0 })
  expect(await run('supabase-to-zod', '--input', 'types.ts', '--output', 'schemas.ts')).toMatchObject({ code: 0 })
  await save(
    'use-schemas.ts',
    `import { booksInsertSchema, booksRowSchema, genreSchema } from './schemas'
    const row = { id: 1, author: null, title: 'Orlando', genre: 'novel', tags: ['a'], details: { a: [1] }, published: null }
    console.log(JSON.stringify([
      booksRowSchema.parse(row).title,
      booksInsertSchema.safeParse({ title: 'Orlando' }).success,
      booksInsertSchema.safeParse({ genre: 'novel' }).success,
      genreSchema.safeParse('poem').success,
    ]))`,
  )
  const compiled = ['--strict', '--skipLibCheck', '--module', 'commonjs', '--target', 'es2022', 'use-schemas.ts']
  expect(await run('tsc', ...compiled)).toEqual({ code: 0, output: '' })
  const used = await runIn(project.folder, process.execPath, ['use-schemas.js'])
  expect(JSON.parse(used.output)).toEqual(['Orlando', true, false, false])
})
