import { readFileSync } from 'node:fs'

type Versions = Readonly<Record<string, string>>
/** @property fetched What the published package fetches when first needed; the repository has it installed. */
type Manifest = {
  readonly version: string
  readonly optionalDependencies?: Versions
  readonly fetched?: Versions
}

export const undockManifest = (): Manifest =>
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as Manifest

export const undockVersion = (): string => undockManifest().version
