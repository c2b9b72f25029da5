import type { Project } from './schema/project.ts'

/** A public or private JSON Web Key, as `auth.signing_keys_path` lists them. */
export type SigningKey = {
  readonly kty: string
  readonly kid?: string
  readonly alg?: string
  readonly [member: string]: unknown
}

/** The whole of config.toml, typed, complete and frozen. Sections and keys are those of the file;
 *  durations are seconds, sizes bytes, paths absolute, `env(NAME)` resolved. */
export type Config = DeepReadonly<
  Omit<Project, 'auth'> & {
    auth: Project['auth'] & {
      /** What the file at `signing_keys_path` holds; empty when none is named. */
      signing_keys: SigningKey[]
    }
  }
>

export type DeepReadonly<T> = T extends object ? { readonly [K in keyof T]: DeepReadonly<T[K]> } : T

export function deepFreeze<T>(value: T): DeepReadonly<T> {
  if (typeof value === 'object' && value !== null) {
    for (const item of Object.values(value)) deepFreeze(item)
    Object.freeze(value)
  }
  return value as DeepReadonly<T>
}
