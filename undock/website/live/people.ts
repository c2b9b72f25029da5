export type Person = { readonly id: string; readonly email: string; readonly name: string }

export const PEOPLE = {
  ada: { id: '11111111-1111-4111-8111-111111111111', email: 'ada@example.com', name: 'Ada' },
  grace: { id: '22222222-2222-4222-8222-222222222222', email: 'grace@example.com', name: 'Grace' },
} as const satisfies Record<string, Person>

/** Who sends a request: an anonymous visitor, a person, or a server with the secret key. */
export type Caller = 'anon' | keyof typeof PEOPLE | 'secret'

export const CALLERS: readonly { readonly caller: Caller; readonly label: string; readonly role: string }[] = [
  { caller: 'anon', label: 'Anonymous', role: 'anon' },
  { caller: 'ada', label: 'Ada', role: 'authenticated' },
  { caller: 'grace', label: 'Grace', role: 'authenticated' },
  { caller: 'secret', label: 'A server', role: 'service_role' },
]

/** A readable value: the name of a person instead of their id. */
export const readable = (value: unknown): string =>
  Object.values<Person>(PEOPLE).find(({ id }) => id === value)?.name ??
  (typeof value === 'string' ? value : JSON.stringify(value))

/** A sentence with names instead of ids. */
export const withNames = (text: string): string =>
  Object.values(PEOPLE).reduce((result, { id, name }) => result.replaceAll(`'${id}'`, name), text)
