import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

export type TestProject = {
  readonly folder: string
  /** Environment that moves the project to ports of its own. */
  readonly ports: Readonly<Record<string, string>>
  write(path: string, text: string): Promise<void>
  remove(): Promise<void>
}

/** A project folder of a test's own.
 *  @param files Texts by their path below `supabase/`. */
export async function makeProject(files: Readonly<Record<string, string>>): Promise<TestProject> {
  const folder = await mkdtemp(join(tmpdir(), 'undock-test-'))
  const write = async (path: string, text: string): Promise<void> => {
    const target = join(folder, 'supabase', path)
    await mkdir(dirname(target), { recursive: true })
    await writeFile(target, text)
  }
  await mkdir(join(folder, 'supabase'))
  for (const [path, text] of Object.entries(files)) await write(path, text)
  return {
    folder,
    ports: {
      SUPABASE_API_PORT: String(await freePort()),
      SUPABASE_DB_PORT: String(await freePort()),
      SUPABASE_LOCAL_SMTP_PORT: String(await freePort()),
    },
    write,
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().on('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })
}
