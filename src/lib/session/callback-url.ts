/** Returns the address for mailed links and providers. @param next The path to continue with. */
export const callbackUrl = (next: string): string => `${location.origin}/auth/callback?${new URLSearchParams({ next })}`
