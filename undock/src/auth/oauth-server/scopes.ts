export const SCOPES = ['openid', 'profile', 'email', 'phone', 'offline_access'] as const
export type Scope = (typeof SCOPES)[number]

/** The words of a list divided by blanks. */
export const scopesOf = (list: string): string[] => list.split(/\s+/).filter((scope) => scope !== '')

export const covers = (granted: string, asked: string): boolean =>
  scopesOf(asked).every((scope) => scopesOf(granted).includes(scope))
