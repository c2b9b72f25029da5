import type { FunctionRequest } from './functions.ts'

export const METHODS = ['POST', 'GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD']

/** @property id Distinguishes headers, including unnamed ones. */
export type Header = { readonly id: number; readonly name: string; readonly value: string }

/** A call as entered in a form. @property path What follows the function's name, with its query.
 *  @property as A role, a user, or `none` for no key; undefined for the secret key. */
export type CallDraft = {
  readonly method: string
  readonly path: string
  readonly body: string
  readonly as: string | undefined
  readonly headers: readonly Header[]
}

export const NEW_CALL: CallDraft = {
  method: 'POST',
  path: '',
  body: '{}',
  as: 'anon',
  headers: [{ id: 0, name: 'content-type', value: 'application/json' }],
}

export const hasBody = (method: string): boolean => method !== 'GET' && method !== 'HEAD'

export const withHeader = (headers: readonly Header[]): readonly Header[] => [
  ...headers,
  { id: Math.max(0, ...headers.map(({ id }) => id)) + 1, name: '', value: '' },
]

/** Returns the call to send, without unnamed headers. */
export const requestOf = (name: string, { method, path, body, as, headers }: CallDraft): FunctionRequest => ({
  path: name + withSlash(path.trim()),
  method,
  headers: headers.filter((one) => one.name.trim() !== '').map((one) => [one.name.trim(), one.value]),
  body: hasBody(method) ? body : null,
  as,
})

const withSlash = (path: string): string => (path === '' || /^[/?]/.test(path) ? path : `/${path}`)
