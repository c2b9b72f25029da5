import { readFileSync } from 'node:fs'

type Manifest = { readonly version: string; readonly optionalDependencies?: Readonly<Record<string, string>> }

/** undock's own package.json. */
export const undockManifest = (): Manifest =>
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as Manifest

/** The version of undock itself, as its package says. */
export const undockVersion = (): string => undockManifest().version
