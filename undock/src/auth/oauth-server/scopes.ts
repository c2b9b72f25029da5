export const SCOPES = ['openid', 'profile', 'email', 'phone', 'offline_access'] as const

export const scopesOf = (list: string): string[] => list.split(/\s+/).filter((scope) => scope !== '')

export const coversScopes = (granted: string, asked: string): boolean =>
  scopesOf(asked).every((scope) => scopesOf(granted).includes(scope))
