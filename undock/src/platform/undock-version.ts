import { readFileSync } from 'node:fs'

type Versions = Readonly<Record<string, string>>
/** @property fetched In the published package: what is fetched when something first needs it. In the repository all is installed. */
type Manifest = {
  readonly version: string
  readonly optionalDependencies?: Versions
  readonly fetched?: Versions
}

/** undock's own package.json. */
export const undockManifest = (): Manifest =>
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as Manifest

/** The version of undock itself, as its package says. */
export const undockVersion = (): string => undockManifest().version
