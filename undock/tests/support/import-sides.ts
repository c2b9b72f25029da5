import pg from 'pg'
import { SERVICES } from '../../src/runtime/stack/options.ts'
import { type Stack, startStack } from '../../src/runtime/stack/stack.ts'
import { makeProject, type TestProject } from './project.ts'

/** A database to import rows from or into. */
export type ImportSide = { readonly project: TestProject; readonly stack: Stack }

const CONFIG = 'project_id = "import"\n[edge_runtime]\nenabled = false\n'

export async function startSide(files: Readonly<Record<string, string>>): Promise<ImportSide> {
  const project = await makeProject({ 'config.toml': CONFIG, ...files })
  return { project, stack: await startStack({ workdir: project.folder, ports: 'free', exclude: SERVICES }) }
}

export async function stopSide(side: ImportSide | undefined): Promise<void> {
  await side?.stack.stop()
  await side?.project.remove()
}

export async function query<T = Record<string, unknown>>({ stack }: ImportSide, text: string): Promise<T[]> {
  const client = new pg.Client(stack.dbUrl)
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}
