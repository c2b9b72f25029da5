import { randomInt } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

export type TestProject = {
  readonly folder: string
  /** Environment variables that set the project's own ports. */
  readonly ports: Readonly<Record<string, string>>
  write(path: string, text: string): Promise<void>
  remove(): Promise<void>
}

/** Creates a project folder for a test. @param files Contents by their path in `supabase/`. */
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
      SUPABASE_STUDIO_PORT: String(await freePort()),
      SUPABASE_LOCAL_SMTP_PORT: String(await freePort()),
    },
    write,
    // The server of a killed stack may still be writing there.
    remove: () => rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }),
  }
}

/** An unused port below the range that systems assign automatically (Linux from 32768, others from 49152), so it stays free for a
 *  restart. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 10_000 + randomInt(20_000)
    if (await isFree(port)) return port
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const server = createServer().on('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(false) : reject(error),
    )
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
