import type { Project } from './schema/project.ts'

/** A public or private JSON Web Key from the file at `auth.signing_keys_path`. */
export type SigningKey = {
  readonly kty: string
  readonly kid?: string
  readonly alg?: string
  readonly [member: string]: unknown
}

/** The complete config.toml, typed and frozen: durations in seconds, sizes in bytes, absolute paths, `env()` resolved. */
export type Config = DeepReadonly<
  Omit<Project, 'auth'> & {
    auth: Project['auth'] & {
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
